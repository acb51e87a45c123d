//! The moves of one player that the server hasn't acknowledged.
//!
//! A move that the server is too busy for keeps its number, and the moves behind it are void with
//! it: all of them are sent again, in order.

use gridrace_shared::heat::ids::Seq;
use gridrace_shared::puzzle::Move;
use std::collections::VecDeque;

/// Moves in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    moves: VecDeque<Sent>,
    /// How many of them are in flight; the others are to be sent again.
    in_flight: usize,
}

#[derive(Debug)]
struct Sent {
    seq: Seq,
    play: Move,
    /// When it was first sent, and when last, in microseconds.
    first: u64,
    last: u64,
}

/// How long an acknowledged move took, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Took {
    /// Since it was sent last.
    pub(crate) last: u64,
    /// Since it was sent first.
    pub(crate) first: u64,
}

impl Pending {
    /// Adds a new move, which is sent now. All before it must be in flight.
    pub(crate) fn send(&mut self, seq: Seq, play: Move, now: u64) {
        let (first, last) = (now, now);
        self.moves.push_back(Sent { seq, play, first, last });
        self.in_flight = self.moves.len();
    }

    /// Returns the next move to send again, and counts it as sent now.
    pub(crate) fn send_again(&mut self, now: u64) -> Option<(Seq, Move)> {
        let sent = self.moves.get_mut(self.in_flight)?;
        self.in_flight += 1;
        sent.last = now;
        Some((sent.seq, sent.play.clone()))
    }

    /// Applies that a move was refused, and all behind it.
    pub(crate) fn refuse(&mut self, seq: Seq) {
        if self.moves.front().is_none_or(|sent| seq < sent.seq) {
            // A repeat of it was played.
            return;
        }
        let before = self.moves.iter().take_while(|sent| sent.seq < seq).count();
        self.in_flight = self.in_flight.min(before);
    }

    /// Applies that a move and all before it were played, and returns how long each took.
    pub(crate) fn acknowledge(&mut self, seq: Seq, now: u64) -> Vec<Took> {
        let played = self.moves.iter().take_while(|sent| sent.seq <= seq).count();
        self.in_flight = self.in_flight.saturating_sub(played);
        let took = |sent: Sent| Took {
            last: now.saturating_sub(sent.last),
            first: now.saturating_sub(sent.first),
        };
        self.moves.drain(..played).map(took).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Says whether some are to be sent again.
    pub(crate) fn is_held_up(&self) -> bool {
        self.in_flight < self.moves.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::grid::Cell;

    fn with(moves: u32) -> Pending {
        let mut pending = Pending::default();
        for n in 1..=moves {
            pending.send(Seq(n), Move::Slide(Cell(0)), u64::from(n));
        }
        pending
    }

    fn again(pending: &mut Pending, now: u64) -> Vec<u32> {
        std::iter::from_fn(|| pending.send_again(now)).map(|(seq, _)| seq.0).collect()
    }

    #[test]
    fn a_refused_move_is_sent_again_with_all_behind_it() {
        let mut pending = with(5);
        assert!(!pending.is_held_up());
        pending.refuse(Seq(3));
        pending.refuse(Seq(4));
        pending.refuse(Seq(5));
        assert_eq!(again(&mut pending, 10), [3, 4, 5]);
        assert!(!pending.is_held_up());
    }

    #[test]
    fn an_acknowledgement_counts_from_the_attempt_that_was_accepted_and_from_the_first() {
        let mut pending = with(3);
        pending.refuse(Seq(2));
        let took = |last, first| Took { last, first };
        assert_eq!(pending.acknowledge(Seq(1), 5), [took(4, 4)]);
        assert_eq!(again(&mut pending, 10), [2, 3]);
        assert_eq!(pending.acknowledge(Seq(3), 12), [took(2, 10), took(2, 9)]);
        assert_eq!(pending.len(), 0);
    }

    #[test]
    fn what_was_acknowledged_before_its_refusal_came_is_not_sent_again() {
        let mut pending = with(3);
        pending.acknowledge(Seq(2), 5);
        pending.refuse(Seq(1));
        assert!(!pending.is_held_up());
    }
}
