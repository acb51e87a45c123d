//! Boards and moves as text.
//!
//! A board is written row by row, `1 2 3/4 5 6/7 8 0`. Line ends and commas are accepted as well,
//! and `_` for the blank. Moves are written as letters, `LURD`, with repeat counts: `R2D`.

use crate::puzzle::slide::{Board, BoardErrors};
use crate::util::grid::{Direction, Size, SizeError};

/// The maximum length of a board's text, in bytes: 16,384 tiles of six characters, and room for
/// spaces.
pub const MAX_BOARD_TEXT_BYTES: usize = 128 * 1024;

/// An error in the text of a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextError {
    /// Longer than [`MAX_BOARD_TEXT_BYTES`].
    #[error("the text is longer than any board")]
    TooLong,
    #[error("there are no tiles")]
    Empty,
    #[error("`{0}` isn't a tile")]
    NoTile(String),
    #[error("row {row} has {found} tiles, the first row {expected}")]
    Ragged {
        /// The row, from 1.
        row: usize,
        expected: usize,
        found: usize,
    },
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Faults(#[from] BoardErrors),
}

impl std::str::FromStr for Board {
    type Err = BoardTextError;

    fn from_str(text: &str) -> Result<Self, BoardTextError> {
        let rows = read_rows(text)?;
        let cols = rows.first().map_or(0, Vec::len);
        for (row, tiles) in (1..).zip(&rows) {
            if tiles.len() != cols {
                return Err(BoardTextError::Ragged { row, expected: cols, found: tiles.len() });
            }
        }
        let size = Size::new(rows.len(), cols)?;
        Ok(Self::from_tiles(size, rows.concat())?)
    }
}

/// Parses a board of a given size; row separators are optional.
///
/// ```
/// use gridrace_shared::puzzle::slide::notation::read_board;
/// let board = read_board("2x3".parse()?, "1 2 3 4 5 0")?;
/// assert_eq!(board.to_string(), "1 2 3/4 5 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_board(size: Size, text: &str) -> Result<Board, BoardTextError> {
    Ok(Board::from_tiles(size, read_rows(text)?.concat())?)
}

fn read_rows(text: &str) -> Result<Vec<Vec<u16>>, BoardTextError> {
    if text.len() > MAX_BOARD_TEXT_BYTES {
        return Err(BoardTextError::TooLong);
    }
    let rows = text.trim().trim_end_matches('/').split(['/', '\n']);
    let rows: Vec<Vec<u16>> = rows.map(read_row).collect::<Result<_, _>>()?;
    if rows.iter().all(Vec::is_empty) { Err(BoardTextError::Empty) } else { Ok(rows) }
}

fn read_row(row: &str) -> Result<Vec<u16>, BoardTextError> {
    let words = row.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    words
        .map(|word| match word {
            "_" => Ok(0),
            _ if word.bytes().all(|c| c.is_ascii_digit()) => {
                word.parse().map_err(|_| BoardTextError::NoTile(word.to_owned()))
            }
            _ => Err(BoardTextError::NoTile(word.chars().take(20).collect())),
        })
        .collect()
}

impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (cell, tile) in self.tiles().iter().enumerate() {
            let before = match cell {
                0 => "",
                _ if cell % self.size().cols() == 0 => "/",
                _ => " ",
            };
            write!(f, "{before}{tile}")?;
        }
        Ok(())
    }
}

/// Which piece the letter of a move refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MoveConvention {
    /// The tile: `L` slides a tile to the left.
    #[default]
    Tile,
    /// The blank: `L` moves the blank to the left, and so a tile to the right.
    Blank,
}

impl MoveConvention {
    fn tile_direction(self, direction: Direction) -> Direction {
        match self {
            Self::Tile => direction,
            Self::Blank => direction.opposite(),
        }
    }
}

/// Writes single-tile moves, each given as its tile's direction, with repeat counts.
///
/// ```
/// use gridrace_shared::util::grid::Direction::{Down, Right};
/// use gridrace_shared::puzzle::slide::notation::{MoveConvention, write_moves};
/// assert_eq!(write_moves(&[Right, Right, Down], MoveConvention::Tile), "R2D");
/// assert_eq!(write_moves(&[Right, Right, Down], MoveConvention::Blank), "L2U");
/// ```
pub fn write_moves(moves: &[Direction], convention: MoveConvention) -> String {
    let mut text = String::new();
    for run in moves.chunk_by(|a, b| a == b) {
        text.push(convention.tile_direction(run[0]).letter());
        if run.len() > 1 {
            text += &run.len().to_string();
        }
    }
    text
}

