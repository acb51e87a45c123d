//! One module a subcommand.

pub mod bot;
pub(crate) mod date;
pub mod demo;
pub mod export;
pub mod new;
pub(crate) mod peak_rss;
pub(crate) mod progress_bar;
pub mod replay;
pub mod results;
pub mod solve;
pub mod tables;
pub mod verify;
