//! Puzzles and links as text: grids, ids, and puzz.link URLs.
//!
//! A grid is written row by row: `.` for an open cell, `X` for a solid one, else the number. Rows
//! end at line ends or `/`. Numbers are separated by white space or commas; a row without either
//! is read character by character, with `a` to `z` for 10 to 35 and `A` to `Z` except `X` for 36
//! to 60. A first row `no-touch` means that links may not touch themselves.

mod id;
mod links;
mod puzz_link;

pub use id::{LinkId, LinkIdError};
pub use links::write_links;
pub use puzz_link::{PuzzLinkError, read_puzz_link, write_puzz_link};

use crate::puzzle::numberlink::{NumberlinkErrors, Puzzle, Square, Touch};
use crate::util::grid::{Cell, Size, SizeError};

/// The maximum length of a text, in bytes: four times the largest board, each cell a
/// number of three digits and a space.
pub const MAX_TEXT_BYTES: usize = 32 * 1024;

/// The first row of a grid in which links may not touch themselves.
const NO_TOUCH: &str = "no-touch";

/// The characters of the numbers from 10 on.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWYZ";

/// An error in the text of a grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GridTextError {
    /// Longer than [`MAX_TEXT_BYTES`].
    #[error("the text is longer than any grid")]
    TooLong,
    #[error("there are no cells")]
    Empty,
    #[error("`{0}` isn't a cell: a cell is `.`, `X` or a number")]
    NoCell(String),
    #[error("row {row} has {found} cells, the first row {expected}")]
    Ragged {
        /// The row, from 1.
        row: usize,
        expected: usize,
        found: usize,
    },
    #[error("the grid is said to be {said}, but there are {found} cells in {rows} rows")]
    OtherSize { said: Size, rows: usize, found: usize },
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Faults(#[from] NumberlinkErrors),
}

/// Writes the grid in lines, with spaces between the cells.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::Puzzle;
/// use gridrace_shared::puzzle::numberlink::notation::write_grid;
/// let puzzle: Puzzle = "1.2/.X./1.2".parse()?;
/// assert_eq!(write_grid(&puzzle), "1 . 2\n. X .\n1 . 2\n");
/// assert_eq!(write_grid(&puzzle).parse(), Ok(puzzle));
/// # Ok::<(), gridrace_shared::puzzle::numberlink::notation::GridTextError>(())
/// ```
pub fn write_grid(puzzle: &Puzzle) -> String {
    let touch = match puzzle.touch() {
        Touch::Free => String::new(),
        Touch::Forbidden => format!("{NO_TOUCH}\n"),
    };
    touch + &write_squares(puzzle.size(), puzzle.squares())
}

impl std::fmt::Display for Puzzle {
    /// Writes the grid in one line: `1.2/.X./1.2`, with spaces between the cells if the letters do
    /// not suffice for the numbers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.touch() == Touch::Forbidden {
            write!(f, "{NO_TOUCH}/")?;
        }
        write!(f, "{}", SingleLine(self))
    }
}

impl std::str::FromStr for Puzzle {
    type Err = GridTextError;

    fn from_str(text: &str) -> Result<Self, GridTextError> {
        check_length(text)?;
        let text = text.trim();
        let (touch, grid) = match text.split_once(['/', '\n']) {
            Some((NO_TOUCH, grid)) => (Touch::Forbidden, grid),
            Some(_) | None => (Touch::Free, text),
        };
        let (size, squares) = read_squares(grid)?;
        puzzle_of(size, &squares, touch)
    }
}

/// Parses a grid of a given size; row separators are optional.
pub(super) fn read_grid(size: Size, text: &str, touch: Touch) -> Result<Puzzle, GridTextError> {
    check_length(text)?;
    let rows = read_rows(text)?;
    let found = rows.iter().map(Vec::len).sum();
    let told_apart = rows.len() == size.rows() && rows.iter().all(|row| row.len() == size.cols());
    if found != size.cells() || (rows.len() > 1 && !told_apart) {
        return Err(GridTextError::OtherSize { said: size, rows: rows.len(), found });
    }
    puzzle_of(size, &rows.concat(), touch)
}

