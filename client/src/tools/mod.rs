//! The offline tools: they need no server and no network.

mod bar;
pub(crate) mod date;
pub mod export;
mod memory;
pub mod new;
pub mod replay;
pub mod solve;
pub mod tables;
pub mod verify;
