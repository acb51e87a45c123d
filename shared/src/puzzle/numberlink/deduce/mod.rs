//! Reasons: how a person finds the oriented_link of links, deduction by deduction.
//!
//! A grid holds what is known of every edge between two cells: a link uses it, or none
//! does, or neither is known yet. Deductions come in tiers, and the easiest that is at hand
//! is made first:
//!
//! 1. What a cell's own edges say: a terminal has one, any other cell two; different
//!    numbers aren't joined, and nothing closes a ring.
//! 2. That no link touches itself, where that is known.
//! 3. What a single step would do at once: cut a pair off, or leave cells that no link can
//!    reach.
//! 4. What follows from a step, further and further, until something can't be.
//!
//! [`next_segment`] gives the first piece of a link that can be drawn, for hints: one with a
//! reason that shows on the board as it is drawn, and where there is none, one that follows from
//! what isn't drawn. [`check`] says before that whether what is drawn can be right, and
//! [`hint`] does both.
//! [`solving_effort`] goes on to the end and counts, for the [`Grade`].

mod check;
mod difficulty;
mod edges;
mod engine;
mod explanation;
mod grade;
mod hint;
mod justification;
mod known;
mod lookahead;
mod propagation;
mod regions;
mod residual;
#[cfg(test)]
mod samples;
mod step;
#[cfg(test)]
mod tests;
mod touch_rule;
mod visible;

pub(in crate::puzzle::numberlink) use check::check_counting;
pub use check::{DrawingCheck, Mistake, check};
pub use difficulty::{SolvingEffort, solving_effort};
pub use explanation::{ForcedSegment, Premise, Reason};
pub use grade::Grade;
pub(in crate::puzzle::numberlink) use hint::next_hint;
pub use hint::{LinkHint, REVEALED_CELLS, hint};
pub use known::KnownSolution;
pub use step::next_segment;
