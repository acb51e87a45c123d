//! The searches for a shortest solution, by the metric.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::mtm::MtmSearch;
use crate::puzzle::slide::solve::optimal::{IdaStar, IterationStatus};
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::Budget;
use crate::util::grid::Direction;

/// A resumable search for a solution with the fewest moves of its metric.
#[derive(Debug, Clone)]
pub enum ShortestSearch {
    SingleTile(IdaStar),
    MultiTile(MtmSearch),
}

impl ShortestSearch {
    /// Continues until there is a shortest solution or the budget is spent.
    pub fn search(&mut self, budget: Budget) -> Option<Solution> {
        match self {
            Self::SingleTile(search) => search.search(budget),
            Self::MultiTile(search) => search.search(budget),
        }
    }

    /// Returns the proven lower bound on the moves of a solution.
    pub const fn at_least(&self) -> u32 {
        match self {
            Self::SingleTile(search) => search.at_least(),
            Self::MultiTile(search) => search.at_least(),
        }
    }

    /// Returns the nodes so far.
    pub const fn nodes(&self) -> u64 {
        match self {
            Self::SingleTile(search) => search.nodes(),
            Self::MultiTile(search) => search.nodes(),
        }
    }

    pub(super) const fn board(&self) -> &Board {
        match self {
            Self::SingleTile(search) => search.board(),
            Self::MultiTile(search) => search.board(),
        }
    }

    pub(super) fn advance(&mut self, budget: Budget, longest: u32) -> IterationStatus {
        match self {
            Self::SingleTile(search) => search.advance(budget, longest),
            Self::MultiTile(search) => search.advance(budget, longest),
        }
    }

    pub(super) fn pass_solution(&mut self) -> Vec<Direction> {
        match self {
            Self::SingleTile(search) => search.pass_solution(),
            Self::MultiTile(search) => search.pass_solution(),
        }
    }
}
