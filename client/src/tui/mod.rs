//! The terminal program: model, update, view, and the loop around them.

pub(crate) mod board_worker;
pub mod effect;
pub mod event;
pub mod graphics;
pub(crate) mod keymap;
pub mod launch;
pub mod model;
pub(crate) mod nearby_search;
pub mod own_server;
pub mod race_keeper;
pub mod runtime;
pub mod settings;
pub mod terminal;
pub mod update;
pub mod view;
