//! The families of puzzles at the terminal: display and input.
//!
//! A family implements [`FamilyUi`] in its own folder. The enum of inputs and all dispatch
//! are generated from [`for_each_family`](gridrace_shared::for_each_family).

pub mod face;
pub mod family_ui;
pub mod input;
pub mod narration;
pub mod numberlink;
pub mod slide;

use crate::display::theme::Look;
use face::Face;
use family_ui::{Advice, FamilyInfo, FamilyUi, Help, Lesson};
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::puzzle::{Board, Move, PuzzleSpec, families};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use input::{BoardControl, FamilyInput, InputAction, KeyHints, MouseAction};

/// Generates the enum of inputs, and for each function of [`FamilyInput`] and [`FamilyUi`] the one
/// of the same name that dispatches over the families.
macro_rules! define_dispatch {
    ($($Variant:ident = $module:ident,)+) => {
        /// What the player's input holds between two moves, by family.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub enum BoardInput {
            /// Outside a race.
            #[default]
            None,
            $($Variant(<families::$Variant as FamilyUi>::Input),)+
        }

        // A server may send a hint, and a caller a board, of another family: nothing happens then.
        impl BoardInput {
            pub fn new(board: &Board) -> Self {
                match board {
                    $(Board::$Variant(board) => Self::$Variant(FamilyInput::new(board)),)+
                }
            }

            pub fn key(&mut self, board: &Board, key: BoardControl, reversed: bool) -> InputAction {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => input.key(board, key, reversed),)+
                    _ => InputAction::None,
                }
            }

            pub fn mouse(
                &mut self,
                board: &Board,
                action: MouseAction,
                at: Option<Cell>,
            ) -> InputAction {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => input.mouse(board, action, at),)+
                    _ => InputAction::None,
                }
            }

            pub fn cancel(&mut self) -> bool {
                match self {
                    Self::None => false,
                    $(Self::$Variant(input) => input.cancel(),)+
                }
            }

            pub fn focus_hint(&mut self, board: &Board, hint: &Hint) {
                match (self, board, hint) {
                    $((Self::$Variant(input), Board::$Variant(board), Hint::$Variant(hint)) => {
                        input.focus_hint(board, hint);
                    })+
                    _ => {}
                }
            }

            pub fn sync(&mut self, board: &Board) {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => input.sync(board),)+
                    _ => {}
                }
            }

            pub fn keys(&self, board: &Board) -> KeyHints {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => input.keys(board),)+
                    _ => [&[], &[]],
                }
            }

            pub fn status(&self, board: &Board) -> Option<(String, Look)> {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => input.status(board),)+
                    _ => None,
                }
            }

            /// [`FamilyUi::lesson`].
            pub fn lesson(&self, board: &Board, hint: &Hint, reversed: bool) -> Option<Lesson> {
                match (self, board, hint) {
                    $((Self::$Variant(input), Board::$Variant(board), Hint::$Variant(hint)) => {
                        Some(families::$Variant::lesson(board, input, hint, reversed))
                    })+
                    _ => None,
                }
            }

            /// [`FamilyUi::own_face`].
            pub fn face<'a>(
                &'a self,
                board: &'a Board,
                hint: Option<&'a Hint>,
                active: bool,
                motion: Option<u16>,
            ) -> Box<dyn Face + 'a> {
                match (self, board) {
                    $((Self::$Variant(input), Board::$Variant(board)) => {
                        let hint = match hint {
                            Some(Hint::$Variant(hint)) => Some(hint),
                            _ => None,
                        };
                        families::$Variant::own_face(board, input, hint, active, motion)
                    })+
                    _ => face(board, None),
                }
            }
        }

        pub fn face(board: &Board, focus: Option<Cell>) -> Box<dyn Face + '_> {
            match board {
                $(Board::$Variant(board) => families::$Variant::face(board, focus),)+
            }
        }

        pub const fn info(spec: &PuzzleSpec) -> &'static FamilyInfo {
            match spec {
                $(PuzzleSpec::$Variant(_) => &families::$Variant::INFO,)+
            }
        }

        pub fn title(spec: &PuzzleSpec) -> String {
            match spec {
                $(PuzzleSpec::$Variant(spec) => families::$Variant::title(spec),)+
            }
        }

        pub fn help(spec: &PuzzleSpec, reversed: bool) -> Vec<Help> {
            match spec {
                $(PuzzleSpec::$Variant(_) => families::$Variant::help(reversed),)+
            }
        }

        pub fn moves(board: &Board, moves: u32, elapsed: Millis, wordy: bool) -> String {
            match board {
                $(Board::$Variant(board) => families::$Variant::moves(moves, elapsed, board, wordy),)+
            }
        }

        pub fn advice(board: &Board, hint: &Hint, distance_change: Option<i32>) -> Option<Advice> {
            match (board, hint) {
                $((Board::$Variant(board), Hint::$Variant(hint)) => {
                    Some(families::$Variant::advice(board, hint, distance_change))
                })+
                _ => None,
            }
        }

        pub fn shown_moves(board: &Board, hint: &Hint) -> Vec<Move> {
            match (board, hint) {
                $((Board::$Variant(board), Hint::$Variant(hint)) => {
                    let moves = families::$Variant::shown_moves(board, hint);
                    moves.into_iter().map(Move::$Variant).collect()
                })+
                _ => Vec::new(),
            }
        }

        pub fn is_hinted(board: &Board, hint: &Hint, play: &Move) -> bool {
            match (board, hint, play) {
                $((Board::$Variant(board), Hint::$Variant(hint), Move::$Variant(play)) => {
                    families::$Variant::is_hinted(board, hint, play)
                })+
                _ => false,
            }
        }

        pub fn narrate(board: &Board, play: &Move) -> String {
            match (board, play) {
                $((Board::$Variant(board), Move::$Variant(play)) => {
                    families::$Variant::narrate(board, play)
                })+
                _ => "makes a move of another puzzle".to_owned(),
            }
        }
    };
}

gridrace_shared::for_each_family!(define_dispatch);

/// Returns a player's progress in the family's own count, where it has one.
pub fn piece_progress(standing: &Standing) -> Option<String> {
    standing.tally.map(|tally| format!("{tally} links"))
}
