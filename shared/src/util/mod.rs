//! Types without a domain: grids, seeds, time, bounded collections.

pub(crate) mod bounded_vec;
pub mod byte_codec;
pub mod grid;
pub mod hex;
pub mod seed;
pub mod time;
