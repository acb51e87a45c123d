//! Boards, slides and symmetries as the evaluations of beams take them.

use crate::util::grid::{Cell, Size};

/// The largest board for a beam, in cells: cell and tile numbers are bytes.
pub const MAX_CELLS: usize = 256;

/// The cells of a board, and zeros behind them.
pub(super) type PaddedBoard = [u8; 2 * MAX_CELLS];

/// Values by tile or cell: an index of a byte needs no check.
pub(super) type ByBytes<T> = Box<[T; MAX_CELLS]>;

/// The cell outside the board.
pub(super) const OUTSIDE: u16 = MAX_CELLS as u16;

/// A tile's direction, as an index of [`Direction::ALL`](crate::util::grid::Direction::ALL). The opposite direction differs in bit 1.
pub(super) type DirectionIndex = u8;

pub(super) const fn back(way: DirectionIndex) -> DirectionIndex {
    way ^ 2
}

/// The move of a tile into the blank's cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexedSlide {
    pub(super) tile: u8,
    pub(super) source: u8,
    pub(super) blank: u8,
    pub(super) way: DirectionIndex,
}

/// The reflections and rotations of a square.
pub(super) const SQUARE_SYMMETRIES: usize = 8;

/// Returns where a symmetry of a square moves a row and column; `last` is the last of both.
pub(super) fn square_image(symmetry: usize, [row, col]: [usize; 2], last: usize) -> [usize; 2] {
    let [is_transposed, mirrors_rows, mirrors_cols] = [1, 2, 4].map(|bit| symmetry & bit != 0);
    let row = if mirrors_rows { last - row } else { row };
    let col = if mirrors_cols { last - col } else { col };
    if is_transposed { [col, row] } else { [row, col] }
}

/// Returns the offsets and, after these, the opposite ones.
pub(super) const fn with_opposites<const HALF: usize, const ALL: usize>(
    offsets: [(isize, isize); HALF],
) -> [(isize, isize); ALL] {
    let mut all = [(0, 0); ALL];
    let mut n = 0;
    while n < HALF {
        let (rows, cols) = offsets[n];
        all[n] = (rows, cols);
        all[n + HALF] = (-rows, -cols);
        n += 1;
    }
    all
}

/// Returns the cell at an offset of rows and columns from a cell, unless it is outside the board.
pub(super) fn cell_at(size: Size, cell: Cell, (down, right): (isize, isize)) -> Option<Cell> {
    let row = size.row_of(cell).checked_add_signed(down).filter(|&row| row < size.rows())?;
    let col = size.col_of(cell).checked_add_signed(right).filter(|&col| col < size.cols())?;
    Some(size.cell(row, col))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::util::grid::Direction;

    pub fn padded(tiles: &[u8]) -> PaddedBoard {
        let mut board = [0; 2 * MAX_CELLS];
        board[..tiles.len()].copy_from_slice(tiles);
        board
    }

    /// Returns slides from some board on, each with the tiles before and after it.
    pub fn walk(
        size: Size,
        mut tiles: Vec<u8>,
        steps: usize,
    ) -> Vec<(Vec<u8>, IndexedSlide, Vec<u8>)> {
        let slides = (0..steps).filter_map(|step| {
            let way = (step * step / 3 + step / 7) % 4;
            let blank = tiles.iter().position(|&tile| tile == 0).unwrap();
            let back = Direction::ALL[way].opposite();
            let source = usize::from(size.neighbour(Cell(blank as u16), back)?.0);
            let before = tiles.clone();
            tiles.swap(source, blank);
            let (tile, way) = (before[source], way as u8);
            let slide = IndexedSlide { tile, source: source as u8, blank: blank as u8, way };
            Some((before, slide, tiles.clone()))
        });
        slides.collect()
    }
}