/// The most moves that are read: more than any solver of this project needs for a board of 128×128.
const MAX_MOVES: usize = 8_000_000;

/// An error in the text of moves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MovesTextError {
    #[error("{0:?} is no move: moves are L, R, U and D, each with a count where it is repeated")]
    NoMove(char),
    #[error("a count stands behind its letter, as in L2")]
    CountFirst,
    #[error("more than {MAX_MOVES} moves")]
    TooMany,
}

/// Reads single-tile moves with or without repeat counts, and with spaces anywhere, as the directions
/// of their tiles.
///
/// ```
/// use gridrace_shared::util::grid::Direction::{Down, Right};
/// use gridrace_shared::puzzle::slide::notation::{MoveConvention, read_moves};
/// assert_eq!(read_moves("R2 d", MoveConvention::Tile)?, [Right, Right, Down]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MovesTextError`] names the first character that doesn't fit.
pub fn read_moves(
    text: &str,
    convention: MoveConvention,
) -> Result<Vec<Direction>, MovesTextError> {
    let mut moves = Vec::new();
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace()).peekable();
    while let Some(letter) = letters.next() {
        let upper = letter.to_ascii_uppercase();
        let Some(way) = Direction::ALL.into_iter().find(|way| way.letter() == upper) else {
            let is_count = letter.is_ascii_digit();
            return Err(if is_count {
                MovesTextError::CountFirst
            } else {
                MovesTextError::NoMove(letter)
            });
        };
        let mut count: Option<usize> = None;
        while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
            letters.next();
            count = Some(count.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize));
        }
        let count = count.unwrap_or(1);
        if count > MAX_MOVES - moves.len() {
            return Err(MovesTextError::TooMany);
        }
        moves.extend(std::iter::repeat_n(convention.tile_direction(way), count));
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    #[test]
    fn boards_parse_with_any_row_separator() {
        let board: Board = "1 2 3/4 5 6/7 8 0".parse().unwrap();
        for text in ["1 2 3\n4 5 6\n7 8 0\n", "1,2,3/4,5,6/7,8,_", " 1  2 3 / 4 5 6 / 7 8 0 /"] {
            assert_eq!(text.parse(), Ok(board.clone()), "{text:?}");
        }
    }

    #[test]
    fn parsing_a_board_returns_the_reason_for_every_invalid_text() {
        let read = |text: &str| text.parse::<Board>();
        assert_eq!(read(""), Err(BoardTextError::Empty));
        assert_eq!(read("1 x/2 0"), Err(BoardTextError::NoTile("x".to_owned())));
        assert_eq!(read("1 2/0"), Err(BoardTextError::Ragged { row: 2, expected: 2, found: 1 }));
        assert!(matches!(read("1 1/2 0"), Err(BoardTextError::Faults(_))));
        assert!(matches!(read(&"1 ".repeat(129)), Err(BoardTextError::Size(_))));
        assert_eq!(read(&"1 ".repeat(70_000)), Err(BoardTextError::TooLong));
    }

    #[test]
    fn reading_moves_returns_the_reason_for_every_invalid_text() {
        let read = |text: &str| read_moves(text, MoveConvention::Tile);
        assert_eq!(read("LXU"), Err(MovesTextError::NoMove('X')));
        assert_eq!(read("2L"), Err(MovesTextError::CountFirst));
        assert_eq!(read("L99999999999999999999999"), Err(MovesTextError::TooMany));
        assert_eq!(read("L8000000 R"), Err(MovesTextError::TooMany));
        assert_eq!(read(" "), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn written_moves_read_back(
            ways in proptest::collection::vec(0..4usize, 0..40), is_blank in any::<bool>(),
        ) {
            let moves: Vec<_> = ways.into_iter().map(|way| Direction::ALL[way]).collect();
            let convention = if is_blank { MoveConvention::Blank } else { MoveConvention::Tile };
            prop_assert_eq!(read_moves(&write_moves(&moves, convention), convention), Ok(moves));
        }

        #[test]
        fn written_boards_parse_back(board in any_board()) {
            prop_assert_eq!(board.to_string().parse(), Ok(board.clone()));
            let in_one_line = board.to_string().replace('/', " ");
            prop_assert_eq!(read_board(board.size(), &in_one_line), Ok(board));
        }

        #[test]
        fn parsing_never_panics(text in ".{0,60}|[0-9 /_,x]{0,40}") {
            if let Ok(board) = text.parse::<Board>() {
                prop_assert_eq!(board.to_string().parse(), Ok(board));
            }
        }
    }
}
