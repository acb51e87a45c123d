//! Types without a domain: grids, seeds, time, bounded collections.

pub(crate) mod bounded_vec;
pub mod byte_codec;
pub mod clock_estimate;
pub mod conversions;
pub mod grid;
pub mod hex_bytes;
pub(crate) mod section_file;
pub mod seed;
pub mod time;
