//! A board that plays ahead of the server and reconciles with its answers.
//!
//! A move that is not answered yet is in flight. Acknowledgements are cumulative. A rejection or
//! a resync voids the moves behind it, which the server doesn't answer.

use crate::heat::ids::Seq;
use crate::protocol::snapshot::OwnSeat;
use crate::puzzle::{Board, Move, MoveCount};
use std::collections::VecDeque;

/// The most moves in flight: more than a person plays during the longest round trip.
pub const MAX_IN_FLIGHT: usize = 64;

/// The board as the player sees it, and as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimistic {
    confirmed: Board,
    acknowledged: Seq,
    confirmed_count: MoveCount,
    in_flight: VecDeque<(Seq, Move)>,
    shown: Board,
    shown_count: MoveCount,
}

impl Optimistic {
    /// Starts from the board of the heat, before any move.
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

    /// Returns the board with all moves played, the unanswered among them.
    pub const fn board(&self) -> &Board {
        &self.shown
    }

    /// Returns the number of moves played, the unanswered among them.
    pub const fn count(&self) -> MoveCount {
        self.shown_count
    }

    /// Returns the number of the last move played.
    pub fn last(&self) -> Seq {
        self.in_flight.back().map_or(self.acknowledged, |(seq, _)| *seq)
    }

    /// Returns the number of the last move that the server has answered.
    pub const fn acknowledged(&self) -> Seq {
        self.acknowledged
    }

    /// Says whether the server knows the board as it is shown.
    pub fn is_settled(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Says whether [`MAX_IN_FLIGHT`] moves are unanswered, so that none may be played.
    pub fn is_full(&self) -> bool {
        self.in_flight.len() >= MAX_IN_FLIGHT
    }

    /// Returns the unanswered moves, in order.
    pub fn unanswered(&self) -> impl Iterator<Item = (Seq, &Move)> {
        self.in_flight.iter().map(|(seq, play)| (*seq, play))
    }

    /// Plays a move at once and returns the number under which to send it. None for an illegal
    /// move, or if too many are in flight.
    #[must_use = "a move that isn't sent is never answered"]
    pub fn play(&mut self, play: Move) -> Option<Seq> {
        if self.is_full() {
            return None;
        }
        let seq = self.last().next();
        self.shown_count += self.shown.play(&play).ok()?;
        self.in_flight.push_back((seq, play));
        Some(seq)
    }

    /// Applies that the server played all moves up to this number.
    pub fn accepted(&mut self, seq: Seq, total: MoveCount) {
        if self.confirm(seq) {
            self.confirmed_count = total;
            self.show();
        }
    }

    /// Applies that the server didn't play a move: those behind it go with it.
    pub fn rejected(&mut self, seq: Seq) {
        let before = |(flying, _): &(Seq, Move)| *flying < seq;
        self.in_flight.truncate(self.in_flight.partition_point(before));
        self.show();
    }

    /// Takes over what the server knows. Moves in flight stay if they follow on from there.
    pub fn resync(&mut self, seat: &OwnSeat) {
        self.confirmed = seat.board.clone();
        self.confirmed_count = seat.moves;
        self.acknowledged = seat.seq;
        let played = |(flying, _): &(Seq, Move)| *flying <= seat.seq;
        self.in_flight.drain(..self.in_flight.partition_point(played));
        let next = self.in_flight.front().map(|(seq, _)| *seq);
        if next != Some(seat.seq.next()) {
            self.in_flight.clear();
        }
        self.show();
    }

    /// Plays the moves up to `seq` on the confirmed board; returns whether there were any.
    fn confirm(&mut self, seq: Seq) -> bool {
        let played = |(flying, _): &(Seq, Move)| *flying <= seq;
        let count = self.in_flight.partition_point(played);
        for (seq, play) in self.in_flight.drain(..count) {
            // It was legal when it was played on what the server has confirmed since.
            if let Ok(played) = self.confirmed.play(&play) {
                self.confirmed_count += played;
            }
            self.acknowledged = seq;
        }
        count > 0
    }

    /// Replays the moves in flight on the confirmed board.
    fn show(&mut self) {
        self.shown = self.confirmed.clone();
        self.shown_count = self.confirmed_count;
        let mut legal = 0;
        for (_, play) in &self.in_flight {
            let Ok(played) = self.shown.play(play) else {
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
