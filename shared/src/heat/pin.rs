//! The PIN of a private heat: digits that the host tells the invited players.
//!
//! Four digits resist no offline search, however slow the hash: an Argon2 hash would last three
//! minutes. So the server keeps the PIN itself, to tell it to the host again after a restart, in a
//! folder that is closed to others; it prints it nowhere, and limits attempts to a few per minute
//! and room.

use crate::heat::commitment::Salt;
use crate::util::conversions::hide_in_debug;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// How many digits a PIN has at least and at most.
pub const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=8;

/// Four to eight digits. It is never printed.
///
/// ```
/// use gridrace_shared::heat::pin::{Pin, PinHash};
/// use gridrace_shared::heat::commitment::Salt;
/// let pin: Pin = "4711".parse()?;
/// let kept = PinHash::new(&pin, Salt::from_bytes([7; 16]));
/// assert!(kept.admits(&pin));
/// assert!(!kept.admits(&"4712".parse()?));
/// assert_eq!(format!("{pin:?}"), "Pin(..)");
/// # Ok::<(), gridrace_shared::heat::pin::PinError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pin(String);

/// Says that a text is no PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a PIN has 4 to 8 digits")]
pub struct PinError;

/// The PIN that a room is joined by.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RoomPin {
    Known(Pin),
    /// A room of an earlier version kept no more than this.
    Hashed(PinHash),
}

impl RoomPin {
    /// Says whether this is the PIN, in a time that doesn't tell how much of it is right.
    pub fn admits(&self, pin: &Pin) -> bool {
        match self {
            Self::Known(Pin(known)) => known.as_bytes().ct_eq(pin.0.as_bytes()).into(),
            Self::Hashed(hash) => hash.admits(pin),
        }
    }
}

/// A salted hash of a PIN.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinHash {
    salt: Salt,
    hash: [u8; 32],
}

impl PinHash {
    pub fn new(pin: &Pin, salt: Salt) -> Self {
        let hash = hash(pin, salt);
        Self { salt, hash }
    }

    /// Says whether this is the PIN, in a time that doesn't tell how much of it is right.
    pub fn admits(&self, pin: &Pin) -> bool {
        hash(pin, self.salt).ct_eq(&self.hash).into()
    }
}

fn hash(Pin(digits): &Pin, salt: Salt) -> [u8; 32] {
    let mut line = Sha256::new();
    line.update(b"gridrace-pin-1 ");
    line.update(salt.bytes());
    line.update(digits);
    line.finalize().into()
}

impl std::str::FromStr for Pin {
    type Err = PinError;

    fn from_str(text: &str) -> Result<Self, PinError> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits && PIN_DIGITS.contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(PinError)
        }
    }
}

impl TryFrom<String> for Pin {
    type Error = PinError;

    fn try_from(text: String) -> Result<Self, PinError> {
        text.parse()
    }
}

impl From<Pin> for String {
    fn from(Pin(digits): Pin) -> Self {
        digits
    }
}

hide_in_debug!(Pin, PinHash, RoomPin);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_four_to_eight_digits() {
        for pin in ["0000", "4711", "00000000"] {
            let parsed: Pin = pin.parse().unwrap();
            assert_eq!(String::from(parsed), pin);
        }
        for other in ["", "123", "123456789", "12 4", "-123", "１２３４", "abcd"] {
            assert_eq!(other.parse::<Pin>(), Err(PinError), "{other:?}");
        }
    }

    #[test]
    fn two_heats_with_the_same_pin_keep_different_hashes() {
        let pin: Pin = "4711".parse().unwrap();
        let [one, other] = [1, 2].map(|n| PinHash::new(&pin, Salt::from_bytes([n; 16])));
        assert!(one != other && one.admits(&pin) && other.admits(&pin));
        assert!(!one.admits(&"471".repeat(2).parse().unwrap()));
        assert_eq!(format!("{one:?}"), "PinHash(..)");
    }
}
