//! The commands as a shell sees them: what they print, and how they end.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

mod commands;
mod config;
mod numberlink;
mod replays;
mod results;
mod shell;
mod solve;
mod stats;
mod tables;
mod tournament;
