//! The secret by which a client resumes its seat.

use crate::util::conversions::{convert_as_hex, hide_in_debug};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The 256 random bits with which a member resumes; 64 hexadecimal digits as text. It is
/// good once, and never printed.
///
/// ```
/// use gridrace_shared::heat::resume_token::ResumeToken;
/// let token = ResumeToken::from_bytes([7; 32]);
/// assert!(token.hash().is_same(&ResumeToken::from_bytes([7; 32]).hash()));
/// assert_eq!(format!("{token:?}"), "ResumeToken(..)");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResumeToken([u8; 32]);

/// The SHA-256 of a token: all that the server stores of it. The token has 256 random bits, so nothing
/// slower is needed to keep it from being guessed.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeTokenHash([u8; 32]);

impl ResumeToken {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn hash(&self) -> ResumeTokenHash {
        ResumeTokenHash(Sha256::digest(self.0).into())
    }
}

impl ResumeTokenHash {
    /// Says whether both are of one token, in a time that doesn't tell where they differ.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

convert_as_hex!(ResumeToken);

hide_in_debug!(ResumeToken, ResumeTokenHash);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_64_hexadecimal_digits_as_text() {
        let text = "0f".repeat(32);
        let token = ResumeToken::try_from(text.clone()).unwrap();
        assert_eq!(token, ResumeToken::from_bytes([0x0f; 32]));
        assert_eq!(String::from(token), text);
        assert!(ResumeToken::try_from("0f".repeat(31)).is_err());
    }

    #[test]
    fn the_hash_is_what_sha256sum_prints() {
        // printf '\7%.0s' {1..32} | sha256sum
        let ResumeTokenHash(hash) = ResumeToken::from_bytes([7; 32]).hash();
        assert_eq!(
            hex::encode(hash),
            "4bb06f8e4e3a7715d201d573d0aa423762e55dabd61a2c02278fa56cc6d294e0"
        );
    }

    #[test]
    fn neither_token_nor_hash_is_ever_printed() {
        let token = ResumeToken::from_bytes([0xab; 32]);
        let shown = format!("{token:?} {:?}", token.hash());
        assert_eq!(shown, "ResumeToken(..) ResumeTokenHash(..)");
    }
}
