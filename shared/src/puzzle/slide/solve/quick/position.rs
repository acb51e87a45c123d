//! Rows and columns as signed numbers, for differences.

use crate::util::grid::{Cell, Direction, Size};

/// A row and a column; may lie outside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub row: i32,
    pub col: i32,
}

impl Position {
    pub(super) fn of(size: Size, cell: Cell) -> Self {
        let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        Self { row: number(size.row_of(cell)), col: number(size.col_of(cell)) }
    }

    /// Returns the cell, if it is on the board.
    pub(super) fn cell(self, size: Size) -> Option<Cell> {
        let (row, col) = (usize::try_from(self.row).ok()?, usize::try_from(self.col).ok()?);
        (row < size.rows() && col < size.cols()).then(|| size.cell(row, col))
    }

    /// Returns where a tile comes from that slides here in a direction.
    pub(super) const fn before(self, way: Direction) -> Self {
        let Self { row, col } = self;
        match way {
            Direction::Left => Self { row, col: col + 1 },
            Direction::Up => Self { row: row + 1, col },
            Direction::Right => Self { row, col: col - 1 },
            Direction::Down => Self { row: row - 1, col },
        }
    }

    pub(super) const fn distance(self, other: Self) -> i32 {
        (self.row - other.row).abs() + (self.col - other.col).abs()
    }
}
