//! The tournaments: their registry, and the task that carries out their effects.
//!
//! - [`handle`]: one tournament behind a short lock, with its journal; [`delivery`]: what clients are sent
//!   of it; [`followers`]: who follows it, and who may watch its tables;
//! - [`registry`]: all of them by name; [`opening`]: opens them, and continues those of an earlier server;
//! - [`driver`]: the one task that opens and starts tables, has boards drawn, and keeps deadlines.

mod delivery;
mod driver;
mod followers;
mod handle;
mod opening;
mod registry;

pub(crate) use followers::Following;
pub(crate) use handle::Requester;
#[cfg(test)]
pub(crate) use handle::TournamentHandle;
pub(crate) use registry::{NewTournament, Tournaments};
