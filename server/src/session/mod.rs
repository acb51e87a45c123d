//! A client's session, from its hello to its close.

pub(crate) mod client;
pub(crate) mod lifecycle;
mod membership;
pub(crate) mod quotas;
mod requests;
mod results;
pub(crate) mod server_state;
