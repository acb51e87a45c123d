//! A puzzle as the search reads it: from one of its sides, with what each cell allows
//! worked out beforehand.

use crate::puzzle::numberlink::{MAX_CELLS, Puzzle, Square};
use crate::util::grid::Cell;

/// Room for one entry a cell, and a power of two: an index is masked rather than checked.
pub(super) const ROOM: usize = 2048;
const _: () = assert!(MAX_CELLS < ROOM);

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

/// The side of a puzzle that a search begins at. What is left and what is right beyond that
/// makes next to no difference to the work: of the eight ways to lay a board on the table,
/// these four are worth trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// A puzzle laid out so that one of its sides is the first row.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub rows: usize,
    pub cols: usize,
    /// What each cell is and allows, by the constants above.
    pub cells: Vec<u8>,
    /// For each cell, the columns to its left where a turn from right to down would meet one
    /// from left to down here.
    pub meets: Vec<u64>,
    /// The other terminal of each terminal's number; itself for every other cell.
    pub mates: Vec<u16>,
    /// Each cell's own cell of the puzzle.
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
    /// Lays a puzzle out.
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
            meets: vec![0; origin.len()],
            mates,
            origin,
        };
        layout.find_exits();
        layout.find_meetings();
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

    /// Works out which turns would meet, from the last row to the first.
    ///
    /// The diagonal rows of turns that two turns of a row begin (see [`Self::find_exits`])
    /// go on until a terminal or a solid cell. Where both would reach the same cell, or two
    /// cells side by side, before that, the two turns don't go together.
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
