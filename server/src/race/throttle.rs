//! A minimum interval between broadcasts.

use gridrace_shared::util::time::{HeatInstant, Millis};

/// Keeps broadcasts an interval apart; the first is sent at once.
#[derive(Debug, Clone)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_goes_at_once_and_the_next_waits() {
        let mut throttle = Throttle::new(Millis(100));
        assert_eq!(throttle.next(HeatInstant(7)), HeatInstant(7));
        throttle.sent(HeatInstant(7));
        assert_eq!(throttle.next(HeatInstant(50)), HeatInstant(107));
        assert_eq!(throttle.next(HeatInstant(500)), HeatInstant(500));
    }
}
