//! The tournaments: their registry, and the task that carries out what they decide.
//!
//! - [`handle`]: one tournament behind a short lock, with its followers and its journal;
//! - [`registry`]: all of them by name; [`opening`]: opens them, and continues those of an earlier server;
//! - [`driver`]: the one task that opens and starts tables, has boards drawn, and keeps deadlines.

mod driver;
mod handle;
mod opening;
mod registry;

pub(crate) use handle::{Following, Requester};
pub(crate) use registry::{NewTournament, Tournaments};
