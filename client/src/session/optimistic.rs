//! A board that plays ahead of the server and comes back to what the server says.
//!
//! What is sent and not answered yet is in flight. Acknowledgements are cumulative; a
//! rejection, or word of how far the player is, makes what is behind it void, and the server
//! has no further word about that.

use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::snapshot::OwnSeat;
use gridrace_shared::puzzle::{Board, Move, MoveCount};
use std::collections::VecDeque;

/// The most moves in flight: more than anybody plays while a message goes to the other
/// side of the world and back.
pub const MAX_IN_FLIGHT: usize = 64;

/// The board as the player sees it, and as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimistic {
    confirmed: Board,
    acknowledged: Seq,
    confirmed_count: MoveCount,
    in_flight: VecDeque<Flight>,
    shown: Board,
    shown_count: MoveCount,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Flight {
    seq: Seq,
    play: Move,
}

impl Optimistic {
    /// Starts from the board of the heat, before any move.
    #[must_use]
    pub fn new(start: Board) -> Self {
        Self {
            confirmed: start.clone(),
            acknowledged: Seq(0),
            confirmed_count: MoveCount::default(),
            in_flight: VecDeque::new(),
            shown: start,
            shown_count: MoveCount::default(),
        }
    }

    /// Returns the board with all moves played.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.shown
    }

    /// Returns the moves played, the unanswered among them.
    #[must_use]
    pub const fn count(&self) -> MoveCount {
        self.shown_count
    }

    /// Returns the number of the last move played.
    #[must_use]
    pub fn last(&self) -> Seq {
        self.in_flight.back().map_or(self.acknowledged, |flight| flight.seq)
    }

    /// Returns the number of the last move that the server has answered.
    #[must_use]
    pub const fn acknowledged(&self) -> Seq {
        self.acknowledged
    }

    /// Says whether the server knows the board as it is shown.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Says whether no more moves may be made before one is answered.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.in_flight.len() >= MAX_IN_FLIGHT
    }

    /// Returns the moves in flight, in order.
    pub fn unanswered(&self) -> impl Iterator<Item = (Seq, &Move)> {
        self.in_flight.iter().map(|flight| (flight.seq, &flight.play))
    }

    /// Plays a move at once and returns the number under which to send it; nothing for
    /// an illegal move, or when too many are in flight.
    #[must_use = "a move that isn't sent is never answered"]
    pub fn play(&mut self, play: Move) -> Option<Seq> {
        if self.is_full() {
            return None;
        }
        let seq = self.last().next();
        self.shown_count += self.shown.play(&play).ok()?;
        self.in_flight.push_back(Flight { seq, play });
        Some(seq)
    }

    /// Takes in that the server played all moves up to this number.
    pub fn accepted(&mut self, seq: Seq, total: MoveCount) {
        if self.confirm(seq) {
            self.confirmed_count = total;
            self.show();
        }
    }

    /// Takes in that the server didn't play a move: those behind it go with it.
    pub fn rejected(&mut self, seq: Seq) {
        let before = |flight: &Flight| flight.seq < seq;
        self.in_flight.truncate(self.in_flight.partition_point(before));
        self.show();
    }

    /// Takes in how far the player is. Moves in flight stay where they follow on from there.
    pub fn resync(&mut self, seat: &OwnSeat) {
        self.confirmed = seat.board.clone();
        self.confirmed_count = seat.moves;
        self.acknowledged = seat.seq;
        let played = |flight: &Flight| flight.seq <= seat.seq;
        self.in_flight.drain(..self.in_flight.partition_point(played));
        let next = self.in_flight.front().map(|flight| flight.seq);
        if next != Some(seat.seq.next()) {
            self.in_flight.clear();
        }
        self.show();
    }

    /// Plays the moves up to `seq` on the confirmed board; says whether that was news.
    fn confirm(&mut self, seq: Seq) -> bool {
        let played = |flight: &Flight| flight.seq <= seq;
        let count = self.in_flight.partition_point(played);
        for flight in self.in_flight.drain(..count) {
            // It was legal when it was played on what the server has confirmed since.
            if let Ok(played) = self.confirmed.play(&flight.play) {
                self.confirmed_count += played;
            }
            self.acknowledged = flight.seq;
        }
        count > 0
    }

    /// Plays what is in flight on the confirmed board again.
    fn show(&mut self) {
        self.shown = self.confirmed.clone();
        self.shown_count = self.confirmed_count;
        let mut legal = 0;
        for flight in &self.in_flight {
            let Ok(played) = self.shown.play(&flight.play) else {
                break;
            };
            self.shown_count += played;
            legal += 1;
        }
        self.in_flight.truncate(legal);
    }
}

#[cfg(test)]
mod tests;
