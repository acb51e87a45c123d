//! What only a player in a race needs to know.

use crate::model::{Hand, Optimistic};
use gridrace_shared::protocol::heat::{GivenHint, OwnSeat};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::standings::State;
use gridrace_shared::time::Millis;

/// A player's own race.
#[derive(Debug, Clone)]
pub struct Racing {
    /// The instant of GO, on the heat's clock.
    pub go: Millis,
    /// When those who still race are out, on the heat's clock.
    pub ends: Millis,
    /// The board from which everybody started.
    pub start: Board,
    /// The board, ahead of the server.
    pub play: Optimistic,
    /// What the player's hand does between two moves.
    pub hand: Hand,
    /// When the last move was played that solved the board, on the heat's clock.
    pub solved_at: Option<Millis>,
    /// Whether the player gave up, or is out.
    pub out: bool,
    /// The hints.
    pub hints: HintState,
}

/// Hints taken and to come.
#[derive(Debug, Clone, Default)]
pub struct HintState {
    /// Whether one is on its way.
    pub pending: bool,
    /// The latest.
    pub latest: Option<GivenHint>,
    /// How many were taken.
    pub taken: u16,
    /// What they add to the finish time.
    pub penalty: Millis,
}

impl Racing {
    /// Starts a race.
    #[must_use]
    pub fn new(go: Millis, ends: Millis, start: Board) -> Self {
        Self {
            go,
            ends,
            play: Optimistic::new(start.clone()),
            hand: Hand::new(&start),
            start,
            solved_at: None,
            out: false,
            hints: HintState::default(),
        }
    }

    /// Takes in how far the player is, as the server says. What is unanswered stays on its
    /// way where it follows on from there.
    pub fn resync(&mut self, seat: OwnSeat) {
        self.play.resync(&seat);
        self.hand.follow(self.play.board());
        self.solved_at = match seat.state {
            State::Finished { time } => Some(self.go + time.since(seat.penalty)),
            State::Racing | State::Dnf => None,
        };
        self.out = seat.state == State::Dnf;
        self.hints = HintState {
            pending: seat.hint_pending,
            latest: seat.hint,
            taken: seat.hints,
            penalty: seat.penalty,
        };
    }

    /// Says whether the player may still move.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.out && !self.play.board().is_solved()
    }

    /// Returns the hint, as long as the board is the one that it is about.
    #[must_use]
    pub fn hint(&self) -> Option<&GivenHint> {
        self.hints
            .latest
            .as_ref()
            .filter(|given| given.after == self.play.last())
    }

    /// Returns the move that the hint advises.
    #[must_use]
    pub fn hinted(&self) -> Option<Move> {
        let given = self.hint()?;
        given.hint.play(self.play.board())
    }
}
