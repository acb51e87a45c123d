//! Whether what is drawn can be right.

use crate::puzzle::numberlink::deduce::KnownSolution;
use crate::puzzle::numberlink::deduce::known::oriented_link;
use crate::puzzle::numberlink::deduce::residual::extend;
use crate::puzzle::numberlink::{Puzzle, Solution};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// Whether what is drawn can be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawingCheck {
    /// This solution extends it.
    Consistent(Solution),
    /// None does.
    Wrong(Mistake),
}

/// Where something drawn can't be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mistake {
    /// The number of the link.
    pub number: u16,
    /// The first cell of the link, as it is drawn, that must go. Up to there a solution has
    /// it: together with all other links, if to cut this one is enough, else with those of
    /// lower numbers, as far as they can be right together.
    pub from: Cell,
}

/// Checks the links that are drawn, in the order of their numbers, each from the terminal
/// where it was begun, against the solutions of their puzzle.
///
/// Where there is one solution they are compared with it. Else what is drawn is right if any
/// solution extends it; if none does, the link that has to give up the fewest cells is to
/// blame, where to cut one link is enough.
///
/// # Errors
/// [`Unsolved`] where the puzzle has no solution, or the budget was spent.
pub fn check(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    known: &KnownSolution,
    budget: Budget,
) -> Result<DrawingCheck, Unsolved> {
    check_counting(puzzle, links, known, budget, &mut NodesUsed::default())
}

/// Does the same, and counts what it takes.
pub(in crate::puzzle::numberlink) fn check_counting(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    known: &KnownSolution,
    budget: Budget,
    spent: &mut NodesUsed,
) -> Result<DrawingCheck, Unsolved> {
    let mut search = || {
        let mut search = MistakeSearch::new(puzzle, links, budget);
        let checked = search.check();
        spent.0 += budget.0.saturating_sub(search.budget.0);
        checked
    };
    match known {
        KnownSolution::OneSolution(solution) | KnownSolution::OneFull(solution) => {
            Ok(compare(links, solution))
        }
        KnownSolution::Solution(solution) => match compare(links, solution) {
            fine @ DrawingCheck::Consistent(_) => Ok(fine),
            DrawingCheck::Wrong(_) => search(),
        },
        KnownSolution::Nothing => search(),
    }
}

/// Compares links with the solution's.
fn compare(links: &[Vec<Cell>], solution: &Solution) -> DrawingCheck {
    let astray = links.iter().enumerate().filter_map(|(number, link)| {
        let oriented_link = oriented_link(solution, number, *link.first()?);
        let together = link.iter().zip(&oriented_link).take_while(|(a, b)| a == b).count();
        let from = *link.get(together)?;
        Some((link.len() - together, mistake(number, from)))
    });
    match astray.min_by_key(|(cells, mistake)| (*cells, mistake.number)) {
        Some((_, mistake)) => DrawingCheck::Wrong(mistake),
        None => DrawingCheck::Consistent(solution.clone()),
    }
}

fn mistake(number: usize, from: Cell) -> Mistake {
    // There are 800 pairs at most.
    let number = u16::try_from(number + 1).unwrap_or(u16::MAX);
    Mistake { number, from }
}

/// Finds what can't be right, by what the solver says of the rest of the board.
struct MistakeSearch<'a> {
    puzzle: &'a Puzzle,
    links: &'a [Vec<Cell>],
    budget: Budget,
}

impl<'a> MistakeSearch<'a> {
    const fn new(puzzle: &'a Puzzle, links: &'a [Vec<Cell>], budget: Budget) -> Self {
        Self { puzzle, links, budget }
    }

    fn check(&mut self) -> Result<DrawingCheck, Unsolved> {
        let all: Vec<usize> = self.links.iter().map(Vec::len).collect();
        if let Some(solution) = self.extend(&all)? {
            return Ok(DrawingCheck::Consistent(solution));
        }
        let mut least: Option<(usize, Mistake)> = None;
        for (number, link) in self.links.iter().enumerate() {
            let mut kept = all.clone();
            kept[number] = 0;
            if link.len() > 1 && self.extend(&kept)?.is_some() {
                let right = self.longest(number, kept)?;
                let cut = link.len() - right;
                if least.is_none_or(|(cells, _)| cut < cells) {
                    least = Some((cut, mistake(number, link[right])));
                }
            }
        }
        match least {
            Some((_, mistake)) => Ok(DrawingCheck::Wrong(mistake)),
            None => self.several(),
        }
    }

    /// Looks for a mistake where no link alone is to blame: takes the links in the order of
    /// their numbers, as far as they can be right together.
    fn several(&mut self) -> Result<DrawingCheck, Unsolved> {
        let mut kept = vec![0; self.links.len()];
        let Some(solution) = self.extend(&kept)? else {
            return Err(Unsolved::Unsolvable);
        };
        for (number, link) in self.links.iter().enumerate() {
            let mut more = kept.clone();
            more[number] = link.len();
            if self.extend(&more)?.is_none() {
                let right = self.longest(number, kept)?;
                return Ok(DrawingCheck::Wrong(mistake(number, link[right])));
            }
            kept = more;
        }
        Ok(DrawingCheck::Consistent(solution)) // not reached: all of them together were wrong
    }

    /// Finds how many of a link's cells can be right beside others of which so many are
    /// kept; not all are, and none of it is.
    fn longest(&mut self, number: usize, mut kept: Vec<usize>) -> Result<usize, Unsolved> {
        let (mut right, mut wrong) = (1, self.links[number].len());
        while wrong - right > 1 {
            let half = right.midpoint(wrong);
            kept[number] = half;
            if self.extend(&kept)?.is_some() {
                right = half;
            } else {
                wrong = half;
            }
        }
        Ok(right)
    }

    /// Finds a solution that has the first cells of each link, so many as are kept.
    fn extend(&mut self, kept: &[usize]) -> Result<Option<Solution>, Unsolved> {
        let begun = self.links.iter().zip(kept);
        let begun: Vec<&[Cell]> = begun.map(|(link, &cells)| &link[..cells]).collect();
        extend(self.puzzle, &begun, &mut self.budget)
    }
}
