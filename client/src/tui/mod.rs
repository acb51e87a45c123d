//! The terminal program: model, update, view, and the loop around them.

pub(crate) mod board_worker;
pub mod effect;
pub mod event;
pub(crate) mod keymap;
pub mod launch;
pub mod local_server;
pub mod model;
pub mod race_keeper;
pub mod runtime;
pub mod settings;
pub mod terminal;
pub mod update;
pub mod view;
