//! The `gridrace-server` program: its data folder, its messages, its exit.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod data;
mod data_command;
mod out_of_files;
mod program;
mod standing_rooms;
mod stopping;
