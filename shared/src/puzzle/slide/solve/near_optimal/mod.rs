//! Near-optimal solutions: a beam search over whole boards, and a local search that shortens a
//! solution. Both can be interrupted at any node; [`super::AnytimeSearch`] alternates between
//! them.

mod beam;
mod endgame;
mod evaluation;
mod geometry;
mod heuristic;
mod local_search;
mod symmetry;
mod weights;

pub(super) use beam::{Beam, BeamStatus};
pub(super) use endgame::Endgame;
pub(super) use evaluation::MAX_CELLS;
pub(super) use geometry::Geometry;
pub(super) use heuristic::lower_bound;
pub(super) use local_search::LocalSearch;
pub(super) use symmetry::Symmetry;
