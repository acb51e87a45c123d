//! The program's clock and randomness: the only place that reads them.

use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ClientInstant;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The program's monotonic clock, on the clock of the runtime's timers, from an arbitrary start.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Self { start: Self::instant() }
    }

    /// Returns the present instant on the clock of the runtime's timers.
    #[expect(clippy::disallowed_methods, reason = "this is the clock of the shell")]
    pub fn instant() -> Instant {
        Instant::now()
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

/// Returns the date in seconds since 1970; for records, not for races.
#[expect(clippy::disallowed_methods, reason = "this is the calendar of the shell")]
pub fn unix_seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    // A clock before 1970 is not set.
    since.map_or(0, |since| since.as_secs())
}

/// Waits until an instant; for ever without one.
pub async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// Returns a random seed.
#[expect(clippy::disallowed_methods, reason = "this is the entropy of the shell")]
pub fn random_seed() -> Seed {
    Seed::from_entropy(rand::random())
}

/// Returns a random number below `bound`, or 0 if that is 0; for pauses, not for boards.
#[expect(clippy::disallowed_methods, reason = "this is the entropy of the shell")]
pub fn random_below(bound: u64) -> u64 {
    rand::random::<u64>().checked_rem(bound).unwrap_or(0)
}
