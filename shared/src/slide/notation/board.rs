//! A board as text, and back.

use std::fmt;
use std::str::FromStr;

use crate::grid::{Size, SizeError};
use crate::slide::{Board, BoardFaults};

/// The longest text of a board, in bytes: a 32×32 board written out takes half of it.
pub const MAX_BOARD_TEXT: usize = 8192;

/// Says why a text is no board.
///
/// ```
/// use gridrace_shared::slide::Board;
/// use gridrace_shared::slide::notation::BoardTextError;
///
/// let ragged = "1 2 3/4 5".parse::<Board>();
/// assert_eq!(ragged, Err(BoardTextError::Ragged { row: 2, expected: 3, found: 2 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextError {
    /// The text is longer than [`MAX_BOARD_TEXT`].
    #[error("a board is at most {MAX_BOARD_TEXT} bytes of text")]
    TooLong,
    /// A row has no tiles.
    #[error("row {row} is empty")]
    EmptyRow {
        /// The row, from 1.
        row: usize,
    },
    /// A row has more or fewer tiles than the first.
    #[error("row {row} has {found} tiles, the first has {expected}")]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// How many tiles the first row has.
        expected: usize,
        /// How many this one has.
        found: usize,
    },
    /// An entry is neither a number nor a blank.
    #[error("row {row}, column {col} is no tile: write a number, or 0, _ or . for the blank")]
    NotATile {
        /// The row, from 1.
        row: usize,
        /// The column, from 1.
        col: usize,
    },
    /// There are too many rows or columns.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The tiles can be read, but make no board.
    #[error(transparent)]
    Tiles(#[from] BoardFaults),
}

/// Writes rows with `/` between them and tiles with a space between them, the blank as 0.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, tile) in self.tiles().iter().enumerate() {
            let gap = match (index, index % self.size().cols()) {
                (0, _) => "",
                (_, 0) => "/",
                (_, _) => " ",
            };
            write!(f, "{gap}{tile}")?;
        }
        Ok(())
    }
}

/// Reads rows parted by `/` or by line breaks, and tiles parted by spaces or commas.
///
/// The blank is `0`, `_` or `.`; empty lines, and a `/` at the end of a line, are passed
/// over. The size is that of the rows, so a text of a single row is a board of a single row.
impl FromStr for Board {
    type Err = BoardTextError;

    fn from_str(text: &str) -> Result<Self, BoardTextError> {
        if text.len() > MAX_BOARD_TEXT {
            return Err(BoardTextError::TooLong);
        }
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines.len().saturating_sub(1);
        let joined = lines.iter().enumerate().map(|(index, line)| {
            let inner = index < last;
            if inner {
                line.strip_suffix('/').unwrap_or(line)
            } else {
                line
            }
        });
        let rows: Vec<&str> = joined.flat_map(|line| line.split('/')).collect();
        from_rows(&rows)
    }
}

fn from_rows(rows: &[&str]) -> Result<Board, BoardTextError> {
    let mut tiles = Vec::new();
    let mut cols = 0;
    for (row, text) in (1..).zip(rows) {
        let before = tiles.len();
        for (col, entry) in (1..).zip(entries(text)) {
            tiles.push(tile(entry).ok_or(BoardTextError::NotATile { row, col })?);
        }
        let found = tiles.len() - before;
        if found == 0 {
            return Err(BoardTextError::EmptyRow { row });
        }
        if row == 1 {
            cols = found;
        }
        if found != cols {
            return Err(BoardTextError::Ragged {
                row,
                expected: cols,
                found,
            });
        }
    }
    if rows.is_empty() {
        return Err(BoardTextError::EmptyRow { row: 1 });
    }
    Ok(Board::from_tiles(Size::new(rows.len(), cols)?, tiles)?)
}

