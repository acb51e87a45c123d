//! The server that the screen starts in this program. The screen is given a function that
//! starts one, so that a build without a host needs none.

use futures_util::future::BoxFuture;
use gridrace_shared::heat::ids::RoomCode;

/// The addresses of a server in this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// The address for this program itself.
    pub address: String,
    /// The addresses for others on the network, the likeliest first; none where only this
    /// machine may join.
    pub invitation: Vec<String>,
    /// A room that goes on from an earlier program, in which a seat waits for this player.
    pub waiting: Option<RoomCode>,
}

/// A running server. It stops when `stop` is awaited or dropped.
pub struct EmbeddedServer {
    pub place: ServerPlace,
    /// Takes leave of the clients, then ends.
    pub stop: BoxFuture<'static, ()>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartServerError {
    /// The program was built without the feature `host`.
    #[error("this program was built without a server: build it with the feature `host`")]
    NoHost,
    /// Listening or opening the data failed.
    #[error("{0}")]
    Failed(String),
}

/// Starts a server; `true` lets others on the network join.
pub type StartServer = fn(bool) -> BoxFuture<'static, Result<EmbeddedServer, StartServerError>>;
