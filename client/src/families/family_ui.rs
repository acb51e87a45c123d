//! What a family of puzzles provides for the terminal.

use crate::families::face::Face;
use crate::families::input::FamilyInput;
use gridrace_shared::puzzle::Family;
use gridrace_shared::util::grid::{Cell, Size};
use gridrace_shared::util::time::Millis;

/// A key, and what it does in a long and in a short form.
pub type Help = (&'static str, &'static str, &'static str);

/// What is the same for all puzzles of a family.
#[derive(Debug)]
pub struct FamilyInfo {
    /// The heading of the two counts of moves.
    pub counts: &'static str,
    /// The words before the fewest moves that a board takes.
    pub best: &'static str,
    /// The unit of a bot's pace.
    pub pace: &'static str,
    /// A mark on the board and its meaning, for the help.
    pub legend: [&'static str; 2],
    /// Whether the direction keys can be reversed.
    pub is_reversible: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub what: String,
    /// The reason, or the distance to the goal.
    pub why: String,
    /// What to do, in 15 columns.
    pub short: String,
    /// The reason in 15 columns, where `short` doesn't say it yet.
    pub short_why: Option<&'static str>,
}

/// A family of puzzles at the terminal: its input, its face, its texts.
pub trait FamilyUi: Family {
    type Input: FamilyInput<Board = Self::Board, Hint = Self::Hint>;

    const INFO: FamilyInfo;

    fn title(spec: &Self::Spec) -> String;

    /// Returns what the keys do, for the help.
    fn help(reversed: bool) -> Vec<Help>;

    /// Returns the player's count of moves and its pace or result, in a line.
    fn moves(moves: u32, elapsed: Millis, board: &Self::Board, wordy: bool) -> String;

    /// Returns a hint in words. `distance_change` is the change of the distance to the goal.
    fn advice(board: &Self::Board, hint: &Self::Hint, distance_change: Option<i32>) -> Advice;

    /// Returns what a move does, for the narration of a replay.
    fn narrate(board: &Self::Board, play: &Self::Move) -> String;

    /// Returns the face of a board. Of one that is too large, `focus` stays visible where the
    /// position itself doesn't say what should.
    fn face(board: &Self::Board, focus: Option<Cell>) -> Box<dyn Face + '_>;

    /// Returns the face of the player's own board, with the hint. While `active`, also with
    /// what the input holds. `motion` says how far the last move is seen to have come, in
    /// thousandths, if motion is shown.
    fn own_face<'a>(
        board: &'a Self::Board,
        input: &'a Self::Input,
        hint: Option<&'a Self::Hint>,
        active: bool,
        motion: Option<u16>,
    ) -> Box<dyn Face + 'a>;
}

/// Returns a cell as `r2c3`: row and column, from 1.
pub(crate) fn cell_name(size: Size, cell: Cell) -> String {
    format!("r{}c{}", size.row_of(cell) + 1, size.col_of(cell) + 1)
}
