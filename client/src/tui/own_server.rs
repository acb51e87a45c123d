//! The client's own server, which the screen starts in this program. The screen is given a function
//! that starts one, so that a build without a host needs none.

use futures_util::future::BoxFuture;
use gridrace_shared::heat::ids::RoomCode;
use std::fmt;
use std::sync::Arc;

/// What there is on a server in this program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerUsage {
    /// The people in all rooms: those who are connected and those whose seat is kept.
    pub people: usize,
    /// The names of the tournaments that aren't closed.
    pub tournaments: Vec<String>,
    /// Whether a data folder keeps rooms and tournaments for the next server.
    pub is_kept: bool,
}

/// Asks a server in this program what there is on it.
#[derive(Clone)]
pub struct UsageQuery(Arc<dyn Fn() -> ServerUsage + Send + Sync>);

impl UsageQuery {
    pub fn new(usage: impl Fn() -> ServerUsage + Send + Sync + 'static) -> Self {
        Self(Arc::new(usage))
    }

    pub fn usage(&self) -> ServerUsage {
        (self.0)()
    }
}

impl fmt::Debug for UsageQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UsageQuery").finish_non_exhaustive()
    }
}

/// Queries are equal if they are of the same server.
impl PartialEq for UsageQuery {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for UsageQuery {}

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
    pub usage: UsageQuery,
}

/// A running server. It stops when `stop` is awaited or dropped.
pub struct OwnServer {
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
pub type StartServer = fn(bool) -> BoxFuture<'static, Result<OwnServer, StartServerError>>;
