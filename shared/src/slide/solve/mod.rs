//! Solvers of the sliding puzzle.
//!
//! [`constructive()`] solves every size at once, as a person does; [`shorten()`] makes the
//! beginning of its plan shorter by a search a few moves deep.

mod constructive;
mod route;
mod shortcut;
mod window;

pub use constructive::{Solution, constructive};
pub use shortcut::{Shortened, shorten};
