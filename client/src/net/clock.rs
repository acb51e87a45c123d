//! The program's clock and randomness: the only place that reads them.

use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;
use tokio::time::Instant;

/// The program's monotonic clock, on the clock of the runtime's timers, from an arbitrary start.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock of the shell")]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn now(&self) -> ClientInstant {
        ClientInstant(u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// Returns an instant of this clock on the clock of the runtime's timers.
    pub fn at(&self, instant: ClientInstant) -> Instant {
        self.start + Duration::from_micros(instant.0)
    }
}

/// Returns the present instant on the clock of the runtime's timers.
#[expect(clippy::disallowed_methods, reason = "this is the clock of the shell")]
pub fn instant() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

/// Returns ten random bytes: the entropy of a seed.
#[expect(clippy::disallowed_methods, reason = "this is the entropy of the shell")]
pub fn entropy() -> [u8; 10] {
    rand::random()
}

/// Returns a random number below `bound`, or 0 if that is 0; for pauses, not for boards.
pub fn random_below(bound: u64) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = entropy();
    u64::from_le_bytes([a, b, c, d, e, f, g, h]).checked_rem(bound).unwrap_or(0)
}
