//! Knowledge about a puzzle's solutions.

use crate::puzzle::numberlink::deduce::Premise;
use crate::puzzle::numberlink::generate::GeneratedPuzzle;
use crate::puzzle::numberlink::solve::{SolutionCount, count, first};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::budget::Budget;
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// What is known about a puzzle's solutions: computed once, used for every hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownSolution {
    /// The only solution, even if cells may stay empty.
    OneSolution(Solution),
    /// The only winning solution; others may leave cells empty.
    OneFull(Solution),
    /// A solution; there may be others.
    Solution(Solution),
    /// Nothing: not searched, or nothing found.
    Nothing,
}

impl KnownSolution {
    /// Searches: `budget` bounds the proof, and again the search for a solution if the proof
    /// fails.
    pub fn find(puzzle: &Puzzle, budget: Budget) -> Self {
        let rule = Rule::of(puzzle);
        match count(puzzle, Rule::Loose, budget).verdict {
            SolutionCount::Unique(solution) if solution.solves(puzzle, rule) => {
                return Self::OneSolution(solution);
            }
            SolutionCount::None => return Self::Nothing,
            SolutionCount::Unique(_) | SolutionCount::Multiple(_) | SolutionCount::Undecided => {}
        }
        let found = first(puzzle, rule, budget).solution;
        found.map_or(Self::Nothing, Self::Solution)
    }

    pub const fn solution(&self) -> Option<&Solution> {
        match self {
            Self::OneSolution(solution) | Self::OneFull(solution) | Self::Solution(solution) => {
                Some(solution)
            }
            Self::Nothing => None,
        }
    }

    /// Returns what deductions may assume.
    pub const fn premise(&self) -> Premise {
        match self {
            Self::OneSolution(_) => Premise::OneSolution,
            Self::OneFull(_) | Self::Solution(_) | Self::Nothing => Premise::Rules,
        }
    }
}

impl From<GeneratedPuzzle> for KnownSolution {
    fn from(made: GeneratedPuzzle) -> Self {
        let winning = Rule::of(&made.puzzle);
        match made.unique {
            Some(Rule::Loose) => Self::OneSolution(made.solution),
            Some(rule) if rule == winning => Self::OneFull(made.solution),
            Some(_) | None => Self::Solution(made.solution),
        }
    }
}

/// Returns a solution's link, by its index, oriented to start at `from`, if that is one of its ends.
pub(in crate::puzzle::numberlink) fn oriented_link(
    solution: &Solution,
    at: usize,
    from: Option<&Cell>,
) -> Vec<Cell> {
    let mut link = solution.0.get(at).cloned().unwrap_or_default();
    if from.is_some() && link.first() != from {
        link.reverse();
    }
    link
}

/// Returns how many first cells two links have in common.
pub(in crate::puzzle::numberlink) fn common_cells(one: &[Cell], other: &[Cell]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
