//! Solvers of the sliding puzzle.
//!
//! [`constructive()`] solves every size at once, as a person does; [`shorten()`] makes the
//! beginning of its plan shorter by a search a few moves deep; [`Trace`] shows a solution as
//! permutations, step by step.

mod constructive;
mod route;
mod shortcut;
mod trace;
mod window;

pub use constructive::{Solution, constructive};
pub use shortcut::{Shortened, shorten};
pub use trace::{Step, Stuck, Trace};
