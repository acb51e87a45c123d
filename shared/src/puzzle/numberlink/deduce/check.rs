//! Checks whether drawn links extend to a solution.

use crate::puzzle::numberlink::deduce::KnownSolution;
use crate::puzzle::numberlink::deduce::known::{common_cells, oriented_link};
use crate::puzzle::numberlink::deduce::residual::extend;
use crate::puzzle::numberlink::{Puzzle, Solution};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// The result of a check of drawn links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawingCheck {
    Consistent(Solution),
    Wrong(Mistake),
}

/// The part of a link that cannot be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mistake {
    pub number: u16,
    /// The first wrong cell of the link. A solution contains the link up to there: together with
    /// all other links if cutting this one suffices, else with those of lower numbers as far as
    /// they are consistent.
    pub from: Cell,
}

/// Checks drawn links, in the order of their numbers, each from the terminal where it starts.
///
/// If the only solution is known, the links are compared with it. Else they are consistent if any
/// solution extends them. If none does, and cutting a single link suffices, the mistake is in the
/// one that loses the fewest cells.
///
/// Adds the nodes used to `spent`.
///
/// # Errors
/// [`Unsolved`] when the puzzle has no solution, or the budget is spent.
pub fn check(
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

fn compare(links: &[Vec<Cell>], solution: &Solution) -> DrawingCheck {
    let astray = links.iter().enumerate().filter_map(|(number, link)| {
        let together = common_cells(link, &oriented_link(solution, number, link.first()));
        Some((link.len() - together, mistake(number, *link.get(together)?)))
    });
    match astray.min_by_key(|(cells, mistake)| (*cells, mistake.number)) {
        Some((_, mistake)) => DrawingCheck::Wrong(mistake),
        None => DrawingCheck::Consistent(solution.clone()),
    }
}

fn mistake(number: usize, from: Cell) -> Mistake {
    // There are at most 800 pairs.
    let number = u16::try_from(number + 1).unwrap_or(u16::MAX);
    Mistake { number, from }
}

/// The search for a mistake, by solving the rest of the board.
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
                let right = self.longest_consistent(number, kept)?;
                let cut = link.len() - right;
                if least.is_none_or(|(cells, _)| cut < cells) {
                    least = Some((cut, mistake(number, link[right])));
                }
            }
        }
        match least {
            Some((_, mistake)) => Ok(DrawingCheck::Wrong(mistake)),
            None => self.first_jointly_wrong(),
        }
    }

    /// Finds a mistake when cutting a single link does not suffice: adds the links in the order of
    /// their numbers while they are consistent.
    fn first_jointly_wrong(&mut self) -> Result<DrawingCheck, Unsolved> {
        let mut kept = vec![0; self.links.len()];
        let Some(solution) = self.extend(&kept)? else {
            return Err(Unsolved::Unsolvable);
        };
        for (number, link) in self.links.iter().enumerate() {
            let mut more = kept.clone();
            more[number] = link.len();
            if self.extend(&more)?.is_none() {
                let right = self.longest_consistent(number, kept)?;
                return Ok(DrawingCheck::Wrong(mistake(number, link[right])));
            }
            kept = more;
        }
        Ok(DrawingCheck::Consistent(solution)) // unreachable: all links together are inconsistent
    }

    /// Returns how many cells of a link are consistent with the kept parts of the others, by
    /// binary search between none and all.
    fn longest_consistent(
        &mut self,
        number: usize,
        mut kept: Vec<usize>,
    ) -> Result<usize, Unsolved> {
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

    /// Finds a solution that contains the first cells of each link, as many as are kept.
    fn extend(&mut self, kept: &[usize]) -> Result<Option<Solution>, Unsolved> {
        let starts = self.links.iter().zip(kept);
        let starts: Vec<&[Cell]> = starts.map(|(link, &cells)| &link[..cells]).collect();
        extend(self.puzzle, &starts, &mut self.budget)
    }
}
