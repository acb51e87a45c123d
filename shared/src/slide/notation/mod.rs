//! Boards and moves as text.
//!
//! A board is `1 2 3/4 5 6/7 8 0` ([`Board`](super::Board)'s `Display` and `FromStr`);
//! moves are letters with repeat counts, `R2D` ([`parse_moves`], [`print_moves`]).

mod board;
mod moves;

pub use board::{BoardTextError, MAX_BOARD_TEXT};
pub use moves::{
    MAX_MOVES, MovesError, Reading, Stuck, cells, directions, parse_moves, print_moves,
};
