//! The machine's clock, read here and nowhere else.

use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the microseconds since the start.
    pub(crate) fn micros(self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Returns an instant some time after now, for a timer.
    pub(crate) fn after(self, pause: Duration) -> Instant {
        self.0 + self.0.elapsed() + pause
    }
}
