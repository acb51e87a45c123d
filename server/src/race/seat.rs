//! One player's race within a heat.

use gridrace_shared::hint::Guide;
use gridrace_shared::name::{PlayerId, Seq};
use gridrace_shared::options::HintRule;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::puzzle::{Board, Move, MoveCount, Tally};
use gridrace_shared::standings::{Ranked, Standing, State};
use gridrace_shared::time::Millis;
use serde::{Deserialize, Serialize};

/// A player's board and what has become of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seat {
    pub(super) board: Board,
    /// The board before the last move.
    pub(super) before: Option<Board>,
    /// The number of the last move that was played.
    pub(super) seq: Seq,
    pub(super) moves: MoveCount,
    pub(super) state: State,
    pub(super) hints: u16,
    pub(super) penalty: Millis,
    pub(super) advice: Advice,
    progress: u16,
    tally: Option<Tally>,
    order: u64,
}

/// What a player has of the solver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Advice {
    /// Nothing is asked; the last guide may still lead on.
    Idle(Option<Guide>),
    /// The solver is at work.
    Asked {
        /// How often it was asked for this hint.
        tries: u8,
    },
}

/// When and in which order a move came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    /// Since GO.
    pub(super) clock: Millis,
    /// The number of its event.
    pub(super) order: u64,
}

impl Seat {
    pub(super) fn new(start: Board, order: u64) -> Self {
        Self {
            tally: start.tally(),
            board: start,
            before: None,
            seq: Seq(0),
            moves: MoveCount { moves: 0, acts: 0 },
            state: State::Racing,
            hints: 0,
            penalty: Millis(0),
            advice: Advice::Idle(None),
            progress: 0,
            order,
        }
    }

    pub(super) fn is_racing(&self) -> bool {
        self.state == State::Racing
    }

    /// Plays a move if its number is the next one and the rules allow it.
    pub(super) fn play(
        &mut self,
        seq: Seq,
        play: &Move,
        start: &Board,
        stamp: Stamp,
    ) -> Result<(), Rejection> {
        // A move that was played stays played, whatever has become of the race since.
        if (Seq(1)..=self.seq).contains(&seq) {
            return Err(Rejection::Repeated);
        }
        if !self.is_racing() {
            return Err(Rejection::Late);
        }
        let expected = self.seq.next();
        if seq != expected {
            return Err(Rejection::OutOfOrder { expected });
        }
        let before = self.board.clone();
        let count = self.board.play(play)?;
        self.before = Some(before);
        self.seq = seq;
        self.moves += count;
        self.take_stock(start, stamp);
        Ok(())
    }

    /// Takes a hint into account.
    pub(super) fn charge(&mut self, rule: HintRule) {
        self.hints = self.hints.saturating_add(1);
        self.penalty = self.penalty + rule.price();
    }

    /// Ends the player's race if it isn't ended.
    pub(super) fn drop_out(&mut self) {
        if self.is_racing() {
            self.state = State::Dnf;
        }
    }

    /// Returns the player's line, its place still to be given.
    pub(super) const fn ranked(&self, player: PlayerId, connected: bool) -> Ranked {
        let standing = Standing {
            player,
            place: 0,
            state: self.state,
            progress: self.progress,
            tally: self.tally,
            moves: self.moves,
            hints: self.hints,
            penalty: self.penalty,
            connected,
        };
        Ranked {
            standing,
            order: self.order,
        }
    }

    fn take_stock(&mut self, start: &Board, stamp: Stamp) {
        if self.board.is_solved() {
            self.state = State::Finished {
                time: stamp.clock + self.penalty,
            };
        }
        self.tally = self.board.tally();
        let progress = self.board.progress(start);
        if progress != self.progress || !self.is_racing() {
            self.progress = progress;
            self.order = stamp.order;
        }
    }
}
