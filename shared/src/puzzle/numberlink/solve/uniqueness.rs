//! The proof that a known solution is the only one.

use super::clause_learning::ClauseSearch;
use super::portfolio::PortfolioStatus;
use super::row_search::SolutionClass;
use crate::puzzle::numberlink::{Puzzle, Solution};

/// Whether a known solution is the only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::puzzle::numberlink) enum Uniqueness {
    Unique,
    /// There is this other one.
    Second(Solution),
}

/// A search by learned clauses for a second solution, even one that leaves cells empty, beside a
/// full one without touches.
///
/// Whether it succeeds within a budget decides which large boards the generator makes of a seed.
/// So a change of the search or of its formula changes boards; golden boards tell.
#[derive(Debug)]
pub(in crate::puzzle::numberlink) struct UniquenessProof<'a>(ClauseSearch<'a>);

impl<'a> UniquenessProof<'a> {
    /// Creates a search; `None` for a board that is too large for it.
    pub fn new(puzzle: &'a Puzzle) -> Option<Self> {
        ClauseSearch::new(puzzle, SolutionClass::Taut).map(Self)
    }

    /// Returns the nodes used so far.
    pub const fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    /// Continues for about `budget` more nodes; returns whether `known` is the only solution, if
    /// that is decided by then.
    pub fn resume(&mut self, known: &Solution, budget: u64) -> Option<Uniqueness> {
        let until = self.nodes().saturating_add(budget);
        loop {
            match self.0.resume(until.saturating_sub(self.nodes())) {
                PortfolioStatus::Found(found) if found == *known => {}
                PortfolioStatus::Found(found) => return Some(Uniqueness::Second(found)),
                PortfolioStatus::Exhausted => return Some(Uniqueness::Unique),
                PortfolioStatus::Spent => return None,
            }
        }
    }
}
