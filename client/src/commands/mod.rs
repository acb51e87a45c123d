//! One module a subcommand.

pub mod bot;
pub(crate) mod date;
#[cfg(feature = "host")]
pub mod demo;
pub mod export;
#[cfg(feature = "host")]
pub mod host;
pub mod join;
pub mod new;
pub(crate) mod peak_rss;
#[cfg(feature = "host")]
pub mod play;
pub(crate) mod progress_bar;
pub mod replay;
pub mod results;
pub mod screen;
pub mod solve;
pub mod tables;
pub mod verify;
