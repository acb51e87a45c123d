//! The terminal client, its bots and its offline tools, as a library behind `main.rs`.
//!
//! Absent from this crate: the rules, and a second definition of the protocol. The screen
//! is a [`model::Model`], changed only by [`update::update`] and shown only by
//! [`view::view`], both pure; [`runtime`] owns the terminal, the clock and the connection.

#![forbid(unsafe_code)]

pub mod address;
pub mod args;
pub mod backoff;
pub mod bot;
pub mod clock;
pub mod command;
pub mod commands;
pub mod decoders;
pub mod demo;
pub mod exit;
#[cfg(test)]
mod fixtures;
pub mod hosting;
pub mod interrupt;
pub mod key;
mod keymap;
pub mod lane;
pub mod message;
pub mod model;
pub mod net;
pub mod report;
pub mod results;
pub mod retold;
pub mod runtime;
pub mod sanitise;
pub mod settings;
pub mod start;
pub mod terminal;
pub mod theme;
pub mod tools;
pub mod update;
pub mod view;
