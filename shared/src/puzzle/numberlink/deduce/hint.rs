//! Hints from a player's own drawing.

use crate::puzzle::numberlink::deduce::known::oriented_link;
use crate::puzzle::numberlink::deduce::step::next_segment_counting;
use crate::puzzle::numberlink::deduce::{
    DrawingCheck, ForcedSegment, KnownSolution, Mistake, Premise, check,
};
use crate::puzzle::numberlink::{Drawing, Solution};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// As many cells as a hint reveals of a link: enough to go on, not the way home.
pub const REVEALED_CELLS: usize = 4;

/// A solver's advice on a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkHint {
    /// Something that is drawn can't be right.
    Wrong(Mistake),
    /// The next piece of a link is forced. It begins where its link ends, or at a terminal
    /// of one of which nothing is drawn.
    Forced(ForcedSegment),
    /// A link goes on like this in a solution, though no reason was found; from an earlier
    /// cell than its last, where it is drawn otherwise and nobody knows whether that is
    /// wrong.
    Reveal {
        /// Its number.
        number: u16,
        /// Its next cells: two or more, the first of which is drawn, or a terminal.
        cells: Vec<Cell>,
    },
}

/// Gives a hint for a drawing that isn't solved: what is wrong; else the next piece that is
/// forced, and why; else the next piece. `budget` bounds the work of the check and that of
/// the reasons, each.
///
/// # Errors
/// [`Unsolved`] where the puzzle has no solution, or none that extends the drawing was found
/// within the budget; [`Unsolved::Unsolvable`] where nothing is left to draw.
pub fn hint(
    drawing: &Drawing,
    known: &KnownSolution,
    budget: Budget,
) -> Result<LinkHint, Unsolved> {
    let puzzle = drawing.puzzle();
    let solution = match check(puzzle, &drawn(drawing), known, budget)? {
        DrawingCheck::Wrong(mistake) => return Ok(LinkHint::Wrong(mistake)),
        DrawingCheck::Consistent(solution) => solution,
    };
    let spent = &mut NodesUsed::default();
    next_hint(drawing, &solution, known.premise(), budget, spent).ok_or(Unsolved::Unsolvable)
}

/// Gives the hint how a drawing goes on that this solution extends: the next piece that is
/// forced, and why; else the next piece. Nothing where nothing is left to draw.
pub(in crate::puzzle::numberlink) fn next_hint(
    drawing: &Drawing,
    solution: &Solution,
    premise: Premise,
    budget: Budget,
    spent: &mut NodesUsed,
) -> Option<LinkHint> {
    let step = next_segment_counting(drawing.puzzle(), &drawn(drawing), premise, budget, spent);
    match step.filter(|step| begins_at_hand(step, drawing)) {
        Some(step) => Some(LinkHint::Forced(step)),
        None => reveal(drawing, solution),
    }
}

/// Lists the links of a drawing in the order of their numbers.
fn drawn(drawing: &Drawing) -> Vec<Vec<Cell>> {
    let numbers = (1u16..).take(drawing.puzzle().pairs().len());
    numbers.map(|n| drawing.link(n).to_vec()).collect()
}

/// Says whether a step can be drawn without taking away what is drawn of its link.
fn begins_at_hand(step: &ForcedSegment, drawing: &Drawing) -> bool {
    step.number.is_some_and(|number| {
        let end = drawing.link(number).last();
        end.is_none_or(|end| step.cells.first() == Some(end))
    })
}

/// Reveals the next cells of a link: of one that is begun, if any is.
fn reveal(drawing: &Drawing, solution: &Solution) -> Option<LinkHint> {
    let numbers = (1u16..).take(solution.0.len());
    let open = numbers.filter(|&number| !drawing.is_linked(number));
    let number = open.min_by_key(|&number| (drawing.link(number).is_empty(), number))?;
    let drawn = drawing.link(number);
    let at = usize::from(number) - 1;
    let [from, _] = drawing.puzzle().pairs()[at];
    let oriented_link = oriented_link(solution, at, drawn.first().copied().unwrap_or(from));
    let ahead = oriented_link.into_iter().skip(drawn.len().saturating_sub(1));
    Some(LinkHint::Reveal { number, cells: ahead.take(1 + REVEALED_CELLS).collect() })
}

#[cfg(test)]
mod tests;
