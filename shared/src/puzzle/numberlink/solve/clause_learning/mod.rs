//! Search by learned clauses: the puzzle as a formula in conjunctive normal form.
//!
//! A row search meets the same dead end with every combination of what links do in other parts of a
//! large board, although mostly a few cells cause it. Here each dead end becomes a clause of these
//! cells. One takes a thousand times as long, but a proof on 20×20 needs only 20 to 100 thousand.
//!
//! A cell has a variable for each number that may pass it, and each two adjacent cells have one
//! for the edge between them. No link touches itself, so an edge lies between any two adjacent
//! cells of one number. Where cells may stay empty, the solutions are taut: of the solutions that
//! differ in how links are led through empty cells, the shortest whose links are pushed downwards.
//!
//! The generator's hard boards of 18×18 and larger depend on which proofs succeed within a budget,
//! so a change here may change the boards that seeds name; golden boards tell.

mod encoding;
mod solver;
mod variable_order;

use super::layout::{Layout, Side};
use super::paths::links;
use super::portfolio::PortfolioStatus;
use super::row_search::SolutionClass;
use crate::puzzle::numberlink::Puzzle;
use encoding::Encoding;
use solver::{Solver, SolverStatus};

/// The maximum cells of a board times the square of its pairs: 20×20 with 100 pairs. The formula
/// of a larger one would take too much memory.
const MAX_FORMULA: usize = 4_000_000;

/// The search for the solutions of one class, which all differ.
#[derive(Debug)]
pub(super) struct ClauseSearch<'a> {
    puzzle: &'a Puzzle,
    layout: Layout,
    solver: Solver,
    encoding: Encoding,
}

impl<'a> ClauseSearch<'a> {
    /// Creates a search; `None` for too large a formula, and for full solutions that may touch
    /// themselves: those have no short proofs.
    pub fn new(puzzle: &'a Puzzle, class: SolutionClass) -> Option<Self> {
        let pairs = puzzle.pairs().len();
        if class == SolutionClass::Full || puzzle.size().cells() * pairs * pairs > MAX_FORMULA {
            return None;
        }
        let layout = Layout::new(puzzle, Side::Top);
        let mut solver = Solver::new();
        let encoding = Encoding::new(&layout, class == SolutionClass::Taut, &mut solver);
        Some(Self { puzzle, layout, solver, encoding })
    }

    /// Returns the nodes used so far.
    pub const fn nodes(&self) -> u64 {
        self.solver.nodes
    }

    /// Continues until another solution is found, none is left, or about `budget` more nodes are
    /// used.
    pub fn resume(&mut self, budget: u64) -> PortfolioStatus {
        let end = self.nodes().saturating_add(budget);
        loop {
            match self.solver.resume(end.saturating_sub(self.nodes())) {
                SolverStatus::Satisfied => {}
                SolverStatus::Unsatisfiable => return PortfolioStatus::Exhausted,
                SolverStatus::Spent => return PortfolioStatus::Spent,
            }
            if let Some((rights, downs)) = self.encoding.edges(&mut self.solver) {
                let solution = links(self.puzzle, &self.layout, &rights, &downs);
                return PortfolioStatus::Found(solution);
            }
        }
    }
}

#[cfg(test)]
mod tests;
