//! Boards and slides as the evaluations of beams take them.

use crate::util::grid::{Cell, Size};

/// The largest board for a beam, in cells: cell and tile numbers are bytes.
pub const MAX_CELLS: usize = 256;

/// The cells of a board, and zeros behind them.
pub(super) type PaddedBoard = [u8; 2 * MAX_CELLS];

/// The cell outside the board.
pub(super) const OUTSIDE: u16 = MAX_CELLS as u16;

/// A tile's direction, as an index of [`Direction::ALL`](crate::util::grid::Direction::ALL). The opposite direction differs in bit 1.
pub(super) type DirectionIndex = u8;

pub(super) const fn back(way: DirectionIndex) -> DirectionIndex {
    way ^ 2
}

/// The move of a tile into the blank's cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slide {
    pub(super) tile: u8,
    pub(super) source: u8,
    pub(super) blank: u8,
    pub(super) way: DirectionIndex,
}

/// Returns the cell at an offset of rows and columns from a cell.
pub(super) fn cell_at(size: Size, cell: Cell, (down, right): (isize, isize)) -> Option<Cell> {
    let row = size.row_of(cell).checked_add_signed(down).filter(|&row| row < size.rows())?;
    let col = size.col_of(cell).checked_add_signed(right).filter(|&col| col < size.cols())?;
    Some(size.cell(row, col))
}

#[cfg(test)]
pub(super) fn padded(board: &crate::puzzle::slide::Board) -> PaddedBoard {
    let mut tiles = [0; 2 * MAX_CELLS];
    for (to, &tile) in tiles.iter_mut().zip(board.tiles()) {
        *to = tile as u8;
    }
    tiles
}
