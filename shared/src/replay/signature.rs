//! Signatures of files: which server vouches for one.
//!
//! The signature is an Ed25519 signature (RFC 8032) of the line `PURPOSE DIGEST` (no line end), where
//! PURPOSE is `gridrace-replay-1` for a replay, and DIGEST is the SHA-256 in lower-case hexadecimal of all bytes of the file before the
//! section `sign`. That section is the last one, and holds the server's public key and the
//! signature.
//!
//! A server's fingerprint is that of its key, of the kind `server`.

use crate::heat::identity::{Fingerprint, Key, PublicKey, Signature};
use crate::util::byte_codec::ReadError;
use crate::util::conversions::{HexError, hide_in_debug, to_hex};
use crate::util::section_file::SignedBytes;
use sha2::{Digest, Sha256};

/// The kind of key in a server's fingerprint.
const KIND: &str = "server";

/// What a signature of a replay is for.
pub(super) const REPLAY: &str = "gridrace-replay-1";

/// The secret key by which a server signs replays and records of tournaments, and nothing else. It
/// is never printed.
#[derive(Clone)]
pub struct ServerKey(Key);

/// The result of checking a file's signature, which covers every byte before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureCheck {
    /// The file has no signature.
    Unsigned,
    /// The server with this fingerprint.
    Valid(Fingerprint),
    /// The file isn't what the server with this fingerprint signed.
    Invalid(Fingerprint),
}

impl ServerKey {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Key::from_bytes(bytes))
    }

    /// Writes the key as 64 hexadecimal digits, to be kept in the server's file.
    pub fn to_text(&self) -> String {
        self.0.to_text()
    }

    pub fn fingerprint(&self) -> Fingerprint {
        self.0.public().fingerprint_as(KIND)
    }

    /// Returns the content of the section `sign` that follows these bytes.
    pub(crate) fn sign(&self, purpose: &str, covered: &[u8]) -> Vec<u8> {
        let signature = self.0.sign(&statement(purpose, covered));
        [self.0.public().bytes().as_slice(), signature.bytes()].concat()
    }
}

impl std::str::FromStr for ServerKey {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        text.parse().map(Self)
    }
}

impl SignatureCheck {
    /// Checks the signature of a file, if it has one.
    pub(crate) fn of(purpose: &str, signed: Option<SignedBytes<'_>>) -> Result<Self, ReadError> {
        let Some((mut section, covered)) = signed else { return Ok(Self::Unsigned) };
        let key = PublicKey::from_bytes(section.array("the server's key")?);
        let signature = Signature::from_bytes(section.array("the signature")?);
        section.end()?;
        let server = key.fingerprint_as(KIND);
        Ok(match key.check(&statement(purpose, covered), &signature) {
            Ok(()) => Self::Valid(server),
            Err(_) => Self::Invalid(server),
        })
    }
}

fn statement(purpose: &str, covered: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(covered).into();
    format!("{purpose} {}", to_hex(&digest))
}

hide_in_debug!(ServerKey);
