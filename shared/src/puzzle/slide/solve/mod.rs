//! Solvers of the sliding puzzle.
//!
//! [`solve()`] picks a solver by what is asked for. [`AnytimeSearch`] improves its solution as
//! long as it gets a budget.
//!
//! [`constructive()`] solves every size at once, [`quick()`] in fewer moves, and [`optimal()`]
//! finds a shortest solution with the pattern databases of [`tables`].

mod anytime;
mod constructive;
mod custom_goal;
mod enumeration;
mod mtm;
mod near_optimal;
mod optimal;
mod pruning_automaton;
mod quick;
mod shortest_search;
mod solution;
pub mod tables;

use crate::puzzle::slide::Board;
use crate::solver::budget::{Budget, Unsolved};
pub use anytime::{AnytimeSearch, Improvement};
pub use constructive::{ConstructiveStage, Line, StageMoves, constructive, constructive_by_stages};
pub use custom_goal::GoalTransform;
pub use enumeration::{Enumeration, Extent, NextSolution};
pub use mtm::{MtmSearch, shortest_mtm};
pub use optimal::{IdaStar, optimal};
pub use quick::quick;
pub use shortest_search::ShortestSearch;
pub use solution::Solution;
use tables::Tables;

/// The parts of the near-optimal solver that `examples/fit_weights` uses.
#[doc(hidden)]
pub mod weight_fitting {
    pub use super::near_optimal::{
        Beam, BeamStatus, BeamWidth, Geometry, PositionFeatures, WEIGHTS, list_features,
        position_weights, store_position_weights,
    };
}

/// The required quality of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quality {
    Quick,
    /// As short as the budget allows. The first solution is the quick solver's, regardless of the
    /// budget; [`AnytimeSearch::new`] bounds its cost.
    Near,
    /// A shortest solution, or none.
    Optimal,
}

/// Solves a board. The result depends on the arguments only, not on the machine.
///
/// # Errors
/// [`Unsolved::Unsolvable`] for an unsolvable board; [`Unsolved::OverBudget`] when the budget is
/// spent before there is a solution of that quality: never for [`Quality::Near`].
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
