//! Looks for another solution of a solved board: the proof that there is none.
//!
//! The boards of a seed hang on what is found here, in which order and within which budget.
//! So this search stands apart from the solvers, which are free to get better.

use super::row_layout::{SIDES, Solved};
use crate::puzzle::numberlink::generate::frontier_search::{Front, Outcome};

/// What a search for a rival found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rivals {
    /// There is no other solution: proved.
    None,
    /// There is one, in which these links run otherwise.
    Some(Vec<u16>),
    /// The budget was spent.
    Unknown,
}

/// Nodes of the first stretch from each side; each later one reaches twice as far.
const STRETCH: u64 = 1_000;

/// A search, with room that is used again.
#[derive(Debug, Default)]
pub(super) struct Search {
    fronts: [Front; SIDES],
    /// The side that decided last: where one rival was, the next may be as well.
    lucky: usize,
    /// Nodes of all searches.
    nodes: u64,
}

impl Search {
    /// Returns the nodes of all searches so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks from all sides in turn, within a number of nodes, until one of them decides:
    /// the cheapest side is often a hundred times cheaper than the dearest.
    pub(super) fn run(&mut self, solved: &Solved<'_>, limit: u64) -> Rivals {
        let until = self.nodes + limit;
        for (side, front) in self.fronts.iter_mut().enumerate() {
            front.begin(solved, side);
        }
        let mut reach = STRETCH;
        while self.nodes < until {
            for turn in 0..SIDES {
                let side = turn ^ self.lucky;
                let front = &mut self.fronts[side];
                let before = front.nodes();
                let outcome = front.go_on(reach.min(before + until.saturating_sub(self.nodes)));
                self.nodes += front.nodes() - before;
                match outcome {
                    Outcome::Spent => {}
                    Outcome::Exhausted => {
                        self.lucky = side;
                        return Rivals::None;
                    }
                    Outcome::Found => {
                        self.lucky = side;
                        return Rivals::Some(front.changed());
                    }
                }
            }
            reach *= 2;
        }
        Rivals::Unknown
    }
}
