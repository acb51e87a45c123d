//! A minimum interval between broadcasts.

use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};

/// Keeps broadcasts an interval apart; the first is sent at once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Throttle {
    pub(super) every: Millis,
    pub(super) last: Option<HeatInstant>,
}

impl Throttle {
    pub(super) const fn new(every: Millis) -> Self {
        Self { every, last: None }
    }

    /// Returns the earliest instant at which a change of `since` may be sent.
    pub(super) fn next(&self, since: HeatInstant) -> HeatInstant {
        self.last.map_or(since, |last| since.max(last + self.every))
    }

    pub(super) const fn sent(&mut self, now: HeatInstant) {
        self.last = Some(now);
    }
}
