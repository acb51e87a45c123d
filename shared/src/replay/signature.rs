//! Signatures of replays: which server vouches for a file.
//!
//! The signature is an Ed25519 signature (RFC 8032) of the line `gridrace-replay-1 DIGEST` (no line
//! end), where DIGEST is the SHA-256 in lower-case hexadecimal of all bytes of the file before the
//! section `sign`. That section is the last one, and holds the server's public key and the
//! signature.
//!
//! A server's fingerprint is that of its key, of the kind `server`.

use crate::heat::identity::{Fingerprint, Key, PublicKey, Signature};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::conversions::{HexError, hide_in_debug, to_hex};
use sha2::{Digest, Sha256};

/// The kind of key in a server's fingerprint.
const KIND: &str = "server";

/// The secret key by which a server signs replays, and nothing else. It is never printed.
#[derive(Clone)]
pub struct ServerKey(Key);

/// Who vouches for a replay, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureCheck {
    /// No server.
    Unsigned,
    /// The server with this fingerprint.
    Valid(Fingerprint),
    /// The file isn't what the server with this fingerprint signed.
    Invalid(Fingerprint),
}

/// The section `sign` of a file.
#[derive(Debug)]
pub(super) struct SignatureSection {
    key: PublicKey,
    signature: Signature,
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
    pub(super) fn sign(&self, covered: &[u8]) -> Vec<u8> {
        let signature = self.0.sign(&statement(covered));
        [self.0.public().bytes().as_slice(), signature.bytes()].concat()
    }
}

impl std::str::FromStr for ServerKey {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        text.parse().map(Self)
    }
}

impl SignatureSection {
    pub(super) fn read(mut source: ByteReader<'_>) -> Result<Self, ReadError> {
        let key = PublicKey::from_bytes(source.array("the server's key")?);
        let signature = Signature::from_bytes(source.array("the signature")?);
        source.end()?;
        Ok(Self { key, signature })
    }

    /// Checks the signature of the bytes before the section.
    pub(super) fn check(&self, covered: &[u8]) -> SignatureCheck {
        let server = self.key.fingerprint_as(KIND);
        match self.key.check(&statement(covered), &self.signature) {
            Ok(()) => SignatureCheck::Valid(server),
            Err(_) => SignatureCheck::Invalid(server),
        }
    }
}

fn statement(covered: &[u8]) -> String {
    let digest: [u8; 32] = Sha256::digest(covered).into();
    format!("gridrace-replay-1 {}", to_hex(&digest))
}

hide_in_debug!(ServerKey);
