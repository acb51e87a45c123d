//! The rules of gridrace, and everything that both ends of the wire must agree on.
//!
//! Absent from this crate, and kept out by its manifest: a clock, sockets, threads,
//! files and ambient randomness. Time and chance come in as parameters.
//!
//! - [`puzzle`] is the border between the families of puzzles ([`slide`], [`numberlink`])
//!   and the rest; [`grid`] and [`seed`] are what every family builds on.
//! - [`hint`] and [`bot`] put a family's solver to use.
//! - [`options`], [`standings`], [`reveal`], [`name`], [`identity`] and [`time`] are the words of a heat.
//! - [`protocol`] is what goes over the wire, [`replay`] what is left of a heat.

#![forbid(unsafe_code)]

pub mod bot;
pub mod heat;
pub mod heat_view;
pub mod protocol;
pub mod puzzle;
pub mod replay;
pub mod solver;
pub mod util;
