//! Searches for a second solution of a solved board, or proves that there is none.
//!
//! A seed's boards depend on what is found here, in which order and within which budget. So this
//! search is independent of the solvers, which may be improved.

use super::row_layout::{SIDES, SolvedBoard};
use crate::puzzle::numberlink::generate::frontier_search::{FrontierSearch, SearchStatus};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SecondSolution {
    /// Proved: there is none.
    None,
    /// There is one, which differs in these links.
    Some(Vec<u16>),
    Unknown,
}

/// Nodes of the first slice for each side; each later slice doubles a side's nodes.
const FIRST_SLICE_NODES: u64 = 1_000;

/// The searches from all sides, with reusable memory.
#[derive(Debug, Default)]
pub(super) struct SecondSolutionSearch {
    searches: [FrontierSearch; SIDES],
    /// The side that decided last; it is tried first.
    last_decisive: usize,
}

impl SecondSolutionSearch {
    /// Searches within a node limit until one side decides: always from the side that has the
    /// fewest nodes left by its estimate. The cheapest side is often a hundred times cheaper than
    /// the most expensive.
    pub(super) fn run(&mut self, solved: &SolvedBoard<'_>, limit: u64) -> SecondSolution {
        for (side, search) in self.searches.iter_mut().enumerate() {
            search.begin(solved, side);
        }
        let mut nodes = 0;
        while nodes < limit {
            let sides = (0..SIDES).map(|turn| turn ^ self.last_decisive);
            let Some(side) = sides.min_by_key(|&side| self.searches[side].estimate_rest()) else {
                break;
            };
            let search = &mut self.searches[side];
            let before = search.nodes;
            let reach = (2 * before).max(FIRST_SLICE_NODES);
            let outcome = search.resume(reach.min(before + limit - nodes));
            nodes += search.nodes - before;
            match outcome {
                SearchStatus::Spent => continue,
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
        SecondSolution::Unknown
    }
}
