//! How keys and clicks become moves of the sliding puzzle; the rules play them.

use gridrace_shared::grid::{Cell, Direction};
use gridrace_shared::puzzle::{Board, Move};

/// How many tiles a key moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The one beside the blank.
    One,
    /// All that are in line.
    Line,
}

/// Returns the move that sends tiles in a direction, or, reversed, the blank.
#[must_use]
pub fn play_in_direction(
    board: &Board,
    direction: Direction,
    reach: Reach,
    reversed: bool,
) -> Option<Move> {
    let Board::Slide(board) = board else {
        return None;
    };
    let direction = if reversed {
        direction.opposite()
    } else {
        direction
    };
    let cell = match reach {
        Reach::One => board.cell_for(direction),
        Reach::Line => board.far_cell_for(direction),
    };
    cell.map(Move::Slide)
}

/// Returns the move of the tile at a row and column, where it may slide.
#[must_use]
pub fn play_at(board: &Board, row: usize, column: usize) -> Option<Move> {
    let Board::Slide(board) = board else {
        return None;
    };
    let size = board.size();
    let inside = row < size.rows() && column < size.cols();
    let cell: Option<Cell> = inside.then(|| size.cell(row, column));
    cell.filter(|&cell| board.slide_of(cell).is_ok())
        .map(Move::Slide)
}
