//! What is known of a puzzle before a hint is asked for.

use crate::puzzle::numberlink::deduce::Premise;
use crate::puzzle::numberlink::generate::GeneratedBoard;
use crate::puzzle::numberlink::solve::{SolutionCount, count, first};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::budget::Budget;
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// What is known of a puzzle's solutions: found once, used for every hint on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownSolution {
    /// This is the only one, even if cells may stay empty.
    OneSolution(Solution),
    /// This is the only one that wins; whether others leave cells empty isn't known.
    OneFull(Solution),
    /// This is one, and there may be others.
    Solution(Solution),
    /// Nothing: it wasn't looked at, or nothing was found.
    Nothing,
}

impl KnownSolution {
    /// Finds out: a budget for the proof, and as much for a solution where that fails.
    #[must_use]
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

    /// Returns the solution, where one is known.
    #[must_use]
    pub const fn solution(&self) -> Option<&Solution> {
        match self {
            Self::OneSolution(solution) | Self::OneFull(solution) | Self::Solution(solution) => {
                Some(solution)
            }
            Self::Nothing => None,
        }
    }

    /// Returns what reasons may take for granted.
    #[must_use]
    pub const fn premise(&self) -> Premise {
        match self {
            Self::OneSolution(_) => Premise::OneSolution,
            Self::OneFull(_) | Self::Solution(_) | Self::Nothing => Premise::Rules,
        }
    }
}

/// What whoever made a board knows of it.
impl From<GeneratedBoard> for KnownSolution {
    fn from(made: GeneratedBoard) -> Self {
        let winning = Rule::of(&made.puzzle);
        match made.unique {
            Some(Rule::Loose) => Self::OneSolution(made.solution),
            Some(rule) if rule == winning => Self::OneFull(made.solution),
            Some(_) | None => Self::Solution(made.solution),
        }
    }
}

/// Returns a solution's link as it runs from a cell that is one of its ends.
pub(super) fn oriented_link(solution: &Solution, number: usize, from: Cell) -> Vec<Cell> {
    let mut link = solution.0.get(number).cloned().unwrap_or_default();
    if link.first() != Some(&from) {
        link.reverse();
    }
    link
}
