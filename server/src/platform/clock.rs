//! The server's monotonic clock, and the machine's calendar.

use gridrace_shared::util::time::{ServerInstant, UnixMillis};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// A monotonic clock that counts from the server's first start: a server with a store continues
/// from where the clock stopped.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    before: ServerInstant,
}

impl Clock {
    pub fn start() -> Self {
        Self::resume(ServerInstant(0))
    }

    /// Starts the clock at an earlier clock's last reading.
    #[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
    pub fn resume(before: ServerInstant) -> Self {
        Self { started: Instant::now(), before }
    }

    pub fn now(&self) -> ServerInstant {
        self.before + self.started.elapsed()
    }

    /// Converts an instant for the runtime's timers; one before the start is the start.
    pub fn timer(&self, at: ServerInstant) -> Instant {
        self.started + at.since(self.before)
    }
}

/// Returns the time since 1970 by the machine's calendar, which may be set: it tells when
/// something was, not how long it took.
#[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
pub(super) fn system_time() -> UnixMillis {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
