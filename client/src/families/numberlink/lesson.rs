//! The deductions of Numberlink in words, for those who learn them.

use crate::families::family_ui::{Lesson, direction_key};
use crate::families::numberlink::input::LinkPen;
use crate::families::numberlink::text::name;
use gridrace_shared::puzzle::numberlink::deduce::{LinkHint, Reason};
use gridrace_shared::puzzle::numberlink::{Drawing, Square};
use gridrace_shared::util::grid::{Cell, Direction, Size};

/// Returns the step of a hint.
pub(super) fn lesson(drawing: &Drawing, pen: &LinkPen, hint: &LinkHint) -> Lesson {
    let (step, why) = match hint {
        LinkHint::Wrong(mistake) => (
            format!("Link {} goes wrong", name(mistake.number)),
            "From the marked cell on it blocks others: no solution has it there. Take it back, and \
             look what else it could do."
                .to_owned(),
        ),
        LinkHint::Forced(step) => {
            let number = step.number.map_or_else(|| "?".to_owned(), name);
            let (title, why) = reason(step.reason);
            (format!("Link {number}: {title}"), why.to_owned())
        }
        LinkHint::Reveal { number, .. } => (
            format!("Link {}: hard to see", name(*number)),
            "Nothing is forced that is easy to see. This is the next cell of the solution; go on \
             thinking from there."
                .to_owned(),
        ),
    };
    let (keys, act) = match hint {
        LinkHint::Wrong(mistake) => take_back(drawing, pen, mistake.from),
        LinkHint::Forced(step) => draw(drawing, pen, &step.cells),
        LinkHint::Reveal { cells, .. } => draw(drawing, pen, cells),
    };
    Lesson { step, why, keys, act: act.to_owned() }
}

/// Returns the keys that draw along cells from where the pen is, and what they do.
fn draw(drawing: &Drawing, pen: &LinkPen, cells: &[Cell]) -> (Vec<&'static str>, &'static str) {
    let puzzle = drawing.puzzle();
    let (Some(&first), Some(&last)) = (cells.first(), cells.last()) else {
        return (Vec::new(), "");
    };
    let is_pen_up = pen.holds(drawing).is_none();
    let from = match cells.iter().position(|&cell| cell == pen.cursor()) {
        Some(0) if is_pen_up => 0,
        Some(at) if !is_pen_up => at,
        _ if is_pen_up => return (way(puzzle.size(), pen.cursor(), first), "to the marked link"),
        _ => return (vec!["esc"], "drops what you draw"),
    };
    let steps = cells[from..].windows(2).map(|pair| way(puzzle.size(), pair[0], pair[1]));
    let mut keys: Vec<&'static str> = if is_pen_up { vec!["space"] } else { Vec::new() };
    keys.extend(steps.flatten());
    // At a terminal the pen goes up by itself.
    if !matches!(puzzle.square(last), Square::Terminal(_)) {
        keys.push("space");
    }
    (keys, "draws as it is marked")
}

fn take_back(drawing: &Drawing, pen: &LinkPen, from: Cell) -> (Vec<&'static str>, &'static str) {
    if pen.holds(drawing).is_some() {
        return (vec!["esc"], "drops what you draw");
    }
    let mut keys = way(drawing.puzzle().size(), pen.cursor(), from);
    keys.push("backspace");
    (keys, "takes the link back to before the mark")
}

/// Returns the keys from a cell to another, by rows first.
fn way(size: Size, from: Cell, to: Cell) -> Vec<&'static str> {
    let [rows, columns] = [size.row_of(from), size.col_of(from)];
    let (down, right) = (size.row_of(to) > rows, size.col_of(to) > columns);
    let vertical = direction_key(if down { Direction::Down } else { Direction::Up });
    let horizontal = direction_key(if right { Direction::Right } else { Direction::Left });
    let mut keys = vec![vertical; size.row_of(to).abs_diff(rows)];
    keys.extend(vec![horizontal; size.col_of(to).abs_diff(columns)]);
    keys
}

/// Returns a kind of deduction, and why it holds.
const fn reason(reason: Reason) -> (&'static str, &'static str) {
    match reason {
        Reason::Corner => (
            "a corner",
            "Every cell is on a link. A cell in a corner has only two neighbours, so the link there \
             comes from one and goes on to the other.",
        ),
        Reason::OnlyWayOut => (
            "the only way out",
            "The end of this link has one free neighbour left. It must go there, and on as long as \
             there is no choice.",
        ),
        Reason::PassThrough => (
            "a cell with two ways",
            "No cell stays empty. A free cell with only two free neighbours is passed through: a link \
             comes from one and goes on to the other.",
        ),
        Reason::Ring => ("no rings", "Any other way would close a ring, which leads to no letter."),
        Reason::WouldTouch => (
            "it would touch itself",
            "Any other way, the link comes beside itself. There it could be cut short, and the puzzle \
             would have a second solution; it has only one.",
        ),
        Reason::DeadEnd => (
            "a dead end",
            "Any other way leaves a free cell with a single neighbour. A link could get in there, but \
             not out again.",
        ),
        Reason::WouldCutOff => (
            "others are cut off",
            "Any other way is a wall between the two ends of another letter, which could never meet.",
        ),
        Reason::WouldStrand => {
            ("cells are lost", "Any other way walls off cells that no link can reach any more.")
        }
        Reason::Trial { .. } => (
            "try it in your head",
            "Take each other way in your head, a few steps on: each runs into a dead end, a ring, or a \
             letter that is cut off. This one way is left.",
        ),
        Reason::Follows => (
            "the others need the room",
            "Look at the links around it: what they must do leaves only this way.",
        ),
    }
}
