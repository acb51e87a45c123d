//! Secrets and other random values: the one place that reads the machine's randomness.

use crate::platform::lock::lock;
use gridrace_shared::heat::commitment::{Salt, Secret, SeedOrigin};
use gridrace_shared::heat::identity::Challenge;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::util::seed::{PortableRng, Seed};
use rand::Rng as _;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The machine's randomness, or a simulation's stream.
#[derive(Clone, Default)]
pub(crate) struct Rng(Option<Arc<Mutex<PortableRng>>>);

impl Rng {
    /// Draws from a stream that a seed names.
    pub(super) fn simulated(seed: &Seed) -> Self {
        Self(Some(Arc::new(Mutex::new(seed.rng("a simulated machine", "")))))
    }

    /// Draws the secret of a heat: a salt, and a seed unless the host set one.
    pub(crate) fn secret(&self, seed: Option<Seed>) -> (Secret, SeedOrigin) {
        match seed {
            Some(seed) => self.secret_of(seed, SeedOrigin::Host),
            None => self.secret_of(self.seed(), SeedOrigin::Drawn),
        }
    }

    /// Draws the salt of a heat with this seed.
    pub(crate) fn secret_of(&self, seed: Seed, origin: SeedOrigin) -> (Secret, SeedOrigin) {
        (Secret { seed, salt: Salt::from_bytes(self.bytes()) }, origin)
    }

    pub(crate) fn seed(&self) -> Seed {
        Seed::from_entropy(self.bytes())
    }

    pub(crate) fn code(&self) -> RoomCode {
        RoomCode::from_number(u32::from_le_bytes(self.bytes()) % RoomCode::COUNT)
    }

    /// Draws a token by which a seat is resumed.
    pub(crate) fn token(&self) -> ResumeToken {
        ResumeToken::from_bytes(self.bytes())
    }

    pub(crate) fn challenge(&self) -> Challenge {
        Challenge::from_bytes(self.bytes())
    }

    /// Draws bytes: for challenges of a peer, for jitter, or to tell records apart.
    #[expect(clippy::disallowed_methods, reason = "this file owns the randomness")]
    pub(crate) fn bytes<const N: usize>(&self) -> [u8; N] {
        if let Some(stream) = &self.0 {
            let mut stream = lock(stream);
            return std::array::from_fn(|_| u8::try_from(stream.below(256)).unwrap_or_default());
        }
        let mut bytes = [0; N];
        rand::rng().fill_bytes(&mut bytes);
        bytes
    }
}

impl fmt::Debug for Rng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The state of a stream tells what it draws next.
        f.debug_tuple("Rng").finish_non_exhaustive()
    }
}
