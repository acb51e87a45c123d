//! Texts of Numberlink.

use crate::display::format;
use crate::families::family_ui::{Advice, Help, cell_name};
use crate::families::input::ARROWS;
use crate::families::numberlink::cell_glyphs::{label, letters};
use gridrace_shared::puzzle::numberlink::deduce::{LinkHint, Reason};
use gridrace_shared::puzzle::numberlink::{Drawing, Stroke};
use gridrace_shared::util::grid::Cell;

pub(super) const HELP: [Help; 7] = [
    (ARROWS, "move; pen down, draw", "move, draw"),
    ("space", "pen down at a letter or link, pen up", "pen down, pen up"),
    ("shift", "with those: as far as it goes", "as far as it goes"),
    ("bksp c u", "a step back, clear the link, undo", "back, clear link, undo"),
    ("esc", "drop what the pen holds", "drop what you hold"),
    ("tab 1-9", "pen up; to the next open letter, or A to I", "pen up; next letter"),
    ("mouse", "drag to draw; click a letter to clear it", "drag; click clears"),
];

pub(super) fn advice(drawing: &Drawing, hint: &LinkHint) -> Advice {
    match hint {
        LinkHint::Wrong(mistake) => {
            let number = name(mistake.number);
            Advice {
                what: format!("Hint: {number} goes wrong"),
                why: "where it is marked".to_owned(),
                short: format!("{number} goes wrong"),
                short_why: Some("where marked"),
            }
        }
        LinkHint::Forced(step) => {
            let why = (step.reason.to_string(), short_reason(step.reason));
            goes_on(drawing, step.number, &step.cells, why)
        }
        LinkHint::Reveal { number, cells } => {
            let why = ("nothing that is easy to see".to_owned(), "hard to see");
            goes_on(drawing, Some(*number), cells, why)
        }
    }
}

/// Returns the advice to continue a link as it is marked.
fn goes_on(
    drawing: &Drawing,
    number: Option<u16>,
    cells: &[Cell],
    (why, short_why): (String, &'static str),
) -> Advice {
    let number = number.map_or_else(|| "a link".to_owned(), name);
    Advice {
        what: format!("Hint: {number} goes on like this"),
        short: format!("{number}: {}", further(drawing, cells.len())),
        why,
        short_why: Some(short_why),
    }
}

/// Returns a reason in as few letters as the narrowest panel has columns, 15.
const fn short_reason(reason: Reason) -> &'static str {
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

/// Returns a stroke in words, for the narration of a replay.
pub(super) fn narrate(drawing: &Drawing, stroke: &Stroke) -> String {
    let Stroke::Draw(cells) = stroke else {
        return "takes a stroke back".to_owned();
    };
    let size = drawing.puzzle().size();
    match (cells.first(), cells.last()) {
        (Some(&from), Some(_)) if cells.len() == 1 => {
            format!("clears to {}", cell_name(size, from))
        }
        (Some(&from), Some(&to)) => {
            format!("draws {} to {}", cell_name(size, from), cell_name(size, to))
        }
        _ => "draws nothing".to_owned(),
    }
}

/// Returns how many cells are shown beyond the one where they begin.
fn further(drawing: &Drawing, cells: usize) -> String {
    let cells = cells.saturating_sub(1).min(drawing.puzzle().open_cells());
    format::counted(cells, "cell", "cells")
}

/// Returns the name of a link as it is written on a board, large or small.
pub(super) fn name(number: u16) -> String {
    let (letters, short) = (letters(number), label(number, 1));
    if letters == short { letters } else { format!("{letters} ({short})") }
}
