//! What a family of puzzles provides for the terminal.

use crate::display::theme::Look;
use crate::families::face::Face;
use crate::families::input::{BoardKey, InputAction, MouseAction};
use crate::families::text::{Advice, Help, KeyHints};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;

/// One family of puzzles at the terminal: its input, its face, its texts.
pub trait FamilyUi {
    /// Family, size and mode of a puzzle.
    type Spec;
    type Board;
    type Move;
    type Hint;
    /// What the player's input holds between two moves.
    type Input: Clone + std::fmt::Debug + PartialEq + Eq;

    /// The heading of the two counts of moves.
    const COUNTS: &'static str;
    /// The words before the fewest moves that a board takes.
    const BEST: &'static str;
    /// The unit of a bot's pace.
    const PACE: &'static str;
    /// A mark on the board and its meaning, for the help.
    const LEGEND: [&'static str; 2];
    /// Whether the direction keys can be reversed.
    const REVERSIBLE: bool;

    /// Returns the name of a puzzle.
    fn title(spec: &Self::Spec) -> String;

    /// Returns what the keys do, for the help.
    fn help(reversed: bool) -> Vec<Help>;

    /// Returns what the keys do at the moment, before and after the key for a hint.
    fn keys(input: &Self::Input, board: &Self::Board) -> KeyHints;

    /// Returns the player's count of moves and its pace or result, in a line.
    fn moves(moves: u32, elapsed: Millis, board: &Self::Board, wordy: bool) -> String;

    /// Returns what the input is doing, or what is still to do where it is easily overlooked.
    fn status(input: &Self::Input, board: &Self::Board) -> Option<(String, Look)>;

    /// Returns a hint in words. `distance_change` is the change of the distance to the goal.
    fn advice(board: &Self::Board, hint: &Self::Hint, distance_change: Option<i32>) -> Advice;

    /// Returns what a move does, for the narration of a replay.
    fn narrate(board: &Self::Board, play: &Self::Move) -> String;

    fn input(board: &Self::Board) -> Self::Input;

    fn key(
        input: &mut Self::Input,
        board: &Self::Board,
        key: BoardKey,
        reversed: bool,
    ) -> InputAction;

    /// Handles the mouse, at a cell of the board or beside it.
    fn mouse(
        input: &mut Self::Input,
        board: &Self::Board,
        action: MouseAction,
        at: Option<Cell>,
    ) -> InputAction;

    /// Drops what the input holds, without a move. Returns whether it held anything.
    fn cancel(input: &mut Self::Input) -> bool;

    /// Brings what a hint is about into view.
    fn focus_hint(input: &mut Self::Input, board: &Self::Board, hint: &Self::Hint);

    /// Adapts the input to a board that the server changed.
    fn sync(input: &mut Self::Input, board: &Self::Board);

    /// Returns the face of a board. Of one that is too large, `focus` stays visible where the
    /// position itself doesn't say what should.
    fn face(board: &Self::Board, focus: Option<Cell>) -> Box<dyn Face + '_>;

    /// Returns the face of the player's own board, with the hint. While `active`, also with
    /// what the input holds.
    fn own_face<'a>(
        board: &'a Self::Board,
        input: &'a Self::Input,
        hint: Option<&'a Self::Hint>,
        active: bool,
    ) -> Box<dyn Face + 'a>;
}
