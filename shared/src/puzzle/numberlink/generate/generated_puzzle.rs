//! Generated puzzles.

use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::{Cell, Size};

/// A generated puzzle with its solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedPuzzle {
    pub puzzle: Puzzle,
    /// The solution from which it was generated. Any other one wins as well.
    pub solution: Solution,
    /// The rule under which this solution is proved to be unique; `None` for a classic board
    /// without a proof.
    pub unique: Option<Rule>,
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
