//! A client's session with a server, without a screen.

pub mod backoff;
pub(crate) mod connection_state;
pub(crate) mod connection_task;
pub(crate) mod heat_view;
pub mod join;
pub(crate) mod optimistic;
pub mod send_window;
