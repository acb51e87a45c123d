//! Near-optimal solutions: a beam over whole boards, and one that shortens a solution piece
//! by piece. Both can stop and go on at any node; [`super::AnytimeSearch`] gives them turns.

mod beam;
mod endgame;
mod geometry;
mod heuristic;
mod linear_conflict;
mod local_search;

pub(super) use beam::{Beam, BeamStatus};
pub(super) use endgame::Endgame;
pub(super) use geometry::{Geometry, MAX_CELLS};
pub(super) use local_search::LocalSearch;
