//! What only a player in a race needs to know.

use crate::model::{Hand, Optimistic};
use gridrace_shared::hint::Hint;
use gridrace_shared::name::Seq;
use gridrace_shared::puzzle::{Board, Move};
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
    pub latest: Option<Given>,
    /// How many were taken.
    pub taken: u16,
    /// What they add to the finish time.
    pub penalty: Millis,
}

/// A hint that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The number of moves after which it holds.
    pub after: Seq,
    /// The advice.
    pub hint: Hint,
    /// How many moves further from home the last move has led, below 0 where nearer.
    pub further: Option<i32>,
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

    /// Says whether the player may still move.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.out && !self.play.board().is_solved()
    }

    /// Returns the hint, as long as the board is the one that it is about.
    #[must_use]
    pub fn hint(&self) -> Option<&Given> {
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
