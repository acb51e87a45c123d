//! Numberlink: join equal numbers, fill the grid.
//!
//! A board is a rectangle of cells: some are solid, some are terminals that hold a number,
//! each number twice. The two terminals of every pair are to be joined by one simple path,
//! its link; links share no cell, enter no solid cell, and together cover every open one.
//! Any such set of links wins, not only the one that a generator had in mind.

mod bounded;
mod drag;
mod drawing;
mod fault;
pub mod generate;
mod guide;
mod heat;
mod history;
#[cfg(test)]
mod laws;
mod mind;
pub mod notation;
mod puzzle;
mod raw;
pub mod reason;
pub(crate) mod record;
mod restore;
#[cfg(test)]
mod samples;
mod short;
mod solution;
pub mod solve;
mod stroke;

pub use drag::{drag, fill_in};
pub use drawing::Drawing;
pub use fault::{PuzzleFault, PuzzleFaults};
pub use generate::generate;
pub use guide::{Guide, KNOWN_BUDGET};
pub use heat::{HEAT_SIDES, HeatSpec, HeatSpecError, Mode, ModeError};
pub use history::{UNDO_STROKES, UNDO_WEIGHT};
pub use mind::{Mind, Profile};
use puzzle::MOST_CELLS;
pub use puzzle::{Pair, Puzzle, SIDES, Square, Touch};
pub use restore::DrawingFault;
pub use solution::{Rule, Solution};
pub use stroke::{Counted, IllegalStroke, STROKE_CELLS, Stroke};
