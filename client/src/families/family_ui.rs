//! The interface of a family of puzzles to the terminal.

use crate::families::face::Face;
use crate::families::input::FamilyInput;
use gridrace_shared::puzzle::Family;
use gridrace_shared::util::grid::{Cell, Direction, Size};
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

/// A step of the method by which a person solves a board, for those who learn it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// The name of the step, the same as long as it goes on.
    pub step: String,
    pub why: String,
    /// The default keys to press now, in order.
    pub keys: Vec<&'static str>,
    /// What the keys do.
    pub act: String,
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

    /// Returns the step of the method that a hint is of, and the keys for it as the input is now.
    fn lesson(
        board: &Self::Board,
        input: &Self::Input,
        hint: &Self::Hint,
        reversed: bool,
    ) -> Lesson;

    /// Returns the moves that a hint shows, in order.
    fn shown_moves(board: &Self::Board, hint: &Self::Hint) -> Vec<Self::Move>;

    /// Says whether a move is on the way that a hint shows, as far as that can be told at once.
    fn is_hinted(_: &Self::Board, _: &Self::Hint, _: &Self::Move) -> bool {
        true
    }

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

/// Returns the default key of a direction, which is its name as well.
pub(crate) const fn direction_key(direction: Direction) -> &'static str {
    match direction {
        Direction::Left => "left",
        Direction::Right => "right",
        Direction::Up => "up",
        Direction::Down => "down",
    }
}

/// Returns a cell as `r2c3`: row and column, from 1.
pub(crate) fn cell_name(size: Size, cell: Cell) -> String {
    format!("r{}c{}", size.row_of(cell) + 1, size.col_of(cell) + 1)
}
