//! Numberlink: connect equal numbers and fill the grid.
//!
//! A board is a rectangle of cells: some are solid, some are terminals that hold a number, each
//! number twice. The two terminals of every pair are connected by one simple path, its link. Links
//! share no cell, enter no solid cell, and together cover every open one. Every such set of links
//! wins, not only the generator's.

pub mod deduce;
mod drawing;
mod family;
pub mod generate;
pub mod notation;
mod plan;
mod pointer_path;
mod policy;
mod puzzle;
mod replay_codec;
mod solution;
pub mod solve;
mod spec;
#[cfg(test)]
mod tests;
mod wire;

pub use drawing::stroke::{IllegalStroke, STROKE_CELLS, Stroke};
pub use drawing::validate::DrawingError;
pub use drawing::{Drawing, UNDO_STROKES, UNDO_WEIGHT};
pub use family::Link;
pub use generate::generate;
pub use plan::{KNOWN_BUDGET, LinkPlan};
pub use pointer_path::{cells_between, extend_stroke};
pub use policy::{LinkPolicy, LinkProfile};
use puzzle::MAX_CELLS;
pub use puzzle::{NumberlinkError, NumberlinkErrors, Pair, Puzzle, SIDES, Square, Touch};
pub use solution::{Rule, Solution};
pub use spec::{HEAT_SIDES, LinkSpec, LinkSpecError, Mode, ModeError};
