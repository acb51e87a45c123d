//! Residual puzzles: drawn links leave a smaller puzzle.

use crate::puzzle::numberlink::solve::first;
use crate::puzzle::numberlink::{Puzzle, Rule, Solution, Square, Touch};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::Cell;

/// Finds a solution that extends links, each from one of its terminals; empty links and single
/// terminals are ignored. Subtracts the nodes used from the budget.
///
/// # Errors
/// [`Unsolved::OverBudget`] also when the puzzle forbids touches and the residual's solution
/// touches a drawn link: other solutions are not searched.
pub(super) fn extend(
    puzzle: &Puzzle,
    links: &[&[Cell]],
    budget: &mut Budget,
) -> Result<Option<Solution>, Unsolved> {
    let rest = Residual::of(puzzle, links);
    let found = match &rest.puzzle {
        None if rest.is_covered => Solution(Vec::new()),
        None => return Ok(None),
        Some(rest) => {
            let found = first(rest, Rule::of(puzzle), *budget);
            budget.0 = budget.0.saturating_sub(found.nodes);
            match found.solution {
                Ok(solution) => solution,
                Err(Unsolved::Unsolvable) => return Ok(None),
                Err(Unsolved::OverBudget) => return Err(Unsolved::OverBudget),
            }
        }
    };
    let whole = rest.join(puzzle, links, &found);
    if whole.solves(puzzle, Rule::of(puzzle)) {
        return Ok(Some(whole));
    }
    match puzzle.touch() {
        Touch::Forbidden => Err(Unsolved::OverBudget),
        Touch::Free => Ok(None), // a drawn link is no simple path
    }
}

struct Residual {
    puzzle: Option<Puzzle>,
    /// The remaining numbers, less 1, and the end from which each continues.
    numbers: Vec<(usize, Cell)>,
    is_covered: bool,
}

impl Residual {
    fn of(puzzle: &Puzzle, links: &[&[Cell]]) -> Self {
        let mut solids: Vec<Cell> = Vec::new();
        let (mut terminals, mut numbers) = (Vec::new(), Vec::new());
        let cells = (0u16..).map(Cell).zip(puzzle.squares());
        solids
            .extend(cells.filter_map(|(cell, square)| (*square == Square::Solid).then_some(cell)));
        for (number, &[from, to]) in puzzle.pairs().iter().enumerate() {
            let link = links.get(number).copied().unwrap_or_default();
            let start = link.first().copied().unwrap_or(from);
            let other = if start == from { to } else { from };
            let end = link.last().copied().unwrap_or(from);
            solids.extend(link.iter().filter(|&&cell| cell != end));
            if end == other {
                solids.push(end);
            } else {
                numbers.push((number, end));
                let number = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
                terminals.extend([(number, end), (number, other)]);
            }
        }
        let is_covered = solids.len() == puzzle.size().cells();
        Self {
            // Links that share cells have no residual puzzle.
            puzzle: Puzzle::new(puzzle.size(), &terminals, &solids, puzzle.touch()).ok(),
            numbers,
            is_covered,
        }
    }

    /// Joins the drawn links with a solution of the residual.
    fn join(&self, puzzle: &Puzzle, links: &[&[Cell]], found: &Solution) -> Solution {
        let mut whole: Vec<Vec<Cell>> = links.iter().map(|link| link.to_vec()).collect();
        whole.resize(puzzle.pairs().len(), Vec::new());
        for (&(number, end), link) in self.numbers.iter().zip(&found.0) {
            let mut link = link.clone();
            if link.first() != Some(&end) {
                link.reverse();
            }
            let known = usize::from(!whole[number].is_empty());
            whole[number].extend(link.into_iter().skip(known));
        }
        for (link, [from, _]) in whole.iter_mut().zip(puzzle.pairs()) {
            if link.first() != Some(from) {
                link.reverse();
            }
        }
        Solution(whole)
    }
}
