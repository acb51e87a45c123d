//! The moves' way to a server: in order, and never more of them than it lets in.

use gridrace_shared::heat::ids::Seq;
use gridrace_shared::util::time::ClientInstant;

/// Microseconds between moves that leave one after another: fifty a second. A server lets in
/// sixty messages, and there are pings and hints as well.
const PERIOD_MICROS: u64 = 20_000;
/// How many may leave at once: a quarter of what a server lets in at once.
const AT_ONCE: u64 = 30;
/// How many may be under way: what a network has held back comes all at once, and must be
/// within that, too.
pub const UNDER_WAY: u32 = 32;

/// Which moves have left for the server on this connection, and when the next may.
///
/// A bucket of moves, told by the instant at which it is full again (the generic cell rate
/// algorithm, ITU-T I.371).
#[derive(Debug, Clone, Default)]
pub struct Lane {
    /// The last one that has left.
    sent: Seq,
    /// When as many may leave at once as at first.
    full_at: ClientInstant,
    /// Until when the server has too much to do.
    held_until: ClientInstant,
}

impl Lane {
    /// Has everything leave again that comes after a move, under the same number.
    pub fn go_back_to(&mut self, seq: Seq) {
        self.sent = self.sent.min(seq);
    }

    /// Lets nothing leave until then.
    pub fn hold(&mut self, until: ClientInstant) {
        self.held_until = self.held_until.max(until);
    }

    /// Returns when the next move may leave, of those up to `last`, where the server has
    /// answered those up to `answered`. Nothing where all have left, or too many are under way.
    #[must_use]
    pub fn due(&self, answered: Seq, last: Seq) -> Option<ClientInstant> {
        let next = self.next(answered);
        let under_way = next.0.saturating_sub(answered.0);
        let open = self.full_at.0.saturating_sub(PERIOD_MICROS * (AT_ONCE - 1));
        (next <= last && under_way <= UNDER_WAY).then(|| self.held_until.max(ClientInstant(open)))
    }

    /// Lets the next move leave, if it may by now.
    #[must_use = "a move that has left is not asked for again"]
    pub fn leave(&mut self, now: ClientInstant, answered: Seq, last: Seq) -> Option<Seq> {
        self.due(answered, last).filter(|due| *due <= now)?;
        self.sent = self.next(answered);
        self.full_at = ClientInstant(self.full_at.max(now).0.saturating_add(PERIOD_MICROS));
        Some(self.sent)
    }

    fn next(&self, answered: Seq) -> Seq {
        self.sent.max(answered).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets leave what may, every hundredth of a second up to an instant, and has each answered
    /// at once; how many those were.
    fn leaves(lane: &mut Lane, from: u64, to: u64, answered: &mut Seq) -> usize {
        let mut left = 0;
        for now in (from..to).step_by(10_000) {
            while let Some(seq) = lane.leave(ClientInstant(now), *answered, Seq(10_000)) {
                assert_eq!(seq, answered.next());
                *answered = seq;
                left += 1;
            }
        }
        left
    }

    #[test]
    fn a_burst_is_followed_by_a_pace_below_the_server_s() {
        let (mut lane, mut answered) = (Lane::default(), Seq(0));
        assert_eq!(leaves(&mut lane, 0, 10_000, &mut answered), 30);
        assert_eq!(leaves(&mut lane, 10_000, 2_010_000, &mut answered), 100);
        // A rest makes room for the next burst, and for no larger one.
        assert_eq!(leaves(&mut lane, 60_000_000, 60_010_000, &mut answered), 30);
    }

    #[test]
    fn no_more_are_under_way_than_the_server_lets_in_at_once() {
        let mut lane = Lane::default();
        let last = Seq(200);
        let mut leave = |answered: u32| {
            let minute = ClientInstant(u64::from(answered + 1) * 60_000_000);
            std::iter::from_fn(|| lane.leave(minute, Seq(answered), last)).count()
        };
        assert_eq!(leave(0) + leave(0), 30);
        assert_eq!(lane.leave(ClientInstant(120_000_000), Seq(0), last), Some(Seq(31)));
        assert_eq!(lane.leave(ClientInstant(120_000_000), Seq(0), last), Some(Seq(32)));
        assert_eq!(lane.due(Seq(0), last), None);
        assert!(lane.due(Seq(1), last).is_some());
    }

    #[test]
    fn what_a_busy_server_refused_leaves_again_once_the_pause_is_over() {
        let mut lane = Lane::default();
        for seq in 1..=3 {
            assert_eq!(lane.leave(ClientInstant(0), Seq(0), Seq(3)), Some(Seq(seq)));
        }
        lane.go_back_to(Seq(1));
        lane.hold(ClientInstant(500_000));
        assert_eq!(lane.leave(ClientInstant(499_999), Seq(1), Seq(3)), None);
        assert_eq!(lane.leave(ClientInstant(500_000), Seq(1), Seq(3)), Some(Seq(2)));
        assert_eq!(lane.leave(ClientInstant(500_000), Seq(1), Seq(3)), Some(Seq(3)));
        assert_eq!(lane.due(Seq(1), Seq(3)), None);
    }
}
