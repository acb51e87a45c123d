//! End-to-end tests over real sockets, and the golden files of the wire.
//!
//! - `harness` starts servers on free ports and drives clients; `golden` compares every message
//!   with `tests/golden`, byte for byte.
//! - A heat: `race`, `moves`, `hints`, `numberlink_heats`, `spectators`, `secrecy` (nothing before
//!   GO depends on the seed), `replays`.
//! - A room: `lobby`, `membership`, `pins`, `shards`.
//! - Connections: `resume`, `resume_by_key`, `restarts`, `server_tls`, `client_tls`, `http`,
//!   `frames`, `limits`.
//! - The server: `metrics`, `stored_results`, `solver_tables`.
//! - `fuzz_corpus` runs the fuzz targets; `hint_latency` and `hostile_load` are measurements, run
//!   on request.

#![cfg(test)]

mod client_tls;
mod frames;
mod fuzz_corpus;
mod golden;
mod harness;
mod hint_latency;
mod hints;
mod hostile_load;
mod http;
mod limits;
mod lobby;
mod membership;
mod metrics;
mod moves;
mod numberlink_heats;
mod pins;
mod race;
mod replays;
mod restarts;
mod resume;
mod resume_by_key;
mod secrecy;
mod server_tls;
mod shards;
mod solver_tables;
mod spectators;
mod stored_results;
