//! The offline tools: they need no server, and neither clock nor network.

pub mod new;
pub mod solve;
