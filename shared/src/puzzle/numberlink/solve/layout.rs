//! A puzzle read from one of its sides, with the precomputed options of each cell.

use crate::puzzle::numberlink::{MAX_CELLS, Puzzle, Square};
use crate::util::grid::Cell;

/// Room for one entry per cell, rounded to a power of two: an index is masked instead of checked.
pub(super) const ROOM: usize = 4096;
const _: () = assert!(MAX_CELLS < ROOM);

/// Marks an end whose fragment contains a number's terminals.
pub(super) const NUMBERED: u16 = 0x8000;

pub(super) const TERMINAL: u8 = 1;
pub(super) const SOLID: u8 = 2;
/// A link may leave the cell to the right.
pub(super) const RIGHT: u8 = 4;
/// A link may leave the cell downwards.
pub(super) const DOWN: u8 = 8;
/// A link that does not touch itself may turn from right to down here.
pub(super) const RIGHT_AND_DOWN: u8 = 16;
/// A link that does not touch itself may turn from left to down here.
pub(super) const LEFT_AND_DOWN: u8 = 32;

/// The side at which a search starts. Mirroring left and right makes almost no difference, so four
/// of the eight orientations are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// A puzzle oriented so that one of its sides is the first row.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub rows: usize,
    pub cols: usize,
    /// The flags of each cell, by the constants above.
    pub cells: Vec<u8>,
    /// For each cell, the columns to its left in which a turn from right to down would meet one
    /// from left to down here.
    pub meets: Vec<u64>,
    /// The other terminal of each terminal's number; all other cells are their own mates.
    pub mates: Vec<u16>,
    pub origin: Vec<Cell>,
}

impl Side {
    /// Returns all four, the shorter sides first.
    pub fn all(puzzle: &Puzzle) -> [Self; 4] {
        if puzzle.size().cols() > puzzle.size().rows() {
            [Self::Left, Self::Right, Self::Top, Self::Bottom]
        } else {
            [Self::Top, Self::Bottom, Self::Left, Self::Right]
        }
    }
}

impl Layout {
    pub fn new(puzzle: &Puzzle, side: Side) -> Self {
        let size = puzzle.size();
        let turned = match side {
            Side::Top | Side::Bottom => size,
            Side::Left | Side::Right => size.transposed(),
        };
        let (rows, cols) = (turned.rows(), turned.cols());
        let mut origin = Vec::with_capacity(rows * cols);
        for row in 0..rows {
            let from_end = rows - 1 - row;
            origin.extend((0..cols).map(|col| match side {
                Side::Top => size.cell(row, col),
                Side::Bottom => size.cell(from_end, col),
                Side::Left => size.cell(col, row),
                Side::Right => size.cell(col, from_end),
            }));
        }
        let mut index_of = vec![0u16; rows * cols];
        for (at, cell) in (0u16..).zip(&origin) {
            index_of[usize::from(cell.0)] = at;
        }
        let mut mates: Vec<u16> = (0u16..).take(rows * cols).collect();
        for &[from, to] in puzzle.pairs() {
            let (from, to) = (index_of[usize::from(from.0)], index_of[usize::from(to.0)]);
            mates[usize::from(from)] = to | NUMBERED;
            mates[usize::from(to)] = from | NUMBERED;
        }
        let kind = |cell: &Cell| match puzzle.square(*cell) {
            Square::Open => 0,
            Square::Solid => SOLID,
            Square::Terminal(_) => TERMINAL,
        };
        let mut layout = Self {
            rows,
            cols,
            cells: origin.iter().map(kind).collect(),
            meets: vec![0; origin.len()],
            mates,
            origin,
        };
        layout.find_exits();
        layout.find_meetings();
        layout
    }

    /// Returns for each row the cells with any of some flags, a bit per column.
    pub fn rows_with(&self, flags: u8) -> Vec<u64> {
        let row = |cells: &[u8]| {
            let bit = |(col, &cell): (usize, &u8)| u64::from(cell & flags != 0) << col;
            cells.iter().enumerate().map(bit).sum()
        };
        self.cells.chunks(self.cols).map(row).collect()
    }

    /// Computes the flags of the cells, from the last to the first.
    ///
    /// Inside a turn from right to down lies a cell that cannot belong to the same link, or the
    /// link would touch itself. Its link can leave it only to the right and downwards: it turns
    /// the same way, or ends there. So turns form diagonals up to a terminal or a solid cell; a
    /// diagonal that would reach the edge is impossible.
    fn find_exits(&mut self) {
        let (rows, cols) = (self.rows, self.cols);
        for at in (0..rows * cols).rev() {
            let (row, col) = (at / cols, at % cols);
            if self.cells[at] & SOLID != 0 {
                continue;
            }
            let right = col + 1 < cols && self.cells[at + 1] & SOLID == 0;
            let down = row + 1 < rows && self.cells[at + cols] & SOLID == 0;
            let left = col > 0 && self.cells[at - 1] & SOLID == 0;
            let mut exits = 0;
            if right {
                exits |= RIGHT;
            }
            if down {
                exits |= DOWN;
            }
            let ends = TERMINAL | SOLID;
            if right && down && self.cells[at + cols + 1] & (ends | RIGHT_AND_DOWN) != 0 {
                exits |= RIGHT_AND_DOWN;
            }
            if left && down && self.cells[at + cols - 1] & (ends | LEFT_AND_DOWN) != 0 {
                exits |= LEFT_AND_DOWN;
            }
            self.cells[at] |= exits;
        }
    }

    /// Computes which turns would meet, from the last row to the first.
    ///
    /// The diagonals of two turns in a row (see [`Self::find_exits`]) extend to a terminal or a
    /// solid cell. If both would reach the same cell or adjacent cells before that, the two turns
    /// exclude each other.
    fn find_meetings(&mut self) {
        let (rows, cols) = (self.rows, self.cols);
        for row in (0..rows - 1).rev() {
            let below = (row + 1) * cols;
            let closed = |col: usize| self.cells[below + col] & (TERMINAL | SOLID) != 0;
            let closed_below: u64 = (0..cols).map(|col| u64::from(closed(col)) << col).sum();
            for col in 1..cols {
                if !closed(col - 1) {
                    let near = (1 << (col - 1)) | (1 << (col - 1)) >> 1;
                    let met = self.meets[below + col - 1] | near;
                    self.meets[row * cols + col] = (met & !closed_below) >> 1;
                }
            }
        }
    }
}

/// Returns the indices of a word's bits, the lowest first.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
