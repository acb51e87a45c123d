//! Solvers of the sliding puzzle.
//!
//! [`solve()`] is the one door: it picks a solver by the size of the board and by what is
//! asked for. [`AnytimeSearch`] goes on improving its answer while it is asked to.
//!
//! Behind it, [`constructive()`] solves every size at once, as a person does, and [`quick()`]
//! in fewer moves; [`optimal()`] finds a shortest solution with the pattern databases of
//! [`tables`]. [`Trace`] shows a solution as permutations, step by step.

mod anytime;
mod constructive;
mod custom_goal;
mod mtm;
mod near_optimal;
mod optimal;
mod pruning_automaton;
mod quick;
mod solution;
pub mod tables;
mod trace;

use crate::puzzle::slide::Board;
use crate::solver::budget::{Budget, Unsolved};
pub use anytime::{AnytimeSearch, Improvement};
pub use constructive::{StagedSolution, constructive};
pub use custom_goal::solve_to;
pub use mtm::shortest_mtm;
pub use optimal::{IdaStar, optimal};
pub use quick::quick;
pub use solution::Solution;
use tables::Tables;
pub use trace::{Trace, TraceError, TraceStep};

/// What is asked of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Any solution, at once: the quick solver's.
    Quick,
    /// As short as the budget allows, but any at all: the first answer is a quick one that
    /// is always finished. See [`AnytimeSearch::new`] for what it costs at most.
    Near,
    /// None shorter, or no answer.
    Optimal,
}

/// Solves a board. The same board, quality, budget and tables give the same answer on every
/// machine.
///
/// # Errors
/// [`Unsolved::Unsolvable`] for a board of the wrong class; [`Unsolved::OverBudget`] where
/// the budget is spent before there is an answer of that quality: never for
/// [`Quality::Near`].
pub fn solve(
    board: &Board,
    quality: Quality,
    budget: Budget,
    tables: &Tables,
) -> Result<Solution, Unsolved> {
    match quality {
        Quality::Quick => quick(board, budget),
        Quality::Near => {
            let mut search = AnytimeSearch::new(board, tables)?;
            let used = search.best().nodes();
            search.improve(Budget(budget.0.saturating_sub(used)));
            Ok(search.into_best())
        }
        Quality::Optimal => optimal(board, budget, tables),
    }
}

/// Returns a lower bound on the moves of every solution: each move brings one tile one cell.
pub(super) fn manhattan(board: &Board) -> u32 {
    let tiles = board.tiles().iter().zip(0..);
    let away = tiles.filter(|&(&tile, _)| tile != 0).map(|(&tile, cell)| {
        board.size().distance(crate::util::grid::Cell(cell), board.home(tile))
    });
    u32::try_from(away.sum::<usize>()).unwrap_or(u32::MAX)
}
