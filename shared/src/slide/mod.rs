//! The M×N sliding puzzle: rules, parity, scrambles, notation, solver.
//!
//! Cells are numbered row by row from 0; tile 0 is the blank; the goal is `1 2 3 … 0`.
//! A move names the cell of the tile that slides, from anywhere in the blank's row or
//! column; the tiles between slide along.

mod board;
pub mod cycles;
mod fault;
mod guide;
mod heat;
mod mind;
pub mod notation;
pub mod parity;
mod progress;
mod rating;
mod raw;
pub(crate) mod record;
pub mod scramble;
pub mod solve;

pub use board::{Board, IllegalMove, MoveCount, Played};
pub use fault::{BoardFault, BoardFaults, MAX_SIDE};
pub use guide::{Guide, Hint, MOVES_AHEAD};
pub use heat::{HEAT_SIDES, HeatSize, HeatSizeError};
pub use mind::{Mind, Profile};
pub use progress::progress;
pub use rating::rate;
