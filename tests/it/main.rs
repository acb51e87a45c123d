//! End-to-end tests over real sockets, and the golden files of the wire.
//!
//! - [`golden`] holds bytes and JSON of every message against `tests/golden`.
//! - [`harness`] starts servers on free ports and drives clients; the other modules are
//!   one subject each.

#![cfg(test)]

mod golden;
