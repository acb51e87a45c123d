//! The terminal client, its bots and its offline tools, as a library behind `main.rs`.
//!
//! Absent from this crate: the rules, and a second definition of the protocol.

pub mod address;
pub mod net;
