//! The race by logs with virtual time.
//!
//! Every test writes a [`log::Log`]; when it is dropped, the log is replayed on a fresh
//! race and must give equal effects. `fold` is a client that believes what it is sent.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

mod acts;
mod again;
mod boards;
mod drawing;
mod fold;
mod hints;
mod joining;
mod leaving;
mod log;
mod moves;
mod options;
mod properties;
mod rating;
mod recording;
mod recovering;
mod rematch;
mod resuming;
mod returns;
mod secrecy;
mod solver;
mod spectators;
mod standings;
mod start;
mod world;
