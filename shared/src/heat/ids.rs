//! Room codes, player ids and move numbers.

use crate::util::conversions::convert_as_text;
use serde::{Deserialize, Serialize};

/// The letters of a room's code: no vowels, so no words; nothing that looks like a digit.
pub const CODE_LETTERS: [u8; 19] = *b"BCDFGHJKMNPQRTVWXYZ";

/// The four letters by which a room is joined; read without regard to case.
///
/// ```
/// use gridrace_shared::heat::ids::RoomCode;
/// assert_eq!("kqzt".parse::<RoomCode>().map(|code| code.to_string()), Ok("KQZT".to_owned()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoomCode([u8; 4]);

/// Says that a text is no room's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a room's code is four letters of BCDFGHJKMNPQRTVWXYZ")]
pub struct RoomCodeError;

impl RoomCode {
    pub const COUNT: u32 = 19 * 19 * 19 * 19;

    /// Returns the code of a number, taken modulo [`RoomCode::COUNT`].
    pub fn from_number(number: u32) -> Self {
        let mut rest = number % Self::COUNT;
        let mut letters = [0; 4];
        for letter in letters.iter_mut().rev() {
            *letter = CODE_LETTERS[(rest % 19) as usize];
            rest /= 19;
        }
        Self(letters)
    }
}

impl std::str::FromStr for RoomCode {
    type Err = RoomCodeError;

    fn from_str(text: &str) -> Result<Self, RoomCodeError> {
        let letters: [u8; 4] = text.as_bytes().try_into().map_err(|_| RoomCodeError)?;
        let letters = letters.map(|letter| letter.to_ascii_uppercase());
        if letters.iter().all(|letter| CODE_LETTERS.contains(letter)) {
            Ok(Self(letters))
        } else {
            Err(RoomCodeError)
        }
    }
}

convert_as_text!(RoomCode);

impl std::fmt::Display for RoomCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|&letter| write!(f, "{}", letter as char))
    }
}

/// A person or bot within one heat; numbered as they come in, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(pub u32);

impl std::fmt::Display for PlayerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The number of a player's move within a heat: 1, 2, 3 …
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub u32);

impl Seq {
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl std::fmt::Display for Seq {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_round_trip(number in 0..RoomCode::COUNT) {
            let code = RoomCode::from_number(number);
            prop_assert_eq!(code.to_string().to_lowercase().parse(), Ok(code));
        }
    }
}
