//! The interface of a family's input: keys and the mouse on a board.

use crate::display::theme::Look;
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::grid::{Cell, Direction};
use std::fmt::Debug;

/// What families call the direction keys; the screen shows those that the player has.
pub const ARROWS: &str = "arrows";

/// Keys and what they do, before and after the key for a hint.
pub type KeyHints = [&'static [(&'static str, &'static str)]; 2];

/// A key on the player's own board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardControl {
    Go(Direction, Reach),
    /// Take hold, or let go.
    Grip,
    Back,
    /// Clear what is at the cursor.
    Clear,
    /// Take the last move back.
    Undo,
    /// To the next place where there is something to do, or to the one before.
    Jump {
        forward: bool,
    },
    /// To the place with this number.
    Number(u16),
}

/// How far a direction key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    One,
    /// As far as it goes in a line.
    Line,
}

/// What the left button of the mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// The button goes down.
    Press,
    /// The mouse moves while it is down. A fast one skips cells.
    Drag,
    Release,
}

/// The result of a key or of the mouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputAction {
    /// At most the input itself has changed.
    None,
    Play(Move),
    /// Why nothing was done, as a notice.
    Notice(&'static str),
}

/// The state of a player's input between two moves; by default none.
pub trait FamilyInput: Clone + Debug + Eq {
    type Board;
    type Hint;

    fn new(board: &Self::Board) -> Self;

    fn key(&mut self, board: &Self::Board, key: BoardControl, reversed: bool) -> InputAction;

    /// Handles the mouse, at a cell of the board or beside it.
    fn mouse(&mut self, board: &Self::Board, action: MouseAction, at: Option<Cell>) -> InputAction;

    /// Returns what the keys do at the moment, before and after the key for a hint.
    fn keys(&self, board: &Self::Board) -> KeyHints;

    /// Returns what the input is doing, or what is still to do where it is easily overlooked.
    fn status(&self, _: &Self::Board) -> Option<(String, Look)> {
        None
    }

    /// Drops what the input holds, without a move. Returns whether it held anything.
    fn cancel(&mut self) -> bool {
        false
    }

    /// Brings what a hint is about into view.
    fn focus_hint(&mut self, _: &Self::Board, _: &Self::Hint) {}

    /// Adapts the input to a board that the server changed.
    fn sync(&mut self, _: &Self::Board) {}
}
