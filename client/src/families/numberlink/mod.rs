//! Numberlink.

pub(crate) mod face;
pub(crate) mod input;
pub(crate) mod text;
