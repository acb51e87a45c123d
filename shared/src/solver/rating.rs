//! Ratings: how many moves a board needs.

use crate::puzzle::{Board, Family, MoveBounds, families};
use crate::solver::budget::Unsolved;
use crate::solver::plan::SolverResources;

macro_rules! define_rate {
    ($($Variant:ident = $module:ident,)+) => {
        /// Bounds the moves that a board needs, as closely as is worth doing once a heat. Calls
        /// `should_continue` every tens of milliseconds, and returns `None` once it returns false.
        pub fn rate(
            board: &Board,
            solvers: &SolverResources,
            should_continue: &dyn Fn() -> bool,
        ) -> Result<Option<MoveBounds>, Unsolved> {
            match board {
                $(Board::$Variant(board) => {
                    families::$Variant::rate(board, &solvers.$module, should_continue)
                })+
            }
        }
    };
}

crate::for_each_family!(define_rate);
