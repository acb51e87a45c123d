//! End-to-end tests over real sockets, and the golden files of the wire.
//!
//! - `harness` starts servers on free ports and drives clients; `golden` compares every message
//!   with `tests/golden`, byte for byte.
//! - A heat: `race`, `hints`, `numberlink_heats`, `spectators`, `secrecy` (nothing before
//!   GO depends on the seed), `replays`.
//! - A room: `lobby`, `membership`, `operators`, `pins`, `shards`.
//! - `tournaments`: from their opening to the champion.
//! - Connections: `resume`, `resume_by_key`, `restarts`, `tls`, `http`,
//!   `frames`, `limits`.
//! - The server: `metrics`, `stored_results`, `solver_tables`.
//! - `fuzz_corpus` runs the fuzz targets; `hostile_load` is a measurement, run on request.

#![cfg(test)]

mod frames;
mod fuzz_corpus;
mod golden;
mod harness;
mod hints;
mod host_image;
mod hostile_load;
mod http;
mod limits;
mod lobby;
mod membership;
mod metrics;
mod numberlink_heats;
mod operators;
mod pins;
mod race;
mod replays;
mod restarts;
mod resume;
mod resume_by_key;
mod secrecy;
mod shards;
mod solver_tables;
mod spectators;
mod stored_results;
mod tls;
mod tournaments;
