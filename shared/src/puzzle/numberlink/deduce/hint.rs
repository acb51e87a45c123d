//! Hints for a player's drawing.

use crate::puzzle::numberlink::deduce::forced_segment::next_segment_counting;
use crate::puzzle::numberlink::deduce::known::oriented_link;
use crate::puzzle::numberlink::deduce::{
    DrawingCheck, ForcedSegment, KnownSolution, Mistake, Premise, check,
};
use crate::puzzle::numberlink::{Drawing, Solution};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// The number of cells of a link that a hint reveals: enough to continue, not the whole link.
pub const REVEALED_CELLS: usize = 4;

/// A hint for a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkHint {
    Wrong(Mistake),
    /// The next segment of a link is forced. It starts where the drawn link ends, or at a terminal
    /// of one that is not drawn.
    Forced(ForcedSegment),
    /// The next cells of a link in a solution, without a reason. They start before the end of the
    /// drawn link if that differs and is not known to be wrong.
    Reveal {
        number: u16,
        /// Its next cells: two or more; the first is drawn, or a terminal.
        cells: Vec<Cell>,
    },
}

/// Returns a hint for an unsolved drawing: a mistake, else the next forced segment with its
/// reason, else the next cells. `budget` bounds the check and the deductions, each.
///
/// # Errors
/// [`Unsolved`] when the puzzle has no solution, or none that extends the drawing is found within
/// the budget; [`Unsolved::Unsolvable`] when nothing is left to draw.
pub fn hint(
    drawing: &Drawing,
    known: &KnownSolution,
    budget: Budget,
) -> Result<LinkHint, Unsolved> {
    let puzzle = drawing.puzzle();
    let solution = match check(puzzle, drawing.links(), known, budget)? {
        DrawingCheck::Wrong(mistake) => return Ok(LinkHint::Wrong(mistake)),
        DrawingCheck::Consistent(solution) => solution,
    };
    let spent = &mut NodesUsed::default();
    next_hint(drawing, &solution, known.premise(), budget, spent).ok_or(Unsolved::Unsolvable)
}

/// Returns the hint that continues a drawing which the solution extends: the next forced segment
/// with its reason, else the next cells. `None` when nothing is left to draw.
pub fn next_hint(
    drawing: &Drawing,
    solution: &Solution,
    premise: Premise,
    budget: Budget,
    spent: &mut NodesUsed,
) -> Option<LinkHint> {
    let step = next_segment_counting(drawing.puzzle(), drawing.links(), premise, budget, spent);
    match step.filter(|step| begins_at_hand(step, drawing)) {
        Some(step) => Some(LinkHint::Forced(step)),
        None => reveal(drawing, solution),
    }
}

/// Returns whether a segment can be drawn without removing cells of its link.
fn begins_at_hand(step: &ForcedSegment, drawing: &Drawing) -> bool {
    step.number.is_some_and(|number| {
        let end = drawing.link(number).last();
        end.is_none_or(|end| step.cells.first() == Some(end))
    })
}

/// Reveals the next cells of a link, preferably of one that is started.
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
