//! What each family of puzzles says of itself: its keys, its counts, its hints. A further
//! family is a file here, and its arms.

mod link;
mod slide;

use crate::model::{Hand, Racing};
use crate::theme::Look;
use gridrace_shared::hint::Hint;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::standings::Standing;
use gridrace_shared::time::Millis;

/// A key, and what it does in many words and in few.
pub(super) type Help = (&'static str, &'static str, &'static str);

/// A hint as it is shown.
pub(super) struct Advice {
    /// What is to be done.
    pub what: String,
    /// Why, or what that brings.
    pub why: String,
    /// What is to be done, in a few letters.
    pub short: String,
    /// Why, in a few letters, where those don't say it yet.
    pub because: Option<&'static str>,
}

/// Returns what a puzzle is called.
pub(super) fn title(spec: &PuzzleSpec) -> String {
    match spec {
        PuzzleSpec::Slide(size) => format!("sliding puzzle {size}"),
        PuzzleSpec::Link(spec) => format!("Numberlink {}, {}", spec.size(), spec.mode()),
    }
}

/// Returns the hint in words, as long as it holds.
pub(super) fn advice(racing: &Racing) -> Option<Advice> {
    let given = racing.hint()?;
    match (&given.hint, racing.play.board()) {
        (Hint::Slide(hint), Board::Slide(board)) => Some(slide::advice(board, hint, given.further)),
        (Hint::Link(hint), Board::Link(drawing)) => Some(link::advice(drawing, hint)),
        // A server may say what it likes.
        (Hint::Slide(_), Board::Link(_)) | (Hint::Link(_), Board::Slide(_)) => None,
    }
}

/// Returns what the keys do in one's race at the moment, before and after the key for a
/// hint.
pub(super) fn keys(racing: &Racing) -> [&'static [(&'static str, &'static str)]; 2] {
    match (&racing.hand, racing.play.board()) {
        (Hand::Slide, _) | (Hand::Link(_), Board::Slide(_)) => slide::KEYS,
        (Hand::Link(pen), Board::Link(drawing)) => link::keys(pen.holds(drawing).is_some()),
    }
}

/// Returns what the keys do, for the help.
pub(super) fn help(spec: &PuzzleSpec, reversed: bool) -> Vec<Help> {
    match spec {
        PuzzleSpec::Slide(_) => slide::help(reversed).to_vec(),
        PuzzleSpec::Link(_) => link::HELP.to_vec(),
    }
}

/// Returns what a mark on a board means, for the help.
pub(super) const fn legend(spec: &PuzzleSpec) -> [&'static str; 2] {
    match spec {
        PuzzleSpec::Slide(_) => ["[12]", " is at home"],
        PuzzleSpec::Link(_) => ["[12]", " is linked"],
    }
}

/// Returns what one has done so far, in a line; in short, unless there is room for words.
pub(super) fn moves(racing: &Racing, elapsed: Millis, wordy: bool) -> String {
    let moves = racing.play.count().moves;
    match racing.play.board() {
        Board::Slide(_) => slide::moves(moves, elapsed),
        Board::Link(drawing) => link::moves(moves, drawing, wordy),
    }
}

/// Returns what the hand is doing, or what is still to do where that is easily overlooked.
pub(super) fn doing(racing: &Racing) -> Option<(String, Look)> {
    match (&racing.hand, racing.play.board()) {
        (Hand::Link(pen), Board::Link(drawing)) => link::doing(pen, drawing),
        (Hand::Slide | Hand::Link(_), _) => None,
    }
}

/// Returns how far somebody has come, in the family's own count where there is one.
pub(super) fn tally(standing: &Standing) -> Option<String> {
    standing.tally.map(|tally| format!("{tally} links"))
}

/// Returns what the two counts of moves are called.
pub(super) const fn counts(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => slide::COUNTS,
        PuzzleSpec::Link(_) => link::COUNTS,
    }
}

/// Returns what stands before the fewest moves that a board takes.
pub(super) const fn best(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => slide::BEST,
        PuzzleSpec::Link(_) => link::BEST,
    }
}

/// Returns what a bot's pace counts.
pub(super) const fn pace(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => slide::PACE,
        PuzzleSpec::Link(_) => link::PACE,
    }
}
