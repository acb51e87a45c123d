//! Numberlink: join equal numbers, fill the grid.
//!
//! A board is a rectangle of cells: some are solid, some are terminals that hold a number,
//! each number twice. The two terminals of every pair are to be joined by one simple path,
//! its link; links share no cell, enter no solid cell, and together cover every open one.
//! Any such set of links wins, not only the one that a generator had in mind.

mod fault;
mod puzzle;
mod solution;
pub mod solve;

pub use fault::{PuzzleFault, PuzzleFaults};
use puzzle::MOST_CELLS;
pub use puzzle::{Pair, Puzzle, SIDES, Square, Touch};
pub use solution::{Rule, Solution};
