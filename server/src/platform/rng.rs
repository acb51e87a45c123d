//! What must not be guessed: the one place that asks the machine for randomness.

use crate::platform::environment;
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::identity::Challenge;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::{Pin, PinHash};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::util::seed::Seed;
use rand::Rng;

/// Generates the secret of a heat: a salt, and a seed unless the host set one.
#[must_use]
pub fn secret(seed: Option<Seed>) -> (Secret, SeedOrigin) {
    let origin = if seed.is_some() { SeedOrigin::Host } else { SeedOrigin::Drawn };
    let secret = Secret { seed: seed.unwrap_or_else(self::seed), salt: Salt::from_bytes(bytes()) };
    (secret, origin)
}

/// Hashes a PIN with a fresh salt.
#[must_use]
pub fn pin_hash(pin: &Pin) -> PinHash {
    PinHash::new(pin, Salt::from_bytes(bytes()))
}

/// Draws a seed that nobody can guess.
#[must_use]
pub fn seed() -> Seed {
    Seed::from_entropy(bytes())
}

/// Draws a code for a heat.
#[must_use]
pub fn code() -> RoomCode {
    RoomCode::from_number(u32::from_le_bytes(bytes()) % RoomCode::COUNT)
}

/// Draws a token by which a seat is taken up again.
#[must_use]
pub fn token() -> ResumeToken {
    ResumeToken::from_bytes(bytes())
}

/// Draws what tells apart heats that are over and else alike.
#[must_use]
pub fn tag() -> u16 {
    u16::from_le_bytes(bytes())
}

/// Draws what a proof of a key is about.
#[must_use]
pub fn challenge() -> Challenge {
    Challenge::from_bytes(bytes())
}

/// Draws a number below 256, to spread what would else happen at once.
#[must_use]
pub fn spread() -> u8 {
    let [byte] = bytes();
    byte
}

/// Draws what a pong must hold.
#[must_use]
pub fn word() -> [u8; 4] {
    bytes()
}

#[expect(clippy::disallowed_methods, reason = "this file owns the entropy")]
fn bytes<const N: usize>() -> [u8; N] {
    if let Some(bytes) = environment::bytes() {
        return bytes;
    }
    let mut bytes = [0; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}
