//! The sliding puzzle in a replay: boards tile by tile, moves by the index of the cell among
//! those that can slide.

use crate::puzzle::slide::{Board, HEAT_SIDES, SlideSpec};
use crate::util::byte_codec::{ByteReader, ReadError, put_number, put_size};
use crate::util::grid::{Cell, Size};

/// Writes a board: rows, columns, and the tiles row by row, 0 for the blank.
pub(crate) fn put_board(out: &mut Vec<u8>, board: &Board) {
    put_size(out, board.size());
    for &tile in board.tiles() {
        put_number(out, tile.into());
    }
}

/// Reads a board of a size that a heat may have.
pub(crate) fn read_board(source: &mut ByteReader<'_>) -> Result<Board, ReadError> {
    let size = source.size(*HEAT_SIDES.end(), SlideSpec::try_from)?;
    let offset = source.offset();
    let last = size.cells() as u64 - 1;
    let tile = |_| source.number("a tile", last).map(|tile| tile as u16);
    let tiles: Vec<u16> = (0..size.cells()).map(tile).collect::<Result<_, _>>()?;
    Board::from_tiles(size, tiles).map_err(|faults| source.unknown_at(offset, "a board", &faults))
}

/// The position of a player's blank, relative to which moves are encoded.
#[derive(Debug, Clone, Copy)]
pub struct SlideCodec {
    size: Size,
    blank: Cell,
}

impl SlideCodec {
    pub(crate) const fn new(start: &Board) -> Self {
        Self { size: start.size(), blank: start.blank() }
    }

    /// Returns how many cells can slide, wherever the blank is.
    pub(crate) const fn choices(self) -> u64 {
        (self.size.rows() + self.size.cols() - 2) as u64
    }

    /// Takes a move, and returns which of the cells that can slide it names, in their
    /// order: in the blank's column above it, in its row, in its column below it.
    pub(crate) fn choose(&mut self, cell: Cell) -> Option<u64> {
        if !self.size.contains(cell) {
            return None;
        }
        let (row, col) = self.place(cell);
        let (blank_row, blank_col) = self.place(self.blank);
        let choice = match (row == blank_row, col == blank_col) {
            (true, true) | (false, false) => return None,
            (false, true) if row < blank_row => row,
            (true, false) if col < blank_col => blank_row + col,
            (true, false) => blank_row + col - 1,
            (false, true) => self.size.cols() - 1 + row - 1,
        };
        self.blank = cell;
        Some(choice as u64)
    }

    /// Takes a move by what [`SlideCodec::choose`] says of it, below [`SlideCodec::choices`].
    pub(crate) fn take(&mut self, choice: u64) -> Cell {
        let (row, col) = self.place(self.blank);
        let (choice, in_row) = (choice as usize, self.size.cols() - 1);
        let cell = if choice < row {
            self.size.cell(choice, col)
        } else if choice < row + in_row {
            let along = choice - row;
            self.size.cell(row, along + usize::from(along >= col))
        } else {
            self.size.cell(choice + 1 - in_row, col)
        };
        self.blank = cell;
        cell
    }

    const fn place(self, cell: Cell) -> (usize, usize) {
        (self.size.row_of(cell), self.size.col_of(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_choice_is_the_place_among_the_cells_that_can_slide(board in any_board()) {
            let hand = SlideCodec::new(&board);
            let legal: Vec<Cell> = board.legal_moves().collect();
            prop_assert_eq!(legal.len() as u64, hand.choices());
            for (choice, &cell) in (0u64..).zip(&legal) {
                let (mut there, mut back) = (hand, hand);
                prop_assert_eq!(there.choose(cell), Some(choice));
                prop_assert_eq!(back.take(choice), cell);
                prop_assert_eq!(there.blank, cell);
                prop_assert_eq!(back.blank, cell);
            }
            for cell in (0..300).map(Cell).filter(|cell| !legal.contains(cell)) {
                prop_assert_eq!(hand.clone().choose(cell), None);
            }
        }
    }
}
