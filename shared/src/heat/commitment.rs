//! The seed's secrecy: a commitment before the heat, the proof after it.
//!
//! The commitment is the SHA-256 of the line
//! `gridrace-commitment-1 slide:4x4#SEED SALT` (no line end; the salt in lower-case
//! hexadecimal), so that anyone can check it with `sha256sum`. The salt keeps a short
//! seed from being guessed from it.

use crate::puzzle::PuzzleSpec;
use crate::util::conversions::{convert_as_hex, to_hex};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The 128 random bits that blind a commitment; 32 hexadecimal digits as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Salt([u8; 16]);

/// A hash over puzzle, seed and salt; 64 hexadecimal digits as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Commitment([u8; 32]);

/// What a heat was drawn from: secret until it is over.
///
/// ```
/// use gridrace_shared::heat::commitment::{Salt, Secret};
/// let secret = Secret { seed: "friday".parse()?, salt: Salt::from_bytes([7; 16]) };
/// let spec = "slide:4x4".parse()?;
/// let commitment = secret.commitment(&spec);
/// assert!(secret.proves(&spec, commitment));
/// assert!(!secret.proves(&"slide:3x3".parse()?, commitment));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    pub seed: Seed,
    pub salt: Salt,
}

/// Where a heat's seed comes from. A host who sets it may know the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeedOrigin {
    /// Drawn by the server, and known to no player.
    Drawn,
    Host,
}

impl Secret {
    pub fn commitment(&self, spec: &PuzzleSpec) -> Commitment {
        let line = format!("gridrace-commitment-1 {spec}#{} {}", self.seed, self.salt);
        Commitment(Sha256::digest(line).into())
    }

    pub fn proves(&self, spec: &PuzzleSpec, commitment: Commitment) -> bool {
        self.commitment(spec) == commitment
    }
}

impl Salt {
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl Commitment {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

convert_as_hex!(Salt, Commitment);

impl std::fmt::Display for Commitment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&to_hex(&self.0))
    }
}

impl std::fmt::Display for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&to_hex(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::conversions::HexError;

    #[test]
    fn the_commitment_is_what_sha256sum_prints() {
        let secret = Secret { seed: "friday".parse().unwrap(), salt: Salt::from_bytes([0xab; 16]) };
        // printf 'gridrace-commitment-1 slide:4x4#friday abab…ab' | sha256sum
        assert_eq!(
            secret.commitment(&"slide:4x4".parse().unwrap()).to_string(),
            "49710764547e54c8e0053fcdf0f577788dc47bdc11d1fd2c9a4e3532ecef8fac"
        );
    }

    #[test]
    fn hexadecimal_digits_are_counted_and_checked() {
        assert!(Salt::try_from("00".repeat(16)).is_ok());
        for bad in ["", "0", "zz", &"00".repeat(17), &"é0".repeat(16), &"+1".repeat(16)] {
            assert_eq!(Salt::try_from(bad.to_string()), Err(HexError), "{bad}");
        }
    }
}
