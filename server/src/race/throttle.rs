//! How often something is sent to many.

use gridrace_shared::util::time::Millis;

/// Holds news back so that two sendings lie a span apart at least; the first goes at once.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    pub(super) every: Millis,
    pub(super) last: Option<Millis>,
}

impl Pace {
    pub(super) const fn new(every: Millis) -> Self {
        Self { every, last: None }
    }

    /// Returns the earliest instant at which news of `since` may be sent.
    pub(super) fn next(&self, since: Millis) -> Millis {
        self.last.map_or(since, |last| since.max(last + self.every))
    }

    pub(super) const fn sent(&mut self, now: Millis) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_goes_at_once_and_the_next_waits() {
        let mut pace = Pace::new(Millis(100));
        assert_eq!(pace.next(Millis(7)), Millis(7));
        pace.sent(Millis(7));
        assert_eq!(pace.next(Millis(50)), Millis(107));
        assert_eq!(pace.next(Millis(500)), Millis(500));
    }
}
