//! Keys and clicks as moves of the sliding puzzle.

use crate::families::input::{BoardKey, InputAction, MouseAction, Reach};
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::util::grid::{Cell, Direction};

/// Handles a key: a tile slides in its direction or, reversed, the blank moves there.
pub(super) fn key(board: &Board, key: BoardKey, reversed: bool) -> InputAction {
    match key {
        BoardKey::Go(direction, reach) => go(board, direction, reach, reversed),
        BoardKey::Grip
        | BoardKey::Back
        | BoardKey::Clear
        | BoardKey::Undo
        | BoardKey::Jump { .. }
        | BoardKey::Number(_) => InputAction::None,
    }
}

/// Handles the mouse: a press slides the tile under it.
pub(super) fn mouse(board: &Board, action: MouseAction, at: Option<Cell>) -> InputAction {
    match action {
        MouseAction::Press => play(at.filter(|&cell| board.slide_of(cell).is_ok())),
        MouseAction::Drag | MouseAction::Release => InputAction::None,
    }
}

fn go(board: &Board, direction: Direction, reach: Reach, reversed: bool) -> InputAction {
    let direction = if reversed { direction.opposite() } else { direction };
    play(match reach {
        Reach::One => board.cell_for(direction),
        Reach::Line => board.far_cell_for(direction),
    })
}

fn play(cell: Option<Cell>) -> InputAction {
    cell.map_or(InputAction::None, |cell| InputAction::Play(Move::Slide(cell)))
}
