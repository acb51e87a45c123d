//! The rules of gridrace, and everything that both ends of the wire must agree on.
//!
//! Absent from this crate: a clock, sockets, files and ambient randomness. Time and chance come in as
//! parameters. It starts no thread, but to make hard Numberlinks on all cores, whose result doesn't
//! depend on them.
//!
//! - [`util`] has grids, seeds, time and the byte codec.
//! - [`puzzle`] has the families of puzzles behind one interface; [`solver`] and [`bot`] put a
//!   family's solver to use.
//! - [`heat`] describes a heat: options, players, standings, the commitment to the seed;
//!   [`tournament`] plans, draws and ranks many of them.
//! - [`protocol`] is what goes over the wire, [`replay`] the record of a heat, [`tournament_record`]
//!   that of a tournament; [`heat_view`] and [`tournament_view`] are what a client knows of a heat
//!   and of a tournament, folded from the server's messages.

#![forbid(unsafe_code)]

pub mod bot;
pub mod heat;
pub mod heat_view;
pub mod protocol;
pub mod puzzle;
pub mod replay;
pub mod solver;
pub mod tournament;
pub mod tournament_record;
pub mod tournament_view;
pub mod util;
