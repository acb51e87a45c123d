//! The sliding puzzle.

pub(crate) mod face;
pub(crate) mod input;
pub(crate) mod text;
