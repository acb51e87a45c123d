//! The M×N sliding puzzle: rules, parity, scrambles, notation, solver.
//!
//! Cells are numbered row by row from 0; tile 0 is the blank; the goal is `1 2 3 … 0`. A move
//! names the cell of a tile in the blank's row or column; the tiles between it and the blank slide
//! too.

mod board;
pub mod cycles;
mod family;
mod id;
pub mod notation;
pub mod parity;
mod plan;
mod policy;
mod rating;
pub mod reachability;
mod replay_codec;
pub mod scramble;
pub mod solve;
mod spec;
mod wire;

pub use crate::util::grid::MAX_SIDE;
pub use board::{Board, BoardError, BoardErrors, IllegalMove, Played};
pub use family::Slide;
pub use id::{SlideId, SlideIdError};
pub use plan::{MOVES_AHEAD, SlideHint, SlidePlan};
pub use policy::{SlidePolicy, SlideProfile};
pub use rating::rate;
pub use replay_codec::SlideCodec;
pub use spec::{HEAT_SIDES, SlideSpec, SlideSpecError};