/// The entries of a row: parted by spaces, a comma, or a comma with spaces.
fn entries(row: &str) -> impl Iterator<Item = &str> {
    let parts = row.split(',').flat_map(|part| {
        // A comma with nothing beside it leaves an empty entry, which is no tile.
        let blank = part.trim().is_empty().then_some("");
        blank.into_iter().chain(part.split_whitespace())
    });
    let nothing = row.trim().is_empty();
    parts.filter(move |_| !nothing)
}

/// One entry; a number too large for a tile is out of range all the same.
fn tile(entry: &str) -> Option<u16> {
    if entry == "_" || entry == "." {
        return Some(0);
    }
    let digits = !entry.is_empty() && entry.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| entry.parse().unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::slide::BoardFault;
    use crate::slide::strategies::any_board;

    #[test]
    fn a_board_is_read_however_people_write_it() {
        let board = Board::from_tiles(Size::new(2, 3).unwrap(), [5, 3, 1, 0, 2, 4]).unwrap();
        for text in [
            "5 3 1/0 2 4",
            " 5  3 1 / _ 2 4 ",
            "5,3,1/.,2,4",
            "5, 3, 1\n0, 2, 4\n",
            "5 3 1/\n0 2 4",
            "\r\n5 3 1\r\n\r\n0 2 4\r\n",
            "5\t3\t1\n0\t2\t4",
        ] {
            assert_eq!(text.parse(), Ok(board.clone()), "{text:?}");
        }
        assert_eq!(board.to_string(), "5 3 1/0 2 4");
    }

    #[test]
    fn what_is_no_board_is_refused_with_its_reason() {
        use BoardTextError as Error;
        let refused = |text: &str| text.parse::<Board>().unwrap_err();
        assert_eq!(refused(""), Error::EmptyRow { row: 1 });
        assert_eq!(refused(" \n "), Error::EmptyRow { row: 1 });
        assert_eq!(refused("1 2//3 0"), Error::EmptyRow { row: 2 });
        assert_eq!(refused("1 2/3 0/"), Error::EmptyRow { row: 3 });
        assert_eq!(
            refused("1 2/3"),
            Error::Ragged {
                row: 2,
                expected: 2,
                found: 1
            }
        );
        assert_eq!(refused("1 2/x 0"), Error::NotATile { row: 2, col: 1 });
        assert_eq!(refused("1 2/-3 0"), Error::NotATile { row: 2, col: 1 });
        assert_eq!(refused("1,,2/3 0 4"), Error::NotATile { row: 1, col: 2 });
        assert_eq!(refused(&"1 ".repeat(5000)), Error::TooLong);
        assert!(matches!(
            refused(&"1/".repeat(64)),
            Error::EmptyRow { row: 65 }
        ));
        assert!(matches!(refused(&"1 ".repeat(65)), Error::Size(_)));
    }

    #[test]
    fn tiles_that_make_no_board_are_all_named() {
        let Err(BoardTextError::Tiles(faults)) = "1 1/99999 7".parse::<Board>() else {
            panic!("it was read")
        };
        assert_eq!(
            faults.listed(),
            [
                BoardFault::Repeated { tile: 1 },
                BoardFault::OutOfRange {
                    tile: u16::MAX,
                    largest: 3
                },
                BoardFault::OutOfRange {
                    tile: 7,
                    largest: 3
                },
                BoardFault::BlankMissing,
            ]
        );
    }

    #[test]
    fn the_largest_board_written_out_is_within_the_bound() {
        let goal = Board::solved(Size::new(32, 32).unwrap()).unwrap();
        let text = goal.to_string();
        assert!(text.len() * 2 <= MAX_BOARD_TEXT + 2048, "{}", text.len());
        assert_eq!(text.parse(), Ok(goal));
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(board in any_board(9)) {
            prop_assert_eq!(board.to_string().parse(), Ok(board));
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "[0-9_./, \nx-]{0,60}") {
            if let Ok(board) = text.parse::<Board>() {
                prop_assert_eq!(board.to_string().parse(), Ok(board));
            }
        }
    }
}
