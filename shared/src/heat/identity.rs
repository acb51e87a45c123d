//! Identities across heats: an Ed25519 key instead of an account.
//!
//! A client that has a key proves it on each connection: the server's welcome brings a
//! challenge, and the proof is an Ed25519 signature (RFC 8032) of the line
//! `gridrace-identity-1 CHALLENGE HOST KIND` (no line end; the challenge in lower-case
//! hexadecimal, the host with its port as the client dialled it, `person` or `bot`). The host
//! is in it so that no server can pass a proof on to another.
//!
//! The server keeps the fingerprint: the first 16 bytes of the SHA-256 of the line
//! `gridrace-key-1 KEY KIND`. So the bot of a key is another than its person.

use crate::util::conversions::{
    HexError, convert_as_hex, convert_as_text, from_hex, hide_in_debug, to_hex,
};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The secret half of a key. It is never printed.
#[derive(Clone)]
pub struct Key(SigningKey);

/// The 256 random bits that a proof is about, so that none is good twice; 64 hexadecimal
/// digits as text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Challenge([u8; 32]);

/// The public half of a key; 64 hexadecimal digits as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

/// A signature; 128 hexadecimal digits as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Signature([u8; 64]);

/// Identifies a player, or a bot, across heats; 32 hexadecimal digits as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 16]);

/// Proves that the sender has a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub key: PublicKey,
    pub bot: bool,
    pub signature: Signature,
}

/// The proof does not hold for this connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the proof of the key does not hold here")]
pub struct Unproven;

impl Key {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&bytes))
    }

    /// Writes the key as 64 hexadecimal digits, to be kept in its owner's file.
    pub fn to_text(&self) -> String {
        to_hex(&self.0.to_bytes())
    }

    /// Returns the key of the bot of this number that the owner of this key sends; it tells nothing
    /// of this key.
    pub fn of_bot(&self, number: u32) -> Self {
        let mut hash = Sha256::new_with_prefix("gridrace-bot-key-1 ");
        hash.update(self.0.to_bytes());
        hash.update(number.to_be_bytes());
        Self::from_bytes(hash.finalize().into())
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Proves the key to the server at `host`, which sent this challenge.
    ///
    /// ```
    /// use gridrace_shared::heat::identity::{Challenge, Key};
    /// let key = Key::from_bytes([7; 32]);
    /// let challenge = Challenge::from_bytes([1; 32]);
    /// let proof = key.prove(challenge, "race.example:7415", false);
    /// let fingerprint = proof.check(challenge, "race.example:7415")?;
    /// assert_eq!(fingerprint, key.public().fingerprint(false));
    /// assert!(proof.check(challenge, "other.example:7415").is_err());
    /// # Ok::<(), gridrace_shared::heat::identity::Unproven>(())
    /// ```
    pub fn prove(&self, challenge: Challenge, host: &str, bot: bool) -> Proof {
        let signature = self.sign(&statement(challenge, host, bot));
        Proof { key: self.public(), bot, signature }
    }

    /// Signs a line, which begins with what it is for.
    pub(crate) fn sign(&self, line: &str) -> Signature {
        Signature(self.0.sign(line.as_bytes()).to_bytes())
    }
}

impl std::str::FromStr for Key {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        from_hex(text).map(Self::from_bytes)
    }
}

impl Proof {
    /// Checks the proof against the challenge that was sent and the host that was dialled,
    /// and returns whose it is.
    pub fn check(&self, challenge: Challenge, host: &str) -> Result<Fingerprint, Unproven> {
        self.key.check(&statement(challenge, host, self.bot), &self.signature)?;
        Ok(self.key.fingerprint(self.bot))
    }
}

impl PublicKey {
    /// Returns what servers know the key's person, or bot, by.
    pub fn fingerprint(&self, bot: bool) -> Fingerprint {
        self.fingerprint_as(kind(bot))
    }

    /// Returns the fingerprint of a key that is used as this kind.
    pub(crate) fn fingerprint_as(&self, kind: &str) -> Fingerprint {
        let line = format!("gridrace-key-1 {} {kind}", to_hex(&self.0));
        let digest: [u8; 32] = Sha256::digest(line).into();
        let (bytes, _) = digest.split_at(16);
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(bytes);
        Fingerprint(fingerprint)
    }

    /// Checks a signature of a line.
    pub(crate) fn check(&self, line: &str, signature: &Signature) -> Result<(), Unproven> {
        let key = VerifyingKey::from_bytes(&self.0).map_err(|_| Unproven)?;
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        // Strict: no key and no signature that others could make stand for several.
        key.verify_strict(line.as_bytes(), &signature).map_err(|_| Unproven)
    }

    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Signature {
    pub(crate) const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl Challenge {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

fn statement(challenge: Challenge, host: &str, bot: bool) -> String {
    let host = host.to_ascii_lowercase();
    let (challenge, kind) = (to_hex(&challenge.0), kind(bot));
    format!("gridrace-identity-1 {challenge} {host} {kind}")
}

const fn kind(bot: bool) -> &'static str {
    if bot { "bot" } else { "person" }
}

hide_in_debug!(Key);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl std::str::FromStr for Fingerprint {
    type Err = HexError;

    fn from_str(text: &str) -> Result<Self, HexError> {
        from_hex(text).map(Self)
    }
}

convert_as_hex!(Challenge, PublicKey, Signature);
convert_as_text!(Fingerprint);

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "192.168.1.5:7415";

    fn key() -> Key {
        Key::from_bytes([7; 32])
    }

    #[test]
    fn a_proof_holds_for_its_challenge_host_and_kind_alone() {
        let challenge = Challenge::from_bytes([1; 32]);
        let proof = key().prove(challenge, HOST, true);
        assert_eq!(proof.check(challenge, HOST), Ok(key().public().fingerprint(true)));
        let other = Challenge::from_bytes([2; 32]);
        assert_eq!(proof.check(other, HOST), Err(Unproven));
        assert_eq!(proof.check(challenge, "192.168.1.6:7415"), Err(Unproven));
        let as_person = Proof { bot: false, ..proof.clone() };
        assert_eq!(as_person.check(challenge, HOST), Err(Unproven));
        let of_another = Proof { key: Key::from_bytes([8; 32]).public(), ..proof };
        assert_eq!(of_another.check(challenge, HOST), Err(Unproven));
    }

    #[test]
    fn a_key_of_small_order_proves_nothing() {
        // Zero is a point of order four: signatures of all zeros hold for it unless they are
        // looked at strictly.
        let proof = Proof { key: PublicKey([0; 32]), bot: false, signature: Signature([0; 64]) };
        let challenge = Challenge::from_bytes([1; 32]);
        assert_eq!(proof.check(challenge, HOST), Err(Unproven));
    }

    #[test]
    fn the_bot_of_a_key_is_another_than_its_person() {
        let key = key().public();
        assert_ne!(key.fingerprint(true), key.fingerprint(false));
    }

    /// RFC 8032, section 7.1, test 1: the secret key and its public half.
    #[test]
    fn the_public_half_is_what_the_standard_says() {
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = Key::from_bytes(from_hex(secret).unwrap());
        assert_eq!(
            String::from(key.public()),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        assert_eq!(format!("{key:?}"), "Key(..)");
    }
}
