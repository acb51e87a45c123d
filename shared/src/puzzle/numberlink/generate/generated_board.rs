//! Generated boards, and what their generation took.

use crate::puzzle::numberlink::generate::row_layout::SolvedBoard;
use crate::puzzle::numberlink::generate::second_solution::{SecondSolution, SecondSolutionSearch};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::{Cell, Size};

/// A generated board with its solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedBoard {
    pub puzzle: Puzzle,
    /// The solution from which it was generated. Any other one wins as well.
    pub solution: Solution,
    /// The rule under which this solution is proved to be unique; `None` for a classic board
    /// without a proof.
    pub unique: Option<Rule>,
    pub stats: GenerationStats,
}

/// Statistics of a board's generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerationStats {
    pub starts: u32,
    /// Number of solved boards searched for a second solution.
    pub proofs: u32,
    pub undecided: u32,
    /// Number of moves proposed while annealing.
    pub moves: u64,
    pub nodes: u64,
    /// Nodes of the last search, the proof.
    pub last_nodes: u64,
}

impl GenerationStats {
    /// Searches for a second solution, and updates the statistics.
    pub(super) fn look(
        &mut self,
        search: &mut SecondSolutionSearch,
        solved: &SolvedBoard<'_>,
        limit: u64,
    ) -> SecondSolution {
        let before = search.nodes;
        let second = search.run(solved, limit);
        self.proofs += 1;
        self.undecided += u32::from(second == SecondSolution::Unknown);
        self.nodes = search.nodes;
        self.last_nodes = self.nodes - before;
        second
    }
}

/// Creates a puzzle from links; cells without a link are solid. The numbers follow the first
/// terminals row by row, so that a number is easy to find and reveals nothing.
pub(super) fn puzzle_of(size: Size, mut links: Vec<Vec<Cell>>) -> (Puzzle, Solution) {
    for link in &mut links {
        if link.first() > link.last() {
            link.reverse();
        }
    }
    links.sort_unstable_by_key(|link| link.first().copied());
    (Puzzle::of_links(size, &links), Solution(links))
}
