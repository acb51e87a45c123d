//! The terminal client, its bots and its offline tools, as a library behind `main.rs`.
//!
//! Absent from this crate: the rules, and a second definition of the protocol. The screen
//! is a [`tui::model::Model`], changed only by [`tui::update::update`] and shown only by
//! [`tui::view::view`], both pure; `runtime` owns the terminal, the clock and the connection.

#![forbid(unsafe_code)]

pub mod bot;
pub mod cli;
pub mod commands;
pub mod display;
pub mod families;
pub mod fuzzing;
#[cfg(feature = "host")]
pub mod host;
pub mod net;
pub mod practice;
pub mod session;
#[cfg(test)]
mod test_support;
pub mod tui;
