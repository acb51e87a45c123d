//! Boards as sequences of tiles, one sequence for each axis.
//!
//! The tiles are written down line by line, without the blank: by rows for the vertical axis, by
//! columns for the horizontal one. A slide within a line then changes nothing. A slide across lines
//! takes each of its tiles past as many others as a line has less one, which turns a window as long
//! as a line by one place.

use crate::puzzle::slide::Board;
use crate::util::grid::{Cell, Size};

/// The largest board whose tiles fit a sequence, in cells.
pub(crate) const MAX_CELLS: usize = 16;
/// The bits of a tile, or of its colour.
pub(super) const DIGIT: u32 = 4;

/// Tiles or their colours, the first in the lowest four bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TileSequence(pub(super) u64);

/// The axis along which the blank goes from line to line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Axis {
    is_vertical: bool,
    pub(crate) lines: usize,
    /// The cells of a line.
    pub(crate) width: usize,
}

impl Axis {
    /// Returns the vertical axis, whose lines are rows, and the horizontal one.
    pub(crate) const fn both(size: Size) -> [Self; 2] {
        let (rows, cols) = (size.rows(), size.cols());
        [
            Self { is_vertical: true, lines: rows, width: cols },
            Self { is_vertical: false, lines: cols, width: rows },
        ]
    }

    const fn cell(self, size: Size, line: usize, place: usize) -> Cell {
        if self.is_vertical { size.cell(line, place) } else { size.cell(place, line) }
    }

    /// Returns the sequence of a board of at most [`MAX_CELLS`] cells; `digit` gives for each tile
    /// four bits.
    pub(crate) fn sequence(self, board: &Board, digit: impl Fn(u16) -> u8) -> TileSequence {
        let cells = (0..self.lines)
            .flat_map(|line| (0..self.width).map(move |place| (line, place)))
            .map(|(line, place)| board.tile(self.cell(board.size(), line, place)));
        let tiles = cells.filter(|&tile| tile != 0);
        let shifts = (0..).step_by(DIGIT as usize);
        TileSequence(
            tiles.zip(shifts).fold(0, |all, (tile, by)| all | u64::from(digit(tile)) << by),
        )
    }

    /// Returns the sequence after a slide that takes the blank from one line to another.
    #[inline]
    pub(crate) const fn slide(
        self,
        mut sequence: TileSequence,
        mut line: usize,
        to: usize,
        place: usize,
    ) -> TileSequence {
        while line < to {
            sequence = self.forth(sequence, line, place);
            line += 1;
        }
        while line > to {
            line -= 1;
            sequence = self.back(sequence, line, place);
        }
        sequence
    }

    /// Calls `visit` for each slide along the axis from a place of the blank, with the line that
    /// the blank comes to and the sequence then; stops when it returns true, and returns whether it
    /// did.
    #[inline]
    pub(crate) fn any_slide(
        self,
        sequence: TileSequence,
        line: usize,
        place: usize,
        mut visit: impl FnMut(usize, TileSequence) -> bool,
    ) -> bool {
        let mut after = sequence;
        for line in line + 1..self.lines {
            after = self.forth(after, line - 1, place);
            if visit(line, after) {
                return true;
            }
        }
        let mut after = sequence;
        for line in (0..line).rev() {
            after = self.back(after, line, place);
            if visit(line, after) {
                return true;
            }
        }
        false
    }

    /// Takes the blank from a line to the next one: the last tile of the window comes first.
    #[inline]
    const fn forth(
        self,
        TileSequence(tiles): TileSequence,
        line: usize,
        place: usize,
    ) -> TileSequence {
        let (shift, turned, mask) = self.window(line, place);
        let window = tiles >> shift & mask;
        TileSequence(tiles ^ (window ^ (window << DIGIT & mask | window >> turned)) << shift)
    }

    /// Takes the blank to a line from the next one.
    #[inline]
    const fn back(
        self,
        TileSequence(tiles): TileSequence,
        line: usize,
        place: usize,
    ) -> TileSequence {
        let (shift, turned, mask) = self.window(line, place);
        let window = tiles >> shift & mask;
        TileSequence(tiles ^ (window ^ (window >> DIGIT | window << turned & mask)) << shift)
    }

    /// Returns the first bit of the window between a place and the same of the next line, its bits
    /// less those of a tile, and a mask of all.
    #[inline]
    const fn window(self, line: usize, place: usize) -> (u32, u32, u64) {
        let turned = DIGIT * (self.width as u32 - 1);
        let first = DIGIT * (line * self.width + place) as u32;
        (first, turned, (1 << (turned + DIGIT)) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_slide_changes_the_sequence_of_its_axis_only(board in any_board()) {
            let size = board.size();
            prop_assume!((2..=MAX_CELLS).contains(&size.cells()) && size.rows().min(size.cols()) > 1);
            let sequence = |axis: Axis, board: &Board| axis.sequence(board, |tile| tile as u8);
            let [vertical, horizontal] = Axis::both(size);
            for (axis, other) in [(vertical, horizontal), (horizontal, vertical)] {
                let (row, col) = (size.row_of(board.blank()), size.col_of(board.blank()));
                let (line, place) = if axis == vertical { (row, col) } else { (col, row) };
                let mut slides = 0;
                axis.any_slide(sequence(axis, &board), line, place, |to, after| {
                    let mut played = board.clone();
                    played.play(axis.cell(size, to, place)).unwrap();
                    assert_eq!(sequence(axis, &played), after);
                    assert_eq!(axis.slide(sequence(axis, &board), line, to, place), after);
                    assert_eq!(sequence(other, &played), sequence(other, &board));
                    slides += 1;
                    false
                });
                prop_assert_eq!(slides, axis.lines - 1);
            }
        }
    }
}
