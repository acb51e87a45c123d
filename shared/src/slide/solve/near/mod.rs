//! Near-optimal solutions: a beam over whole boards, and one that shortens a solution piece
//! by piece. Both can stop and go on at any node; [`super::Anytime`] gives them turns.

mod beam;
mod conflict;
mod estimate;
mod ground;
mod polish;
mod tail;

pub(super) use beam::{Beam, Step};
pub(super) use ground::{Ground, MAX_CELLS};
pub(super) use polish::Polish;
pub(super) use tail::Tail;
