//! Numberlink, in words.

use crate::families::puzzle_text::{Advice, Help};
use crate::tui::model::LinkPen;
use crate::tui::theme::Look;
use crate::tui::view::board::label;
use crate::tui::view::text;
use gridrace_shared::puzzle::numberlink::Drawing;
use gridrace_shared::puzzle::numberlink::deduce::{LinkHint, Reason};
use gridrace_shared::util::grid::Cell;

/// What two counts of moves are called.
pub(crate) const COUNTS: &str = "moves/drawn";

/// What stands before the fewest moves that a board takes.
pub(crate) const BEST: &str = "A perfect race has";

/// What a bot's pace counts.
pub(crate) const PACE: &str = "cells/s";

/// What the keys do, for the help.
pub(crate) const HELP: [Help; 7] = [
    ("arrows", "or wasd, or hjkl: move; pen down, draw", "or wasd hjkl: move, draw"),
    ("space", "or enter: pen down at a number or link; up", "pen down, pen up"),
    ("shift", "with arrows: as far as it goes", "as far as it goes"),
    ("bksp c u", "a step back, clear the link, undo", "back, clear link, undo"),
    ("esc", "drop what the pen holds", "drop what you hold"),
    ("tab 1-9", "pen up; to the next open number or that one", "pen up; next number"),
    ("mouse", "drag to draw; click a number to clear it", "drag; click clears"),
];

/// Returns what the keys do in a race, before and after the key for a hint.
pub(crate) const fn keys(held: bool) -> [&'static [(&'static str, &'static str)]; 2] {
    if held {
        [&[("arrows", "draw"), ("space", "let go"), ("bksp", "back")], &[("esc", "drop")]]
    } else {
        [&[("arrows", "move"), ("space", "draw")], &[("u", "undo"), ("c", "clear")]]
    }
}

/// Returns how many moves somebody has made, and what they have come to.
pub(crate) fn moves(moves: u32, drawing: &Drawing, wordy: bool) -> String {
    let moves = text::counted(moves as usize, "move", "moves");
    let pairs = drawing.puzzle().pairs().len();
    let links = if wordy { " links" } else { "" };
    format!("{moves}  {}/{pairs}{links}", drawing.linked())
}

/// Returns what the pen holds; or, where every number is linked, what is still empty.
pub(crate) fn doing(pen: &LinkPen, drawing: &Drawing) -> Option<(String, Look)> {
    if let Some(number) = pen.holds(drawing) {
        return Some((format!("drawing {}", name(number)), Look::Number(number)));
    }
    let left = drawing.puzzle().open_cells().saturating_sub(drawing.covered());
    let linked = drawing.linked() == drawing.puzzle().pairs().len();
    (linked && left > 0).then(|| {
        let cells = text::counted(left, "cell", "cells");
        (format!("{cells} still empty"), Look::Mark)
    })
}

/// Puts a hint into words.
pub(crate) fn advice(drawing: &Drawing, hint: &LinkHint) -> Advice {
    match hint {
        LinkHint::Wrong(mistake) => {
            let number = name(mistake.number);
            Advice {
                what: format!("Hint: {number} goes wrong"),
                why: "where it is marked".to_owned(),
                short: format!("{number} goes wrong"),
                because: Some("where marked"),
            }
        }
        LinkHint::Forced(step) => {
            let why = (step.reason.to_string(), because(step.reason));
            goes_on(drawing, step.number, &step.cells, why)
        }
        LinkHint::Reveal { number, cells } => {
            let why = ("nothing that is easy to see".to_owned(), "hard to see");
            goes_on(drawing, Some(*number), cells, why)
        }
    }
}

/// Says that a link goes on as it is marked.
fn goes_on(
    drawing: &Drawing,
    number: Option<u16>,
    cells: &[Cell],
    (why, because): (String, &'static str),
) -> Advice {
    let number = number.map_or_else(|| "a link".to_owned(), name);
    Advice {
        what: format!("Hint: {number} goes on like this"),
        short: format!("{number}: {}", further(drawing, cells.len())),
        why,
        because: Some(because),
    }
}

/// Returns a reason in as few letters as the narrowest panel has columns, 15.
const fn because(reason: Reason) -> &'static str {
    match reason {
        Reason::Corner => "a narrow corner",
        Reason::OnlyWayOut => "only way out",
        Reason::PassThrough => "two ways left",
        Reason::Ring => "else a ring",
        Reason::WouldTouch => "else it touches",
        Reason::DeadEnd => "else a dead end",
        Reason::WouldCutOff => "else cut off",
        Reason::WouldStrand => "else cells lost",
        Reason::Trial { .. } => "else it fails",
        Reason::Follows => "others force it",
    }
}

/// Returns how many cells are shown beyond the one where they begin.
fn further(drawing: &Drawing, cells: usize) -> String {
    let cells = cells.saturating_sub(1).min(drawing.puzzle().open_cells());
    text::counted(cells, "cell", "cells")
}

/// Returns a number as it is written on a board, large or small.
fn name(number: u16) -> String {
    match number {
        0..=9 => number.to_string(),
        10.. => format!("{number} ({})", label(number, 1)),
    }
}
