//! Sizes, cells and directions of a rectangular grid.

use crate::util::conversions::convert_as_text;
use serde::{Deserialize, Serialize};

/// The longest side of any grid; each family of puzzles narrows it.
pub const MAX_SIDE: usize = 128;

/// M rows by N columns, 1 to 128 each; written `4x5`, rows first.
///
/// ```
/// use gridrace_shared::util::grid::{Cell, Direction, Size};
/// let size: Size = "2x3".parse()?;
/// assert_eq!((size.rows(), size.cols(), size.cells()), (2, 3, 6));
/// assert_eq!(size.neighbour(Cell(0), Direction::Down), Some(Cell(3)));
/// assert_eq!(size.neighbour(Cell(0), Direction::Up), None);
/// # Ok::<(), gridrace_shared::util::grid::SizeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    rows: u8,
    cols: u8,
}

/// An error in a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    #[error("a size is written like 4x4: rows, x, columns")]
    Unreadable,
    #[error("{rows}x{cols} is out of bounds: 1 to 128 rows and columns")]
    OutOfBounds { rows: usize, cols: usize },
}

/// A cell of a grid, numbered row by row from 0.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cell(pub u16);

/// One of the four ways along a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Left,
    Up,
    Right,
    Down,
}

impl Size {
    /// Makes a size of 1 to `MAX_SIDE` rows and columns.
    pub fn new(rows: usize, cols: usize) -> Result<Self, SizeError> {
        let side = |side: usize| u8::try_from(side).ok().filter(|_| (1..=MAX_SIDE).contains(&side));
        match (side(rows), side(cols)) {
            (Some(rows), Some(cols)) => Ok(Self { rows, cols }),
            _ => Err(SizeError::OutOfBounds { rows, cols }),
        }
    }

    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    pub const fn cols(self) -> usize {
        self.cols as usize
    }

    pub const fn cells(self) -> usize {
        self.rows() * self.cols()
    }

    /// Returns the row of a cell, from 0.
    pub const fn row_of(self, cell: Cell) -> usize {
        cell.0 as usize / self.cols()
    }

    /// Returns the column of a cell, from 0.
    pub const fn col_of(self, cell: Cell) -> usize {
        cell.0 as usize % self.cols()
    }

    /// Returns the cell at a row and column, both within the size.
    pub const fn cell(self, row: usize, col: usize) -> Cell {
        // At most 128 × 128 cells: the number fits.
        Cell((row * self.cols() + col) as u16)
    }

    pub const fn contains(self, cell: Cell) -> bool {
        (cell.0 as usize) < self.cells()
    }

    /// Returns the last cell: the lower right corner.
    pub const fn last(self) -> Cell {
        self.cell(self.rows() - 1, self.cols() - 1)
    }

    /// Returns the adjacent cell in a direction, or nothing at the edge.
    pub fn neighbour(self, cell: Cell, direction: Direction) -> Option<Cell> {
        let (row, col) = (self.row_of(cell), self.col_of(cell));
        let (row, col) = match direction {
            Direction::Left => (row, col.checked_sub(1)?),
            Direction::Up => (row.checked_sub(1)?, col),
            Direction::Right => (row, col + 1),
            Direction::Down => (row + 1, col),
        };
        (row < self.rows() && col < self.cols()).then(|| self.cell(row, col))
    }

    /// Returns the direction from a cell to an adjacent one; `None` if they are not adjacent.
    pub fn direction(self, from: Cell, to: Cell) -> Option<Direction> {
        Direction::ALL.into_iter().find(|&way| self.neighbour(from, way) == Some(to))
    }

    /// Returns the two to four adjacent cells, in the order of [`Direction::ALL`].
    pub fn neighbours(self, cell: Cell) -> impl Iterator<Item = Cell> {
        let next = move |direction| self.neighbour(cell, direction);
        Direction::ALL.into_iter().filter_map(next)
    }

    /// Returns the Manhattan distance of two cells.
    pub const fn distance(self, a: Cell, b: Cell) -> usize {
        self.row_of(a).abs_diff(self.row_of(b)) + self.col_of(a).abs_diff(self.col_of(b))
    }

    pub const fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows }
    }

    /// Returns where a cell lies once rows have become columns: a cell of [`Size::transposed`].
    pub const fn transposed_cell(self, cell: Cell) -> Cell {
        self.transposed().cell(self.col_of(cell), self.row_of(cell))
    }
}

impl std::str::FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let (rows, cols) = text.trim().split_once(['x', 'X', '×']).ok_or(SizeError::Unreadable)?;
        let side = |side: &str| match side.parse::<u16>() {
            Ok(number) if !side.starts_with('+') => Ok(usize::from(number)),
            _ => Err(SizeError::Unreadable),
        };
        Self::new(side(rows)?, side(cols)?)
    }
}

convert_as_text!(Size);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Direction {
    pub const ALL: [Self; 4] = [Self::Left, Self::Up, Self::Right, Self::Down];

    /// Returns the direction's letter: `L`, `U`, `R` or `D`.
    pub const fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Up => 'U',
            Self::Right => 'R',
            Self::Down => 'D',
        }
    }

    /// Returns the direction of a letter, upper or lower case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.letter() == letter.to_ascii_uppercase())
    }

    pub const fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
        }
    }
}

/// Writes the faults of a board into one line, as many as are worth reading.
pub(crate) fn list_faults<T: std::fmt::Display>(
    f: &mut std::fmt::Formatter<'_>,
    faults: &[T],
) -> std::fmt::Result {
    const SHOWN: usize = 8;
    for (n, fault) in faults.iter().take(SHOWN).enumerate() {
        write!(f, "{}{fault}", if n > 0 { "; " } else { "" })?;
    }
    match faults.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => write!(f, "; and {more} more"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_bounded() {
        assert_eq!("4×5".parse(), Size::new(4, 5));
        for bad in ["", "4", "x", "4x", "4x+5", "4x5x6", "-1x4", "99999999x4"] {
            assert_eq!(bad.parse::<Size>(), Err(SizeError::Unreadable), "{bad}");
        }
        for bad in ["0x4", "4x129"] {
            assert!(matches!(bad.parse::<Size>(), Err(SizeError::OutOfBounds { .. })), "{bad}");
        }
    }

    #[test]
    fn a_step_and_the_step_back_lead_home() {
        let size = Size::new(3, 4).unwrap();
        for cell in (0..12).map(Cell) {
            for direction in Direction::ALL {
                if let Some(next) = size.neighbour(cell, direction) {
                    assert_eq!(size.distance(cell, next), 1);
                    assert_eq!(size.neighbour(next, direction.opposite()), Some(cell));
                }
            }
        }
    }
}
