//! Hints, and the guide that a solver makes for a board.

use crate::puzzle::{Board, Move};
use crate::slide;
use serde::{Deserialize, Serialize};

/// A solver's advice on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The move to play next.
    pub play: Move,
    /// How many single-tile moves the solver would need from here, this one included.
    pub remaining: u32,
}

/// A bound on a solver's work, in nodes: the same answer on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Budget(pub u64);

/// The work that one hint may cost. The constructive solver needs fewer nodes than moves,
/// of which the largest board of a heat takes below 20,000.
pub const HINT_BUDGET: Budget = Budget(200_000);

/// Why a solver has no advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unsolved {
    /// No sequence of moves solves the board.
    #[error("the board can't be solved")]
    Unsolvable,
    /// The budget was spent first.
    #[error("the budget was spent before a solution was found")]
    OverBudget,
}

/// A stretch of a solver's plan: the moves from a board to the next point from which a
/// fresh plan can't undo what this one has done.
///
/// Whoever follows a guide to its end before asking for the next one gets to a solved
/// board; following only the first move of each new plan might run in circles, for a
/// plan takes finished tiles away for a while.
///
/// ```
/// use gridrace_shared::hint::{Guide, HINT_BUDGET};
/// use gridrace_shared::puzzle::PuzzleSpec;
/// let spec: PuzzleSpec = "slide:4x4".parse()?;
/// let mut board = spec.board(&"friday".parse()?);
/// while !board.is_solved() {
///     let mut guide = Guide::plan(&board, 0, HINT_BUDGET)?;
///     while let Some(hint) = guide.next(&board) {
///         board.play(hint.play)?;
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guide {
    /// For the sliding puzzle.
    Slide(slide::Guide),
}

impl Guide {
    /// Plans from a board. A `sight` above 0 looks that many moves deep for shorter ways
    /// than the plan's.
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within the budget.
    pub fn plan(board: &Board, sight: u8, budget: Budget) -> Result<Self, Unsolved> {
        match board {
            Board::Slide(board) => slide::Guide::plan(board, sight, budget).map(Self::Slide),
        }
    }

    /// Returns the hint for a board that lies on the guide's way, wherever on it; nothing
    /// for any other board, nor at the end of the way.
    #[must_use]
    pub fn next(&mut self, board: &Board) -> Option<Hint> {
        match (self, board) {
            (Self::Slide(guide), Board::Slide(board)) => guide.next(board),
        }
    }
}
