//! Near-optimal solutions: a beam over whole boards, and one that shortens a solution piece
//! by piece. Both can stop and go on at any node; [`super::Anytime`] gives them turns.

mod beam;
mod endgame;
mod geometry;
mod heuristic;
mod linear_conflict;
mod local_search;

pub(super) use beam::{Beam, Step};
pub(super) use endgame::Tail;
pub(super) use geometry::{Ground, MAX_CELLS};
pub(super) use local_search::Polish;
