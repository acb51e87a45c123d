//! The server's clock: the one place that reads the machine's.

use gridrace_shared::time::Micros;
use std::time::Duration;
use tokio::time::Instant;

/// A monotonic clock that counts from the server's start.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Starts the clock at 0.
    #[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the instant that it is.
    #[must_use]
    pub fn now(&self) -> Micros {
        Micros(u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// Returns an instant as the runtime's timers want it.
    #[must_use]
    pub fn timer(&self, at: Micros) -> Instant {
        self.0 + Duration::from_micros(at.0)
    }
}
