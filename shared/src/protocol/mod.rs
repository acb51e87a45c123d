//! The protocol: messages, codec and close codes.
//!
//! One WebSocket per client. Text frames are JSON, binary frames bincode, of the same
//! types; which of the two is settled by the subprotocol. [`client`] has the
//! client's messages, [`server`] the server's, [`snapshot`] the parts of a heat that both show,
//! [`tournament`] what both say of tournaments, [`close`] the codes with which a connection ends, [`codec`] everything about bytes.

pub mod client;
pub mod close;
pub mod codec;
pub mod server;
pub mod snapshot;
pub mod tournament;

/// The version of the protocol that this crate speaks. Any change of a message's shape
/// makes it one higher.
pub const VERSION: u16 = 5;

pub const PATH: &str = "/ws";

/// The port of a server unless it is told otherwise.
pub const DEFAULT_PORT: u16 = 7415;
