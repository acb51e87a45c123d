//! What each family of puzzles shows and takes at the terminal.
//!
//! A family implements [`FamilyUi`] in a folder of its own. The enum of its inputs and all
//! dispatch are generated from the list at the end of this file.

pub mod face;
pub mod family_ui;
pub mod input;
pub mod narration;
pub mod numberlink;
pub mod slide;
pub mod text;

use crate::display::theme::Look;
use face::Face;
use family_ui::FamilyUi;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use input::{BoardKey, InputAction, MouseAction};
use text::{Advice, Help, KeyHints};

/// Generates the enum of inputs and the dispatch over the families.
macro_rules! dispatch {
    ($($family:ident => $ui:ty),+ $(,)?) => {
        /// What the player's input holds between two moves, by family.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum BoardInput {
            $($family(<$ui as FamilyUi>::Input),)+
        }

        // A server may send a hint, and a caller a board, of another family: nothing happens then.
        impl BoardInput {
            pub fn new(board: &Board) -> Self {
                match board {
                    $(Board::$family(board) => Self::$family(<$ui>::input(board)),)+
                }
            }

            pub fn key(&mut self, board: &Board, key: BoardKey, reversed: bool) -> InputAction {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => {
                        <$ui>::key(input, board, key, reversed)
                    })+
                    _ => InputAction::None,
                }
            }

            /// Handles the mouse, at a cell of the board or beside it.
            pub fn mouse(
                &mut self,
                board: &Board,
                action: MouseAction,
                at: Option<Cell>,
            ) -> InputAction {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => {
                        <$ui>::mouse(input, board, action, at)
                    })+
                    _ => InputAction::None,
                }
            }

            /// Drops what is held, without a move. Returns whether anything was.
            pub fn cancel(&mut self) -> bool {
                match self {
                    $(Self::$family(input) => <$ui>::cancel(input),)+
                }
            }

            /// Brings what a hint is about into view.
            pub fn focus_hint(&mut self, board: &Board, hint: &Hint) {
                match (self, board, hint) {
                    $((Self::$family(input), Board::$family(board), Hint::$family(hint)) => {
                        <$ui>::focus_hint(input, board, hint);
                    })+
                    _ => {}
                }
            }

            /// Adapts the input to a board that the server changed.
            pub fn sync(&mut self, board: &Board) {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => <$ui>::sync(input, board),)+
                    _ => {}
                }
            }

            /// Returns what the keys do at the moment, before and after the key for a hint.
            pub fn keys(&self, board: &Board) -> KeyHints {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => <$ui>::keys(input, board),)+
                    _ => [&[], &[]],
                }
            }

            /// Returns what the input is doing, or what is still to do where it is easily
            /// overlooked.
            pub fn status(&self, board: &Board) -> Option<(String, Look)> {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => {
                        <$ui>::status(input, board)
                    })+
                    _ => None,
                }
            }

            /// Returns the face of the player's own board, with the hint. While `active`, also
            /// with what the input holds.
            pub fn face<'a>(
                &'a self,
                board: &'a Board,
                hint: Option<&'a Hint>,
                active: bool,
            ) -> Box<dyn Face + 'a> {
                match (self, board) {
                    $((Self::$family(input), Board::$family(board)) => {
                        let hint = match hint {
                            Some(Hint::$family(hint)) => Some(hint),
                            _ => None,
                        };
                        <$ui>::own_face(board, input, hint, active)
                    })+
                    _ => face(board, None),
                }
            }
        }

        /// Returns the face of a board. Of one that is too large, `focus` stays visible where
        /// the position itself doesn't say what should.
        pub fn face(board: &Board, focus: Option<Cell>) -> Box<dyn Face + '_> {
            match board {
                $(Board::$family(board) => <$ui>::face(board, focus),)+
            }
        }

        /// Returns whether the direction keys of a puzzle can be reversed.
        pub const fn is_reversible(spec: &PuzzleSpec) -> bool {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::REVERSIBLE,)+
            }
        }

        /// Returns the name of a puzzle.
        pub fn title(spec: &PuzzleSpec) -> String {
            match spec {
                $(PuzzleSpec::$family(spec) => <$ui>::title(spec),)+
            }
        }

        /// Returns what the keys do, for the help.
        pub fn help(spec: &PuzzleSpec, reversed: bool) -> Vec<Help> {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::help(reversed),)+
            }
        }

        /// Returns a mark on the board and its meaning, for the help.
        pub const fn legend(spec: &PuzzleSpec) -> [&'static str; 2] {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::LEGEND,)+
            }
        }

        /// Returns the heading of the two counts of moves.
        pub const fn counts(spec: &PuzzleSpec) -> &'static str {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::COUNTS,)+
            }
        }

        /// Returns the words before the fewest moves that a board takes.
        pub const fn best(spec: &PuzzleSpec) -> &'static str {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::BEST,)+
            }
        }

        /// Returns the unit of a bot's pace.
        pub const fn pace(spec: &PuzzleSpec) -> &'static str {
            match spec {
                $(PuzzleSpec::$family(_) => <$ui>::PACE,)+
            }
        }

        /// Returns the player's count of moves and its pace or result, in a line.
        pub fn moves(board: &Board, moves: u32, elapsed: Millis, wordy: bool) -> String {
            match board {
                $(Board::$family(board) => <$ui>::moves(moves, elapsed, board, wordy),)+
            }
        }

        /// Returns a hint in words. `distance_change` is the change of the distance to the goal.
        pub fn advice(board: &Board, hint: &Hint, distance_change: Option<i32>) -> Option<Advice> {
            match (board, hint) {
                $((Board::$family(board), Hint::$family(hint)) => {
                    Some(<$ui>::advice(board, hint, distance_change))
                })+
                _ => None,
            }
        }

        /// Returns what a move does, for the narration of a replay.
        pub fn narrate(board: &Board, play: &Move) -> String {
            match (board, play) {
                $((Board::$family(board), Move::$family(play)) => <$ui>::narrate(board, play),)+
                _ => "makes a move of another puzzle".to_owned(),
            }
        }
    };
}

dispatch! {
    Slide => slide::Slide,
    Link => numberlink::Numberlink,
}

/// Holds nothing.
impl Default for BoardInput {
    fn default() -> Self {
        Self::Slide(())
    }
}

/// Returns a player's progress in the family's own count, where it has one.
pub fn tally(standing: &Standing) -> Option<String> {
    standing.tally.map(|tally| format!("{tally} links"))
}
