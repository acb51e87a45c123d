//! A minimum interval between broadcasts.

use gridrace_shared::util::time::Millis;

/// Keeps broadcasts an interval apart; the first is sent at once.
#[derive(Debug, Clone)]
pub(super) struct Throttle {
    pub(super) every: Millis,
    pub(super) last: Option<Millis>,
}

impl Throttle {
    pub(super) const fn new(every: Millis) -> Self {
        Self { every, last: None }
    }

    /// Returns the earliest instant at which a change of `since` may be sent.
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
        let mut throttle = Throttle::new(Millis(100));
        assert_eq!(throttle.next(Millis(7)), Millis(7));
        throttle.sent(Millis(7));
        assert_eq!(throttle.next(Millis(50)), Millis(107));
        assert_eq!(throttle.next(Millis(500)), Millis(500));
    }
}
