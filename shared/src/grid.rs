//! Sizes, cells and directions of a grid.
//!
//! Every puzzle of the project lives on a grid of rows and columns whose cells are
//! numbered row by row from 0. Nothing here knows what stands in a cell.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest side that any family of puzzles may have.
///
/// 64 × 64 cells fit a `u16` sixteen times over; a family narrows this bound.
pub const MAX_SIDE: usize = 64;

/// Measures a grid in rows and columns, 1 to [`MAX_SIDE`] of each.
///
/// Written rows first: `3x4` has three rows of four cells.
///
/// ```
/// use gridrace_shared::grid::{Cell, Direction, Size};
///
/// let size: Size = "3x4".parse()?;
/// assert_eq!((size.rows(), size.cols(), size.cells()), (3, 4, 12));
/// assert_eq!(size.cell(1, 2), Cell(6));
/// assert_eq!(size.neighbour(Cell(6), Direction::Up), Some(Cell(2)));
/// assert_eq!(size.neighbour(Cell(3), Direction::Right), None);
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    rows: u8,
    cols: u8,
}

impl Size {
    /// Makes a size of so many rows and columns.
    ///
    /// # Errors
    ///
    /// [`SizeError::OutOfBounds`] where a side isn't within 1 to [`MAX_SIDE`].
    pub fn new(rows: usize, cols: usize) -> Result<Self, SizeError> {
        match (side(rows), side(cols)) {
            (Some(rows), Some(cols)) => Ok(Self { rows, cols }),
            _ => Err(SizeError::OutOfBounds {
                least: 1,
                most: MAX_SIDE,
            }),
        }
    }

    /// Hands the size on if both sides are within `least` to `most`, as a family of puzzles asks.
    ///
    /// # Errors
    ///
    /// [`SizeError::OutOfBounds`] with these bounds.
    pub fn within(self, least: usize, most: usize) -> Result<Self, SizeError> {
        let bounds = least..=most;
        if bounds.contains(&self.rows()) && bounds.contains(&self.cols()) {
            Ok(self)
        } else {
            Err(SizeError::OutOfBounds { least, most })
        }
    }

    /// Counts the rows (M).
    pub fn rows(self) -> usize {
        usize::from(self.rows)
    }

    /// Counts the columns (N).
    pub fn cols(self) -> usize {
        usize::from(self.cols)
    }

    /// Counts the cells (M·N).
    pub fn cells(self) -> usize {
        self.rows() * self.cols()
    }

    /// Tells the row of a cell, from 0 at the top; meaningful for cells of this grid only.
    pub fn row_of(self, cell: Cell) -> usize {
        cell.index() / self.cols()
    }

    /// Tells the column of a cell, from 0 at the left.
    pub fn col_of(self, cell: Cell) -> usize {
        cell.index() % self.cols()
    }

    /// Names the cell at a row and a column, both from 0 and within the grid.
    pub fn cell(self, row: usize, col: usize) -> Cell {
        debug_assert!(
            row < self.rows() && col < self.cols(),
            "({row}, {col}) isn't on {self}"
        );
        Cell::at(row * self.cols() + col)
    }

    /// Tells whether the cell lies on this grid.
    pub fn contains(self, cell: Cell) -> bool {
        cell.index() < self.cells()
    }

    /// Finds the next cell in a direction; `None` at the edge, or where `cell` isn't on the grid.
    pub fn neighbour(self, cell: Cell, direction: Direction) -> Option<Cell> {
        if !self.contains(cell) {
            return None;
        }
        let (row, col) = (self.row_of(cell), self.col_of(cell));
        match direction {
            Direction::Left => (col > 0).then(|| Cell(cell.0 - 1)),
            Direction::Up => (row > 0).then(|| Cell(cell.0 - u16::from(self.cols))),
            Direction::Right => (col + 1 < self.cols()).then(|| Cell(cell.0 + 1)),
            Direction::Down => (row + 1 < self.rows()).then(|| Cell(cell.0 + u16::from(self.cols))),
        }
    }

    /// Counts the steps between two cells, along rows and columns.
    pub fn distance(self, from: Cell, to: Cell) -> usize {
        self.row_of(from).abs_diff(self.row_of(to)) + self.col_of(from).abs_diff(self.col_of(to))
    }
}

/// The side as it is stored, where it is within bounds.
fn side(length: usize) -> Option<u8> {
    (1..=MAX_SIDE)
        .contains(&length)
        .then(|| u8::try_from(length).ok())?
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let (rows, cols) = text
            .split_once(['x', 'X', '×'])
            .ok_or(SizeError::Malformed)?;
        Self::new(side_from(rows)?, side_from(cols)?)
    }
}

/// Reads one side: digits only, since `usize` would take a sign as well.
fn side_from(text: &str) -> Result<usize, SizeError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits {
        return Err(SizeError::Malformed);
    }
    // So many digits that they overflow are a number all the same, and out of bounds.
    Ok(text.parse().unwrap_or(usize::MAX))
}

