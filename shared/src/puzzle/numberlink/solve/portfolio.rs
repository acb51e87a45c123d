//! Portfolio search: several searches for the same, each from another side of the puzzle.
//!
//! The side changes the work by a factor of ten, and the best one is not known beforehand. So the
//! searches alternate: the next slice goes to the one with the least estimated remaining work, and
//! now and then to the one with the fewest nodes.

use super::layout::{Layout, Side};
use super::row_search::{RowSearch, SearchStatus, SolutionClass};
use super::transposition_table::TranspositionTable;
use crate::puzzle::numberlink::solve::paths::links;
use crate::puzzle::numberlink::{Puzzle, Solution};

/// The first slice of each side, in nodes.
const FIRST_SLICE_NODES: u64 = 256;
/// A slice is the nodes so far divided by this.
const SLICE_DIVISOR: u64 = 4;
/// Every search gets at least the nodes so far divided by this.
const MIN_SHARE_DIVISOR: u64 = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PortfolioStatus {
    /// A solution, which another search may have found before.
    Found(Solution),
    Exhausted,
    Spent,
}

/// The searches for one class of solutions.
#[derive(Debug)]
pub(super) struct Portfolio<'a> {
    puzzle: &'a Puzzle,
    pub class: SolutionClass,
    /// Nodes of the first side before the others start.
    head_start: u64,
    searches: Vec<RowSearch>,
    table: TranspositionTable,
    /// The current search, and its node limit.
    at: usize,
    until: u64,
    /// The nodes used so far.
    pub nodes: u64,
}

impl<'a> Portfolio<'a> {
    pub const fn new(puzzle: &'a Puzzle, class: SolutionClass, head_start: u64) -> Self {
        Self {
            puzzle,
            class,
            head_start,
            searches: Vec::new(),
            table: TranspositionTable::new(),
            at: 0,
            until: 0,
            nodes: 0,
        }
    }

    /// Continues until a solution is found, none is left, or about `budget` more nodes are used.
    pub fn resume(&mut self, budget: u64) -> PortfolioStatus {
        let end = self.nodes.saturating_add(budget);
        loop {
            if self.searches.get(self.at).is_none_or(|search| search.nodes >= self.until) {
                self.choose();
            }
            let search = &mut self.searches[self.at];
            let before = search.nodes;
            let budget = (self.until - before).min(end - self.nodes);
            let outcome = search.resume(budget, &mut self.table);
            self.nodes += search.nodes - before;
            match outcome {
                SearchStatus::Found => {
                    let (rights, downs) = search.edges();
                    return PortfolioStatus::Found(links(
                        self.puzzle,
                        &search.layout,
                        rights,
                        downs,
                    ));
                }
                SearchStatus::Exhausted => return PortfolioStatus::Exhausted,
                SearchStatus::Spent if self.nodes >= end => return PortfolioStatus::Spent,
                SearchStatus::Spent => {}
            }
        }
    }

    fn choose(&mut self) {
        let open_numbers = self.searches.len();
        if let Some(&side) = Side::all(self.puzzle).get(open_numbers) {
            let layout = Layout::new(self.puzzle, side);
            let number = open_numbers as u64;
            self.searches.push(RowSearch::new(layout, self.class, number));
            self.at = open_numbers;
            self.until = if open_numbers == 0 {
                self.head_start.max(FIRST_SLICE_NODES)
            } else {
                FIRST_SLICE_NODES
            };
            return;
        }
        let had = |search: &RowSearch| search.nodes as f64;
        let least = self.searches.iter().map(|search| search.nodes).min().unwrap_or(0);
        let stretch = if least < self.nodes / MIN_SHARE_DIVISOR {
            self.at = least_of(&self.searches, had);
            least
        } else {
            let rest = |search: &RowSearch| {
                let progress = search.progress();
                had(search) * (1.0 - progress) / progress.max(f64::MIN_POSITIVE)
            };
            self.at = least_of(&self.searches, rest);
            self.nodes / SLICE_DIVISOR
        };
        self.until = self.searches[self.at].nodes + stretch.max(FIRST_SLICE_NODES);
    }
}

fn least_of(searches: &[RowSearch], measure: impl Fn(&RowSearch) -> f64) -> usize {
    let mut least = (0, f64::INFINITY);
    for (at, search) in searches.iter().enumerate() {
        let measured = measure(search);
        if measured < least.1 {
            least = (at, measured);
        }
    }
    least.0
}
