//! Keys and the mouse on a board, before a family gives them a meaning.

use gridrace_shared::puzzle::Move;
use gridrace_shared::util::grid::Direction;

/// A key on the player's own board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardKey {
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
    /// It goes down.
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
