//! Hints: a solver's advice on a board.

use crate::puzzle::{Board, Family, Move, families};
use serde::{Deserialize, Serialize};

macro_rules! define_hint {
    ($($Variant:ident = $module:ident,)+) => {
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Hint {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Hint),)+
        }

        impl Hint {
            /// Returns the move that the hint advises on the board it is about.
            pub fn play(&self, board: &Board) -> Option<Move> {
                match (self, board) {
                    $((Self::$Variant(hint), Board::$Variant(board)) => {
                        families::$Variant::hinted_move(hint, board).map(Move::$Variant)
                    })+
                    _ => None,
                }
            }
        }
    };
}

crate::for_each_family!(define_hint);
