//! A puzzle as the search reads it: turned into one of its eight orientations, with what
//! each cell allows worked out beforehand.

use crate::grid::Cell;
use crate::numberlink::{MOST_CELLS, Puzzle, Square};

/// Room for one entry a cell, and a power of two: an index is masked rather than checked.
pub(super) const ROOM: usize = 2048;
const _: () = assert!(MOST_CELLS < ROOM);

/// Says of an end that its fragment holds a number's terminals.
pub(super) const NUMBERED: u16 = 0x8000;

/// The cell is a terminal.
pub(super) const TERMINAL: u8 = 1;
/// The cell is solid.
pub(super) const SOLID: u8 = 2;
/// A link may leave the cell to the right.
pub(super) const RIGHT: u8 = 4;
/// A link may leave the cell downwards.
pub(super) const DOWN: u8 = 8;
/// A link that doesn't touch itself may turn from right to down here.
pub(super) const RIGHT_AND_DOWN: u8 = 16;
/// A link that doesn't touch itself may turn from left to down here.
pub(super) const LEFT_AND_DOWN: u8 = 32;

/// One of the eight ways in which a rectangle can be laid on the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Orientation {
    /// Rows become columns.
    pub transposed: bool,
    /// Read from the last row of the puzzle, or its last column where transposed.
    pub from_below: bool,
    /// Read each row from its end.
    pub from_right: bool,
}

/// A puzzle in one orientation.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub rows: usize,
    pub cols: usize,
    /// What each cell is and allows, by the constants above.
    pub cells: Vec<u8>,
    /// The other terminal of each terminal's number; itself for every other cell.
    pub mates: Vec<u16>,
    /// Each cell's own cell of the puzzle.
    pub origin: Vec<Cell>,
}

impl Orientation {
    /// Returns all eight, those with the shorter rows first.
    pub fn all(puzzle: &Puzzle) -> [Self; 8] {
        let lengthwise = puzzle.size().cols() > puzzle.size().rows();
        std::array::from_fn(|n| Self {
            transposed: lengthwise != (n & 4 != 0),
            from_below: n & 1 != 0,
            from_right: n & 2 != 0,
        })
    }
}

impl Layout {
    /// Lays a puzzle out.
    pub fn new(puzzle: &Puzzle, orientation: Orientation) -> Self {
        let size = puzzle.size();
        let turned = if orientation.transposed {
            size.transposed()
        } else {
            size
        };
        let (rows, cols) = (turned.rows(), turned.cols());
        let mut origin = Vec::with_capacity(rows * cols);
        for row in 0..rows {
            let row = flipped(row, rows, orientation.from_below);
            for col in 0..cols {
                let col = flipped(col, cols, orientation.from_right);
                origin.push(if orientation.transposed {
                    size.cell(col, row)
                } else {
                    size.cell(row, col)
                });
            }
        }
        let mut here = vec![0u16; rows * cols];
        for (at, cell) in (0u16..).zip(&origin) {
            here[usize::from(cell.0)] = at;
        }
        let mut mates: Vec<u16> = (0u16..).take(rows * cols).collect();
        for &[from, to] in puzzle.pairs() {
            let (from, to) = (here[usize::from(from.0)], here[usize::from(to.0)]);
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
            mates,
            origin,
        };
        layout.find_exits();
        layout
    }

    /// Works out what each cell allows, from the last to the first.
    ///
    /// Inside of a turn from right to down lies a cell that can't belong to the same link,
    /// or the link would touch itself. Its link can leave it to the right and downwards
    /// only: it turns the same way, or ends there. So turns come in diagonal rows, up to a
    /// terminal or a solid cell; a row that would run into the edge is impossible.
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
}

const fn flipped(at: usize, of: usize, is_flipped: bool) -> usize {
    if is_flipped { of - 1 - at } else { at }
}
