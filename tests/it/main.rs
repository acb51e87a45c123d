//! End-to-end tests over real sockets, and the golden files of the wire.
//!
//! - `golden` holds bytes and JSON of every message against `tests/golden`.
//! - `harness` starts servers on free ports and drives clients.
//! - `race`, `moves`, `hints`: a heat from its start to its results; `lobby`, `people`:
//!   who is in it and in what part; `pins`: who gets in; `watching`: what spectators see
//!   and players don't.
//! - `resume`: lost connections, and coming back; `replays`: what is kept of a heat.
//! - `secrecy`: nothing before GO depends on the seed; `tables`: what the solvers look up.
//! - `fuzz`: the fuzz targets over their corpus.
//! - `measure`, `hostile`: how long hints take, and what peers who mean harm cost the others,
//!   where asked for.
//! - `shards`: heats on threads of their own.
//! - `metrics`: what a monitoring system reads.
//! - `frames`, `limits`, `http`: peers that mean harm or don't know better, and the way in.

#![cfg(test)]

mod frames;
mod fuzz;
mod golden;
mod harness;
mod hints;
mod hostile;
mod http;
mod lasting;
mod limits;
mod links;
mod lobby;
mod measure;
mod metrics;
mod moves;
mod people;
mod pins;
mod race;
mod replays;
mod results;
mod resume;
mod returning;
mod secrecy;
mod shards;
mod tables;
mod tls;
mod trusting;
mod watching;
