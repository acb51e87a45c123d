//! The rules of gridrace, and everything that both ends of the wire must agree on.
//!
//! Absent from this crate, and kept out by its manifest: a clock, sockets, threads,
//! files and ambient randomness. Time and chance come in as parameters.

pub mod grid;
pub mod seed;
pub mod slide;
