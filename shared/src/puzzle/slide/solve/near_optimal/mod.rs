//! Near-optimal solutions: a beam search over whole boards, and a local search that shortens a
//! solution. Both can be interrupted at any node; [`super::AnytimeSearch`] alternates between
//! them.

mod beam;
mod board;
mod endgame;
mod evaluation;
mod features;
mod geometry;
mod heuristic;
mod local_search;
mod patterns;
mod position_evaluation;
mod position_features;
mod symmetry;
mod weights;

pub use beam::{Beam, BeamStatus, BeamWidth};
pub(super) use board::MAX_CELLS;
pub(super) use endgame::{Endgame, corner_tiles};
pub use features::list_features;
pub use geometry::Geometry;
pub(super) use heuristic::lower_bound;
pub(super) use local_search::LocalSearch;
pub use position_evaluation::{position_weights, store_position_weights};
pub use position_features::PositionFeatures;
pub(super) use symmetry::Symmetry;
pub use weights::WEIGHTS;
