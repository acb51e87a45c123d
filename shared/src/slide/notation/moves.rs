//! Moves as letters with repeat counts, `R2D`, and as cells.

use std::fmt::Write;

use crate::grid::{Cell, Direction};
use crate::slide::{Board, IllegalMove};

/// The most single-tile moves that a text may stand for: a million, several times what the
/// constructive solver needs on the largest board.
pub const MAX_MOVES: usize = 1 << 20;

/// Chooses whose direction a letter gives.
///
/// ```
/// use gridrace_shared::slide::notation::{Reading, parse_moves, print_moves};
///
/// let moves = parse_moves("R2D", Reading::Tile)?;
/// assert_eq!(print_moves(&moves, Reading::Blank), "L2U");
/// # Ok::<(), gridrace_shared::slide::notation::MovesError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The direction in which the tile travels, as people press it.
    #[default]
    Tile,
    /// The direction in which the blank travels, as much of the literature has it.
    Blank,
}

impl Reading {
    /// Turns a direction between this reading and the tile's; it is its own inverse.
    fn turn(self, direction: Direction) -> Direction {
        match self {
            Self::Tile => direction,
            Self::Blank => direction.opposite(),
        }
    }
}

/// Says why a text isn't moves.
///
/// ```
/// use gridrace_shared::slide::notation::{MovesError, Reading, parse_moves};
///
/// let refused = parse_moves("RX", Reading::Tile);
/// assert_eq!(refused, Err(MovesError::Letter { at: 1, found: 'X' }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum MovesError {
    /// A character is neither a letter of LURD, nor its repeat count, nor space between moves.
    #[error("{found:?} at byte {at} is none of L, U, R, D")]
    Letter {
        /// The byte where the character starts, from 0.
        at: usize,
        /// The character.
        found: char,
    },
    /// A repeat count is 0 or has no end in sight.
    #[error("the repeat count at byte {at} isn't within 1 to {MAX_MOVES}")]
    Count {
        /// The byte where the count starts, from 0.
        at: usize,
    },
    /// The text stands for more than [`MAX_MOVES`] moves, or is longer than these could be.
    #[error("there are more than {MAX_MOVES} moves")]
    TooMany,
}

/// Reads moves: letters of LURD in either case, each with a repeat count where it isn't 1.
///
/// Spaces and commas may stand between moves. Gives the directions in which the tiles
/// travel, whatever the reading.
///
/// # Errors
///
/// Where and why the text isn't moves.
pub fn parse_moves(text: &str, reading: Reading) -> Result<Vec<Direction>, MovesError> {
    if text.len() > 2 * MAX_MOVES {
        return Err(MovesError::TooMany);
    }
    let mut moves = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, found)) = rest.next() {
        if found.is_whitespace() || found == ',' {
            continue;
        }
        let direction = Direction::from_letter(found).ok_or(MovesError::Letter { at, found })?;
        let digits = text[at + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let count = count(&text[at + 1..at + 1 + digits], at + 1)?;
        if moves.len() + count > MAX_MOVES {
            return Err(MovesError::TooMany);
        }
        moves.extend(std::iter::repeat_n(reading.turn(direction), count));
        while rest.next_if(|(_, next)| next.is_ascii_digit()).is_some() {}
    }
    Ok(moves)
}

/// A repeat count; none at all is 1.
fn count(digits: &str, at: usize) -> Result<usize, MovesError> {
    if digits.is_empty() {
        return Ok(1);
    }
    let count = digits
        .parse()
        .ok()
        .filter(|count| (1..=MAX_MOVES).contains(count));
    count.ok_or(MovesError::Count { at })
}

/// Writes moves, given as the directions in which the tiles travel, with repeat counts.
pub fn print_moves(moves: &[Direction], reading: Reading) -> String {
    let mut text = String::new();
    for run in moves.chunk_by(|one, next| one == next) {
        text.push(reading.turn(run[0]).letter());
        if run.len() > 1 {
            // Writing to a string can't fail.
            write!(text, "{}", run.len()).ok();
        }
    }
    text
}

/// Says at which move a list of moves couldn't be played on.
///
/// ```
/// use gridrace_shared::grid::Direction;
/// use gridrace_shared::slide::Board;
/// use gridrace_shared::slide::notation::{Stuck, cells};
///
/// let board: Board = "1 2/3 0".parse()?;
/// let refused = cells(&board, &[Direction::Right, Direction::Left, Direction::Left]);
/// assert_eq!(refused, Err(Stuck { at: 2, why: None }));
/// # Ok::<(), gridrace_shared::slide::notation::BoardTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("move {} can't be played", at + 1)]
pub struct Stuck {
    /// The index of the move, from 0.
    pub at: usize,
    /// Why the cell was illegal; `None` where no tile can travel in the direction.
    pub why: Option<IllegalMove>,
}

