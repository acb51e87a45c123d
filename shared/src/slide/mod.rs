//! The M×N sliding puzzle.
//!
//! M·N − 1 numbered tiles and one blank; only a tile beside the blank can move, into
//! it. Cells are numbered row by row from 0, the goal is `1 2 3 … 0` with 0 for the
//! blank. [`Board`] has one door in from outside, [`Board::from_tiles`], and one
//! definition of legality, [`Board::slide_length`].

mod board;
mod fault;
mod moves;
pub mod notation;
mod parity;
mod scramble;
#[cfg(test)]
mod strategies;

pub use board::{Board, MAX_HEAT_SIDE, MAX_SIDE, MIN_HEAT_SIDE};
pub use fault::{BoardFault, BoardFaults, MAX_LISTED_FAULTS};
pub use moves::{IllegalMove, MoveCount, Played};
pub use parity::{equivalent, inversions};
pub use scramble::{Variant, scramble};
