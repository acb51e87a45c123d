//! The hand on one's own board: what keys and the mouse become, by family.
//!
//! A further family is a module here and its arms; what it holds between two moves is its
//! own.

pub use crate::families::numberlink::input::LinkPen;

use crate::tui::event::Button;
use crate::tui::keymap::HandKey;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;

/// How far a key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// One step.
    One,
    /// As far as it goes in a line.
    Line,
}

/// Says whether the direction keys of a puzzle can be turned around.
#[must_use]
pub const fn can_reverse(spec: &PuzzleSpec) -> bool {
    match spec {
        PuzzleSpec::Slide(_) => true,
        PuzzleSpec::Link(_) => false,
    }
}

/// What comes of a key or of the mouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// At most the hand itself has changed.
    Nothing,
    /// A move is to be played.
    Play(Move),
    /// Why that doesn't go, to be read in passing.
    Say(&'static str),
}

/// What a player's hand holds on a board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Hand {
    /// Nothing, since every key is a move.
    #[default]
    Slide,
    /// A pen.
    Link(LinkPen),
}

impl Hand {
    /// Comes to a board.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        match board {
            Board::Slide(_) => Self::Slide,
            Board::Link(drawing) => Self::Link(LinkPen::new(drawing)),
        }
    }

    /// Takes a key. Reversed, the sliding puzzle's directions are the blank's.
    pub fn key(&mut self, board: &Board, key: HandKey, reversed: bool) -> Act {
        match (self, board) {
            (Self::Slide, Board::Slide(board)) => {
                crate::families::slide::input::key(board, key, reversed)
            }
            (Self::Link(pen), Board::Link(drawing)) => pen.key(drawing, key),
            (Self::Slide, Board::Link(_)) | (Self::Link(_), Board::Slide(_)) => Act::Nothing,
        }
    }

    /// Takes the mouse, at a cell of the board or beside it.
    pub fn mouse(&mut self, board: &Board, button: Button, at: Option<Cell>) -> Act {
        match (self, board) {
            (Self::Slide, Board::Slide(board)) => {
                crate::families::slide::input::mouse(board, button, at)
            }
            (Self::Link(pen), Board::Link(drawing)) => pen.mouse(drawing, button, at),
            (Self::Slide, Board::Link(_)) | (Self::Link(_), Board::Slide(_)) => Act::Nothing,
        }
    }

    /// Puts down what is held, without a move; says whether anything was.
    pub fn put_down(&mut self) -> bool {
        match self {
            Self::Slide => false,
            Self::Link(pen) => pen.put_down(),
        }
    }

    /// Takes in a hint: what it is about comes into sight.
    pub fn heed(&mut self, board: &Board, hint: &Hint) {
        if let (Self::Link(pen), Board::Link(drawing), Hint::Link(hint)) = (self, board, hint) {
            pen.heed(drawing, hint);
        }
    }

    /// Takes in that the board is another now, since the server took moves back.
    pub fn follow(&mut self, board: &Board) {
        if let (Self::Link(pen), Board::Link(drawing)) = (self, board) {
            pen.follow(drawing);
        }
    }
}