const fn check_length(text: &str) -> Result<(), GridTextError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(GridTextError::TooLong);
    }
    Ok(())
}

/// Parses cells row by row and determines the size.
fn read_squares(text: &str) -> Result<(Size, Vec<Square>), GridTextError> {
    let rows = read_rows(text)?;
    let expected = rows.first().map_or(0, Vec::len);
    for (row, squares) in (1..).zip(&rows) {
        let found = squares.len();
        if found != expected {
            return Err(GridTextError::Ragged { row, expected, found });
        }
    }
    Ok((Size::new(rows.len(), expected)?, rows.concat()))
}

fn read_rows(text: &str) -> Result<Vec<Vec<Square>>, GridTextError> {
    let rows = text.trim().trim_end_matches('/').split(['/', '\n']);
    let rows: Vec<Vec<Square>> = rows.map(read_row).collect::<Result<_, _>>()?;
    if rows.iter().all(Vec::is_empty) { Err(GridTextError::Empty) } else { Ok(rows) }
}

fn read_row(row: &str) -> Result<Vec<Square>, GridTextError> {
    let row = row.trim();
    let parted = |c: char| c.is_whitespace() || c == ',';
    if row.contains(parted) {
        let words = row.split(parted).filter(|word| !word.is_empty());
        words.map(read_square).collect()
    } else {
        let each = row.char_indices();
        each.map(|(at, c)| read_square(&row[at..at + c.len_utf8()])).collect()
    }
}

fn read_square(word: &str) -> Result<Square, GridTextError> {
    let no_cell = || GridTextError::NoCell(word.chars().take(20).collect());
    let number = match *word.as_bytes() {
        [b'.'] => return Ok(Square::Open),
        [b'X'] => return Ok(Square::Solid),
        [letter] if letter.is_ascii_alphabetic() => {
            let at = LETTERS.iter().position(|&other| other == letter);
            at.and_then(|at| u16::try_from(at + 10).ok())
        }
        ref digits if digits.iter().all(u8::is_ascii_digit) => word.parse().ok(),
        _ => None,
    };
    number.map(Square::Terminal).ok_or_else(no_cell)
}

fn puzzle_of(size: Size, squares: &[Square], touch: Touch) -> Result<Puzzle, GridTextError> {
    let (mut terminals, mut solids) = (Vec::new(), Vec::new());
    for (cell, square) in (0..).map(Cell).zip(squares) {
        match *square {
            Square::Open => {}
            Square::Solid => solids.push(cell),
            Square::Terminal(number) => terminals.push((number, cell)),
        }
    }
    Ok(Puzzle::new(size, &terminals, &solids, touch)?)
}

/// Writes cells in lines, aligned to the longest number.
fn write_squares(size: Size, squares: &[Square]) -> String {
    let words: Vec<String> = squares.iter().map(word).collect();
    let width = words.iter().map(String::len).max().unwrap_or(1);
    let mut text = String::new();
    for row in words.chunks(size.cols()) {
        let row: Vec<_> = row.iter().map(|word| format!("{word:>width$}")).collect();
        text += &row.join(" ");
        text.push('\n');
    }
    text
}

fn word(square: &Square) -> String {
    match square {
        Square::Open => ".".to_owned(),
        Square::Solid => "X".to_owned(),
        Square::Terminal(number) => number.to_string(),
    }
}

struct SingleLine<'a>(&'a Puzzle);

impl std::fmt::Display for SingleLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (puzzle, cols) = (self.0, self.0.size().cols());
        let letters = puzzle.pairs().len() < 10 + LETTERS.len();
        for (at, square) in puzzle.squares().iter().enumerate() {
            match at {
                0 => {}
                _ if at % cols == 0 => write!(f, "/")?,
                _ if !letters => write!(f, " ")?,
                _ => {}
            }
            match square {
                Square::Terminal(number) if letters && *number > 9 => {
                    let letter = LETTERS.get(usize::from(*number) - 10);
                    write!(f, "{}", char::from(letter.copied().unwrap_or(b'?')))?;
                }
                Square::Open | Square::Solid | Square::Terminal(_) => {
                    write!(f, "{}", word(square))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
