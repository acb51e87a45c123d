//! Deductions: how a person solves a puzzle.
//!
//! A grid stores for every edge between two cells whether links use it, do not use it, or this is
//! unknown. Deductions have tiers, and the easiest available one comes first:
//!
//! 1. A cell's own edges: a terminal has one, any other cell two; different numbers are not
//!    joined, and nothing closes a ring.
//! 2. No link touches itself, if that is known.
//! 3. The immediate effect of a step: it separates a pair, or leaves unreachable cells.
//! 4. The consequences of a step up to a contradiction.
//!
//! [`next_segment`] returns the first segment of a link that can be drawn, preferably one with a
//! reason that is visible on the drawn board, and [`check`] finds mistakes. [`solving_effort`]
//! counts the deductions up to the solution, for the [`Grade`].

mod check;
mod difficulty;
mod edge_grid;
mod engine;
mod explanation;
mod forced_segment;
mod grade;
mod hint;
mod known;
mod lookahead;
mod propagation;
mod regions;
mod residual;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
mod visible;

pub use check::{DrawingCheck, Mistake, check};
pub use difficulty::{SolvingEffort, solving_effort};
pub use explanation::{ForcedSegment, Premise, Reason};
pub use forced_segment::next_segment;
pub use grade::Grade;
pub(super) use hint::next_hint;
pub use hint::{LinkHint, REVEALED_CELLS};
pub use known::KnownSolution;
pub(super) use known::{common_cells, oriented_link};
