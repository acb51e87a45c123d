//! Near-optimal solutions: beams that grow wider and wider.

mod beam;
mod conflict;
mod estimate;
mod ground;

pub(super) use beam::{Beam, Step};
pub(super) use ground::{Ground, MAX_CELLS};
