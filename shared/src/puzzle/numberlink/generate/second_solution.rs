//! Looks for another solution of a solved board: the proof that there is none.
//!
//! The boards of a seed hang on what is found here, in which order and within which budget.
//! So this search stands apart from the solvers, which are free to get better.

use super::row_layout::{SIDES, SolvedBoard};
use crate::puzzle::numberlink::generate::frontier_search::{FrontierSearch, SearchStatus};

/// What a search for a rival found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SecondSolution {
    /// There is no other solution: proved.
    None,
    /// There is one, in which these links run otherwise.
    Some(Vec<u16>),
    /// The budget was spent.
    Unknown,
}

/// Nodes of the first stretch from each side; each later one reaches twice as far.
const FIRST_SLICE_NODES: u64 = 1_000;

/// A search, with room that is used again.
#[derive(Debug, Default)]
pub(super) struct SecondSolutionSearch {
    searches: [FrontierSearch; SIDES],
    /// The side that decided last: where one rival was, the next may be as well.
    last_decisive: usize,
    /// Nodes of all searches.
    nodes: u64,
}

impl SecondSolutionSearch {
    /// Returns the nodes of all searches so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks from all sides in turn, within a number of nodes, until one of them decides:
    /// the cheapest side is often a hundred times cheaper than the dearest.
    pub(super) fn run(&mut self, solved: &SolvedBoard<'_>, limit: u64) -> SecondSolution {
        let until = self.nodes + limit;
        for (side, search) in self.searches.iter_mut().enumerate() {
            search.begin(solved, side);
        }
        let mut reach = FIRST_SLICE_NODES;
        while self.nodes < until {
            for turn in 0..SIDES {
                let side = turn ^ self.last_decisive;
                let search = &mut self.searches[side];
                let before = search.nodes();
                let outcome = search.resume(reach.min(before + until.saturating_sub(self.nodes)));
                self.nodes += search.nodes() - before;
                match outcome {
                    SearchStatus::Spent => {}
                    SearchStatus::Exhausted => {
                        self.last_decisive = side;
                        return SecondSolution::None;
                    }
                    SearchStatus::Found => {
                        self.last_decisive = side;
                        return SecondSolution::Some(search.changed());
                    }
                }
            }
            reach *= 2;
        }
        SecondSolution::Unknown
    }
}
