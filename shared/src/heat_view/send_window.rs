//! The pace at which moves leave for the server: in order, within its rate limit.

use crate::heat::ids::Seq;
use crate::util::time::ClientInstant;
use std::time::Duration;

/// Between moves that leave one after another: 50 a second. A server accepts 60 messages a
/// second, pings and hint requests included.
const PERIOD: Duration = Duration::from_millis(20);
/// How many may leave at once: a quarter of the burst that a server accepts.
const BURST: u32 = 30;
/// How many may be under way: after a network stall they arrive all at once, and must stay
/// within the server's burst as well.
pub const MAX_UNDER_WAY: u32 = 32;

/// Which moves have left for the server on this connection, and when the next may.
///
/// A token bucket, stored as the instant at which it is full again (the generic cell rate
/// algorithm, ITU-T I.371).
#[derive(Debug, Clone, Default)]
pub struct SendWindow {
    /// The last move that has left.
    sent: Seq,
    /// When the bucket is full again.
    full_at: ClientInstant,
    /// Until when the server is too busy.
    held_until: ClientInstant,
}

impl SendWindow {
    /// Marks the moves after `seq` as not sent.
    pub fn rewind(&mut self, seq: Seq) {
        self.sent = self.sent.min(seq);
    }

    /// Sends nothing before an instant.
    pub fn hold(&mut self, until: ClientInstant) {
        self.held_until = self.held_until.max(until);
    }

    /// Returns when the next move may leave, if `last` is the last one played and `answered` the
    /// last one answered. None if all have left, or too many are under way.
    pub fn due(&self, answered: Seq, last: Seq) -> Option<ClientInstant> {
        let next = self.next(answered);
        let under_way = next.0.saturating_sub(answered.0);
        let debt = u64::try_from((PERIOD * (BURST - 1)).as_micros()).unwrap_or(u64::MAX);
        let open = ClientInstant(self.full_at.0.saturating_sub(debt));
        (next <= last && under_way <= MAX_UNDER_WAY).then(|| self.held_until.max(open))
    }

    /// Returns the number of the next move and marks it as sent, if it may leave by now.
    #[must_use = "a move counts as sent once it is returned"]
    pub fn send(&mut self, now: ClientInstant, answered: Seq, last: Seq) -> Option<Seq> {
        self.due(answered, last).filter(|due| *due <= now)?;
        self.sent = self.next(answered);
        self.full_at = self.full_at.max(now) + PERIOD;
        Some(self.sent)
    }

    fn next(&self, answered: Seq) -> Seq {
        self.sent.max(answered).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends what may leave every 10 ms from `from` to `to` and answers each at once; returns how
    /// many left.
    fn sends(window: &mut SendWindow, from: u64, to: u64, answered: &mut Seq) -> usize {
        let mut left = 0;
        for now in (from..to).step_by(10_000) {
            while let Some(seq) = window.send(ClientInstant(now), *answered, Seq(10_000)) {
                assert_eq!(seq, answered.next());
                *answered = seq;
                left += 1;
            }
        }
        left
    }

    #[test]
    fn a_burst_is_followed_by_a_pace_below_the_server_s() {
        let (mut window, mut answered) = (SendWindow::default(), Seq(0));
        assert_eq!(sends(&mut window, 0, 10_000, &mut answered), 30);
        assert_eq!(sends(&mut window, 10_000, 2_010_000, &mut answered), 100);
        // A rest makes room for the next burst, and for no larger one.
        assert_eq!(sends(&mut window, 60_000_000, 60_010_000, &mut answered), 30);
    }

    #[test]
    fn no_more_are_under_way_than_fit_into_the_server_s_burst() {
        let mut window = SendWindow::default();
        let last = Seq(200);
        let mut send = |answered: u32| {
            let minute = ClientInstant(u64::from(answered + 1) * 60_000_000);
            std::iter::from_fn(|| window.send(minute, Seq(answered), last)).count()
        };
        assert_eq!(send(0) + send(0), 30);
        assert_eq!(window.send(ClientInstant(120_000_000), Seq(0), last), Some(Seq(31)));
        assert_eq!(window.send(ClientInstant(120_000_000), Seq(0), last), Some(Seq(32)));
        assert_eq!(window.due(Seq(0), last), None);
        assert!(window.due(Seq(1), last).is_some());
    }

    #[test]
    fn what_a_busy_server_refused_is_sent_again_after_the_pause() {
        let mut window = SendWindow::default();
        for seq in 1..=3 {
            assert_eq!(window.send(ClientInstant(0), Seq(0), Seq(3)), Some(Seq(seq)));
        }
        window.rewind(Seq(1));
        window.hold(ClientInstant(500_000));
        assert_eq!(window.send(ClientInstant(499_999), Seq(1), Seq(3)), None);
        assert_eq!(window.send(ClientInstant(500_000), Seq(1), Seq(3)), Some(Seq(2)));
        assert_eq!(window.send(ClientInstant(500_000), Seq(1), Seq(3)), Some(Seq(3)));
        assert_eq!(window.due(Seq(1), Seq(3)), None);
    }
}
