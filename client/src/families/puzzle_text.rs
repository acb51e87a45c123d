//! What each family of puzzles says of itself: its keys, its counts, its hints. A further
//! family is a file here, and its arms.

use crate::tui::model::{Hand, Racing};
use crate::tui::theme::Look;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::time::Millis;

/// A key, and what it does in many words and in few.
pub(crate) type Help = (&'static str, &'static str, &'static str);

/// A hint as it is shown.
pub(crate) struct Advice {
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
pub(crate) fn title(spec: &PuzzleSpec) -> String {
    match spec {
        PuzzleSpec::Slide(size) => format!("sliding puzzle {size}"),
        PuzzleSpec::Link(spec) => format!("Numberlink {}, {}", spec.size(), spec.mode()),
    }
}

/// Returns the hint in words, as long as it holds.
pub(crate) fn advice(racing: Racing<'_>) -> Option<Advice> {
    let given = racing.hint()?;
    match (&given.hint, racing.play.board()) {
        (Hint::Slide(hint), Board::Slide(board)) => {
            Some(crate::families::slide::text::advice(board, hint, given.distance_change))
        }
        (Hint::Link(hint), Board::Link(drawing)) => {
            Some(crate::families::numberlink::text::advice(drawing, hint))
        }
        // A server may say what it likes.
        (Hint::Slide(_), Board::Link(_)) | (Hint::Link(_), Board::Slide(_)) => None,
    }
}

/// Returns what the keys do in one's race at the moment, before and after the key for a
/// hint.
pub(crate) fn keys(racing: Racing<'_>) -> [&'static [(&'static str, &'static str)]; 2] {
    match (&racing.hand, racing.play.board()) {
        (Hand::Slide, _) | (Hand::Link(_), Board::Slide(_)) => crate::families::slide::text::KEYS,
        (Hand::Link(pen), Board::Link(drawing)) => {
            crate::families::numberlink::text::keys(pen.holds(drawing).is_some())
        }
    }
}

/// Returns what the keys do, for the help.
pub(crate) fn help(spec: &PuzzleSpec, reversed: bool) -> Vec<Help> {
    match spec {
        PuzzleSpec::Slide(_) => crate::families::slide::text::help(reversed).to_vec(),
        PuzzleSpec::Link(_) => crate::families::numberlink::text::HELP.to_vec(),
    }
}

/// Returns what a mark on a board means, for the help.
pub(crate) const fn legend(spec: &PuzzleSpec) -> [&'static str; 2] {
    match spec {
        PuzzleSpec::Slide(_) => ["[12]", " is at home"],
        PuzzleSpec::Link(_) => ["[12]", " is linked"],
    }
}

/// Returns what one has done so far, in a line; in short, unless there is room for words.
pub(crate) fn moves(racing: Racing<'_>, elapsed: Millis, wordy: bool) -> String {
    let moves = racing.play.count().moves;
    match racing.play.board() {
        Board::Slide(_) => crate::families::slide::text::moves(moves, elapsed),
        Board::Link(drawing) => crate::families::numberlink::text::moves(moves, drawing, wordy),
    }
}

/// Returns what the hand is doing, or what is still to do where that is easily overlooked.
pub(crate) fn doing(racing: Racing<'_>) -> Option<(String, Look)> {
    match (&racing.hand, racing.play.board()) {
        (Hand::Link(pen), Board::Link(drawing)) => {
            crate::families::numberlink::text::doing(pen, drawing)
        }
        (Hand::Slide | Hand::Link(_), _) => None,
    }
}

/// Returns how far somebody has come, in the family's own count where there is one.
pub(crate) fn tally(standing: &Standing) -> Option<String> {
    standing.tally.map(|tally| format!("{tally} links"))
}

/// Returns what the two counts of moves are called.
pub(crate) const fn counts(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => crate::families::slide::text::COUNTS,
        PuzzleSpec::Link(_) => crate::families::numberlink::text::COUNTS,
    }
}

/// Returns what stands before the fewest moves that a board takes.
pub(crate) const fn best(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => crate::families::slide::text::BEST,
        PuzzleSpec::Link(_) => crate::families::numberlink::text::BEST,
    }
}

/// Returns what a bot's pace counts.
pub(crate) const fn pace(spec: &PuzzleSpec) -> &'static str {
    match spec {
        PuzzleSpec::Slide(_) => crate::families::slide::text::PACE,
        PuzzleSpec::Link(_) => crate::families::numberlink::text::PACE,
    }
}