impl TryFrom<String> for Size {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, SizeError> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> Self {
        size.to_string()
    }
}

/// Says why something isn't a [`Size`].
///
/// ```
/// use gridrace_shared::grid::{Size, SizeError};
///
/// assert_eq!("4by4".parse::<Size>(), Err(SizeError::Malformed));
/// assert_eq!("0x4".parse::<Size>(), Err(SizeError::OutOfBounds { least: 1, most: 64 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SizeError {
    /// A side is shorter or longer than it may be.
    #[error("rows and columns must be within {least} to {most}")]
    OutOfBounds {
        /// The shortest side allowed.
        least: usize,
        /// The longest side allowed.
        most: usize,
    },
    /// The text isn't rows, `x` and columns.
    #[error("a size is written as rows, x and columns, such as 4x4")]
    Malformed,
}

/// Names a cell by its number: row by row from 0, top left first.
///
/// ```
/// use gridrace_shared::grid::{Cell, Size};
///
/// let size = Size::new(4, 4)?;
/// assert_eq!((size.row_of(Cell(7)), size.col_of(Cell(7))), (1, 3));
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cell(pub u16);

impl Cell {
    /// Gives the number as an index into a slice of cells.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The cell of an index below [`MAX_SIDE`]², which every index of a grid is.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a grid has at most 64 × 64 cells"
    )]
    pub(crate) fn at(index: usize) -> Self {
        debug_assert!(index < MAX_SIDE * MAX_SIDE, "{index} is on no grid");
        Self(index as u16)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Points along a row or a column.
///
/// ```
/// use gridrace_shared::grid::Direction;
///
/// let letters: String = Direction::ALL.into_iter().map(Direction::letter).collect();
/// assert_eq!(letters, "LURD");
/// assert_eq!(Direction::Left.opposite(), Direction::Right);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Towards column 0.
    Left,
    /// Towards row 0.
    Up,
    /// Away from column 0.
    Right,
    /// Away from row 0.
    Down,
}

impl Direction {
    /// All four, in the order of the letters LURD.
    pub const ALL: [Self; 4] = [Self::Left, Self::Up, Self::Right, Self::Down];

    /// Gives the letter of move strings: `L`, `U`, `R` or `D`.
    pub fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Up => 'U',
            Self::Right => 'R',
            Self::Down => 'D',
        }
    }

    /// Reads the letter of a move string, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|direction| direction.letter() == letter.to_ascii_uppercase())
    }

    /// Turns the direction round.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_with_any_of_three_crosses() {
        for text in ["3x12", "3X12", "3×12"] {
            assert_eq!(text.parse(), Size::new(3, 12), "{text}");
        }
        assert_eq!(Size::new(3, 12).unwrap().to_string(), "3x12");
    }

    #[test]
    fn what_is_no_size_is_refused_with_its_reason() {
        for text in [
            "", "4", "x", "4x", "x4", "4x4x4", " 4x4", "+4x4", "-4x4", "4 x 4", "fourx4",
        ] {
            assert_eq!(text.parse::<Size>(), Err(SizeError::Malformed), "{text:?}");
        }
        for text in ["0x4", "4x0", "65x4", "4x65", "4x99999999999999999999999999"] {
            let refused = text.parse::<Size>();
            assert_eq!(
                refused,
                Err(SizeError::OutOfBounds { least: 1, most: 64 }),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_size_travels_as_its_text() {
        let size = Size::new(5, 7).unwrap();
        let json = serde_json::to_string(&size).unwrap();
        assert_eq!(json, r#""5x7""#);
        assert_eq!(serde_json::from_str::<Size>(&json).unwrap(), size);
        assert!(serde_json::from_str::<Size>(r#""5x700""#).is_err());
    }

    #[test]
    fn every_cell_knows_its_place_and_neighbours_are_mutual() {
        let size = Size::new(3, 5).unwrap();
        for row in 0..3 {
            for col in 0..5 {
                let cell = size.cell(row, col);
                assert_eq!((size.row_of(cell), size.col_of(cell)), (row, col));
                for direction in Direction::ALL {
                    if let Some(next) = size.neighbour(cell, direction) {
                        assert!(size.contains(next));
                        assert_eq!(size.neighbour(next, direction.opposite()), Some(cell));
                        assert_eq!(size.distance(cell, next), 1);
                    }
                }
            }
        }
        assert_eq!(size.neighbour(Cell(15), Direction::Left), None);
    }

    #[test]
    fn every_letter_is_read_back() {
        for direction in Direction::ALL {
            assert_eq!(Direction::from_letter(direction.letter()), Some(direction));
            let lower = direction.letter().to_ascii_lowercase();
            assert_eq!(Direction::from_letter(lower), Some(direction));
        }
        assert_eq!(Direction::from_letter('X'), None);
    }
}