/// Turns directions of single tiles into the cells to play, one a move.
///
/// # Errors
///
/// The first move that the board doesn't allow.
pub fn cells(board: &Board, moves: &[Direction]) -> Result<Vec<Cell>, Stuck> {
    let mut board = board.clone();
    let play = |(at, &direction): (usize, &Direction)| {
        let cell = board
            .cell_for(direction, 1)
            .ok_or(Stuck { at, why: None })?;
        board
            .play(cell)
            .map_err(|why| Stuck { at, why: Some(why) })?;
        Ok(cell)
    };
    moves.iter().enumerate().map(play).collect()
}

/// Turns cells to play into directions of single tiles, as many for a cell as tiles slide.
///
/// # Errors
///
/// The first cell that the board doesn't allow.
pub fn directions(board: &Board, cells: &[Cell]) -> Result<Vec<Direction>, Stuck> {
    let mut board = board.clone();
    let mut moves = Vec::with_capacity(cells.len());
    for (at, &cell) in cells.iter().enumerate() {
        let played = board
            .play(cell)
            .map_err(|why| Stuck { at, why: Some(why) })?;
        moves.extend(std::iter::repeat_n(
            played.direction,
            usize::from(played.tiles),
        ));
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::slide::strategies::any_board;

    fn direction() -> impl Strategy<Value = Direction> {
        prop::sample::select(Direction::ALL.to_vec())
    }

    fn reading() -> impl Strategy<Value = Reading> {
        prop::sample::select(vec![Reading::Tile, Reading::Blank])
    }

    #[test]
    fn moves_are_read_however_people_write_them() {
        use Direction::{Down, Right};
        for text in ["R2D", "RRD", "r2d", "R2 D", " R1,R1,D1 ", "R02D"] {
            assert_eq!(
                parse_moves(text, Reading::Tile),
                Ok(vec![Right, Right, Down]),
                "{text}"
            );
        }
        assert_eq!(parse_moves("", Reading::Tile), Ok(vec![]));
    }

    #[test]
    fn what_are_no_moves_is_refused_with_its_reason() {
        let refused = |text: &str| parse_moves(text, Reading::Tile).unwrap_err();
        assert_eq!(refused("RRX"), MovesError::Letter { at: 2, found: 'X' });
        assert_eq!(refused("2R"), MovesError::Letter { at: 0, found: '2' });
        assert_eq!(refused("R 2"), MovesError::Letter { at: 2, found: '2' });
        assert_eq!(refused("Rü"), MovesError::Letter { at: 1, found: 'ü' });
        assert_eq!(refused("R0"), MovesError::Count { at: 1 });
        assert_eq!(
            refused("DR99999999999999999999999"),
            MovesError::Count { at: 2 }
        );
        assert_eq!(refused("R1000000L1000000"), MovesError::TooMany);
    }

    #[test]
    fn a_multi_tile_move_is_as_many_letters() {
        let board: Board = "1 2 3/4 5 6/7 8 0".parse().unwrap();
        let moves = directions(&board, &[Cell(6), Cell(0)]).unwrap();
        assert_eq!(print_moves(&moves, Reading::Tile), "R2D2");
        let singles = [Cell(7), Cell(6), Cell(3), Cell(0)];
        assert_eq!(cells(&board, &moves), Ok(singles.into()));
        let stuck = directions(&board, &[Cell(6), Cell(8), Cell(1)]).unwrap_err();
        assert_eq!(
            stuck,
            Stuck {
                at: 2,
                why: Some(IllegalMove::NotInLine)
            }
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            moves in prop::collection::vec(direction(), 0..60),
            reading in reading(),
        ) {
            let text = print_moves(&moves, reading);
            prop_assert_eq!(parse_moves(&text, reading), Ok(moves));
        }

        #[test]
        fn cells_and_directions_tell_the_same_moves(
            board in any_board(5),
            tries in prop::collection::vec(direction(), 0..40),
        ) {
            let (mut now, mut moves) = (board.clone(), Vec::new());
            for direction in tries {
                if let Some(cell) = now.cell_for(direction, 1) {
                    now.play(cell).unwrap();
                    moves.push(direction);
                }
            }
            let singles = cells(&board, &moves).unwrap();
            prop_assert_eq!(directions(&board, &singles), Ok(moves));
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "[LURDlurd0-9 ,xé]{0,40}", reading in reading()) {
            parse_moves(&text, reading).ok();
        }
    }
}
