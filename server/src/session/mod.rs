//! A client's connection, from its hello to its close.

pub(crate) mod client;
pub(crate) mod lifecycle;
pub(crate) mod requests;
pub(crate) mod results;
