//! A server inside the program.

pub mod embedded_server;
