//! What is known of a puzzle before a hint is asked for.

use crate::grid::Cell;
use crate::hint::Budget;
use crate::numberlink::reason::Premise;
use crate::numberlink::solve::{Verdict, count};
use crate::numberlink::{Puzzle, Rule, Solution};

/// What is known of a puzzle's solutions: found once, used for every hint on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// This is the only one, even if cells may stay empty.
    OneSolution(Solution),
    /// Nothing that helps: there are several, or it wasn't found out.
    Nothing,
}

impl Known {
    /// Finds out, within a budget.
    #[must_use]
    pub fn find(puzzle: &Puzzle, budget: Budget) -> Self {
        match count(puzzle, Rule::Loose, budget).verdict {
            Verdict::Unique(solution) if solution.solves(puzzle, Rule::of(puzzle)) => {
                Self::OneSolution(solution)
            }
            Verdict::Unique(_) | Verdict::None | Verdict::Multiple(_) | Verdict::Undecided => {
                Self::Nothing
            }
        }
    }

    /// Returns what reasons may take for granted.
    #[must_use]
    pub const fn premise(&self) -> Premise {
        match self {
            Self::OneSolution(_) => Premise::OneSolution,
            Self::Nothing => Premise::Rules,
        }
    }
}

/// Returns a solution's link as it runs from a cell that is one of its ends.
pub(super) fn course(solution: &Solution, number: usize, from: Cell) -> Vec<Cell> {
    let mut link = solution.0.get(number).cloned().unwrap_or_default();
    if link.first() != Some(&from) {
        link.reverse();
    }
    link
}
