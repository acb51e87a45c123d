//! What it takes to write and read the moves of each family: the one place of a replay
//! that lists them.

use crate::puzzle::{Board, Move};
use crate::puzzle::{numberlink, slide};
use crate::util::byte_codec::{ByteReader, ReadError, put_number};
use crate::util::grid::Size;

/// The number of the sliding puzzle.
const SLIDE: u64 = 0;
/// The number of Numberlink.
const LINK: u64 = 1;

/// Everybody's board, as far as their next move is written by it.
#[derive(Debug, Clone)]
pub(super) enum MoveCodec {
    Slide(Vec<slide::replay_codec::Hand>),
    Link(Size),
}

impl MoveCodec {
    pub(super) fn new(start: &Board, players: usize) -> Self {
        match start {
            Board::Slide(board) => {
                Self::Slide(vec![slide::replay_codec::Hand::new(board); players])
            }
            Board::Link(drawing) => Self::Link(drawing.puzzle().size()),
        }
    }

    /// Returns how many choices a move has, always.
    pub(super) fn choices(&self) -> u64 {
        match self {
            Self::Slide(hands) => hands.first().map_or(0, |hand| hand.choices()),
            Self::Link(_) => numberlink::replay_codec::CHOICES,
        }
    }

    /// Takes a player's move: returns its choice, and writes what follows that; nothing for
    /// a move that no rules allow.
    pub(super) fn put(&mut self, tail: &mut Vec<u8>, player: usize, play: &Move) -> Option<u64> {
        match (self, play) {
            (Self::Slide(hands), &Move::Slide(cell)) => hands.get_mut(player)?.choose(cell),
            (Self::Link(size), Move::Link(stroke)) => {
                numberlink::replay_codec::put_stroke(tail, *size, stroke)
            }
            (Self::Slide(_), Move::Link(_)) | (Self::Link(_), Move::Slide(_)) => None,
        }
    }

    /// Reads what follows a player's choice, which is below [`MoveCodec::choices`].
    pub(super) fn read(
        &mut self,
        source: &mut ByteReader<'_>,
        player: usize,
        choice: u64,
    ) -> Result<Move, ReadError> {
        match self {
            Self::Slide(hands) => Ok(Move::Slide(hands[player].take(choice))),
            Self::Link(size) => {
                numberlink::replay_codec::read_stroke(source, *size, choice).map(Move::Link)
            }
        }
    }
}

/// Writes the board from which everybody starts.
pub(super) fn put_board(out: &mut Vec<u8>, board: &Board) {
    match board {
        Board::Slide(board) => {
            put_number(out, SLIDE);
            slide::replay_codec::put_board(out, board);
        }
        Board::Link(drawing) => {
            put_number(out, LINK);
            numberlink::replay_codec::put_puzzle(out, drawing.puzzle());
        }
    }
}

/// Reads it.
pub(super) fn read_board(source: &mut ByteReader<'_>) -> Result<Board, ReadError> {
    if source.number("the family of the puzzle", LINK)? == SLIDE {
        slide::replay_codec::read_board(source).map(Board::Slide)
    } else {
        let puzzle = numberlink::replay_codec::read_puzzle(source)?;
        Ok(Board::Link(numberlink::Drawing::new(puzzle)))
    }
}
