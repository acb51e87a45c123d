//! The server's clock, and the wall's: the one place that reads the machine's.

use crate::platform::environment;
use gridrace_shared::util::time::{Millis, ServerInstant};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// A monotonic clock that counts from the server's start, and stands still while a server
/// with a store is away.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    /// What it was at the start.
    before: ServerInstant,
}

impl Clock {
    /// Starts the clock at 0.
    #[must_use]
    pub fn start() -> Self {
        Self::go_on(ServerInstant(0))
    }

    /// Starts the clock where another one stood.
    #[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
    #[must_use]
    pub fn go_on(before: ServerInstant) -> Self {
        Self { started: Instant::now(), before }
    }

    /// Returns the instant that it is.
    #[must_use]
    pub fn now(&self) -> ServerInstant {
        let since = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        ServerInstant(self.before.0.saturating_add(since))
    }

    /// Returns an instant as the runtime's timers want it; one before the start is the start.
    #[must_use]
    pub fn timer(&self, at: ServerInstant) -> Instant {
        self.started + Duration::from_micros(at.0.saturating_sub(self.before.0))
    }
}

/// Returns the time since 1970 by the machine's calendar. It says when something was, and
/// never how long it took: it may be set.
#[expect(clippy::disallowed_methods, reason = "this file owns the clock")]
#[must_use]
pub fn wall() -> Millis {
    if let Some(at) = environment::wall() {
        return at;
    }
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Millis(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}
