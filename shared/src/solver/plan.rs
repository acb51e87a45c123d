//! Plans: the moves from a board to the solved one.

use crate::puzzle::numberlink::deduce;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::{Board, numberlink, slide};
use crate::solver::budget::{Aim, Budget, Unsolved};
use crate::solver::hint::Hint;
use crate::solver::knowledge::SolutionKnowledge;
use serde::{Deserialize, Serialize};

/// What the solvers have at hand, for every family that needs something: a snapshot that
/// is cheap to take.
#[derive(Debug, Clone, Default)]
pub struct SolverResources {
    /// The tables of the sliding puzzle.
    pub slide: Tables,
}

/// A solver's plan: the moves from a board to the solved one.
///
/// Whoever follows a guide to its end gets home, and whoever leaves it needs another one.
/// Following only the first move of each new plan might run in circles, for a plan that
/// isn't the shortest may begin with what the last one has just done.
///
/// ```
/// use gridrace_shared::solver::budget::Aim;
/// use gridrace_shared::solver::plan::{Plan, SolverResources};
/// use gridrace_shared::solver::hint::HINT_BUDGET;
/// use gridrace_shared::puzzle::PuzzleSpec;
/// let spec: PuzzleSpec = "slide:4x4".parse()?;
/// let mut board = spec.board(&"friday".parse()?);
/// let mut guide = Plan::plan(&board, Aim::Short, HINT_BUDGET, &SolverResources::none())?;
/// while let Some(play) = guide.next(&board).and_then(|hint| hint.play(&board)) {
///     board.play(&play)?;
/// }
/// assert!(board.is_solved());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plan {
    /// For the sliding puzzle.
    Slide(slide::SlidePlan),
    /// For Numberlink.
    Link(numberlink::LinkPlan),
}

impl SolverResources {
    /// Nothing at hand: every solver does without.
    #[must_use]
    pub const fn none() -> Self {
        Self::with_tables(Tables::none())
    }

    /// Takes the tables that stand.
    #[must_use]
    pub const fn with_tables(tables: Tables) -> Self {
        Self { slide: tables }
    }
}

impl Plan {
    /// Plans from a board of which nothing is known.
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within the budget.
    pub fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        solvers: &SolverResources,
    ) -> Result<Self, Unsolved> {
        match board {
            Board::Slide(board) => {
                slide::SlidePlan::plan(board, aim, budget, &solvers.slide).map(Self::Slide)
            }
            Board::Link(drawing) => {
                let known = deduce::KnownSolution::Nothing;
                numberlink::LinkPlan::plan(drawing, &known, budget).map(Self::Link)
            }
        }
    }

    /// Returns the hint for a board that lies on the guide's way, not too far ahead of the
    /// one for which it gave the last; nothing for any other board, nor for a solved one.
    #[must_use]
    pub fn next(&mut self, board: &Board) -> Option<Hint> {
        match (self, board) {
            (Self::Slide(guide), Board::Slide(board)) => guide.next(board).map(Hint::Slide),
            (Self::Link(guide), Board::Link(drawing)) => guide.next(drawing).map(Hint::Link),
            (Self::Slide(_), Board::Link(_)) | (Self::Link(_), Board::Slide(_)) => None,
        }
    }

    /// Returns how many moves are left from a board for which [`Plan::next`] has a hint, or
    /// from the guide's end, where a family counts them.
    #[must_use]
    pub fn remaining(&self, board: &Board) -> Option<u32> {
        match (self, board) {
            (Self::Slide(guide), Board::Slide(board)) => guide.remaining(board),
            (Self::Slide(_), Board::Link(_)) | (Self::Link(_), _) => None,
        }
    }

    /// Returns what is known of the puzzle by now: whoever plans again begins with it.
    #[must_use]
    pub fn known(&self) -> SolutionKnowledge {
        match self {
            Self::Slide(_) => SolutionKnowledge::Slide,
            Self::Link(guide) => SolutionKnowledge::Link(guide.known()),
        }
    }

    /// Says whether no way home is shorter than what is left of this one.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        match self {
            Self::Slide(guide) => guide.is_shortest(),
            Self::Link(_) => true,
        }
    }
}
