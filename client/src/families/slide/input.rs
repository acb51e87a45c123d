//! How keys and clicks become moves of the sliding puzzle; the rules play them.

use crate::tui::event::Button;
use crate::tui::keymap::HandKey;
use crate::tui::model::{Act, Reach};
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::util::grid::{Cell, Direction};

/// Takes a key: tiles go in its direction, or, reversed, the blank.
pub(crate) fn key(board: &Board, key: HandKey, reversed: bool) -> Act {
    match key {
        HandKey::Go(direction, reach) => go(board, direction, reach, reversed),
        HandKey::Grip
        | HandKey::Back
        | HandKey::Clear
        | HandKey::Undo
        | HandKey::Jump { .. }
        | HandKey::Number(_) => Act::Nothing,
    }
}

/// Takes the mouse: the tile under it slides.
pub(crate) fn mouse(board: &Board, button: Button, at: Option<Cell>) -> Act {
    match button {
        Button::Press => play(at.filter(|&cell| board.slide_of(cell).is_ok())),
        Button::Drag | Button::Release => Act::Nothing,
    }
}

fn go(board: &Board, direction: Direction, reach: Reach, reversed: bool) -> Act {
    let direction = if reversed { direction.opposite() } else { direction };
    play(match reach {
        Reach::One => board.cell_for(direction),
        Reach::Line => board.far_cell_for(direction),
    })
}

fn play(cell: Option<Cell>) -> Act {
    cell.map_or(Act::Nothing, |cell| Act::Play(Move::Slide(cell)))
}
