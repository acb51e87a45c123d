//! Hints for a player's drawing.

use crate::puzzle::numberlink::deduce::known::oriented_link;
use crate::puzzle::numberlink::deduce::{ForcedSegment, Mistake, Premise, next_segment};
use crate::puzzle::numberlink::{Drawing, Solution, Stroke};
use crate::solver::budget::{Budget, NodesUsed};
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

impl LinkHint {
    /// Returns the stroke that follows the hint on its drawing: back to where a link was right, or
    /// further on. `None` for another drawing.
    pub fn stroke(&self, drawing: &Drawing) -> Option<Stroke> {
        let cells = match self {
            Self::Wrong(Mistake { number, from }) => {
                let link = drawing.link(*number);
                let wrong = link.iter().position(|cell| cell == from)?;
                vec![*link.get(wrong.checked_sub(1)?)?]
            }
            Self::Forced(ForcedSegment { cells, .. }) | Self::Reveal { cells, .. } => cells.clone(),
        };
        Some(Stroke::Draw(cells))
    }
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
    let step = next_segment(drawing.puzzle(), drawing.links(), premise, budget, spent);
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
    let link = oriented_link(solution, usize::from(number) - 1, drawn.first());
    let ahead = link.into_iter().skip(drawn.len().saturating_sub(1));
    Some(LinkHint::Reveal { number, cells: ahead.take(1 + REVEALED_CELLS).collect() })
}

#[cfg(test)]
mod tests;
