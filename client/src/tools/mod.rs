//! The offline tools: they need no server and no network.

mod bar;
mod memory;
pub mod new;
pub mod solve;
pub mod tables;
