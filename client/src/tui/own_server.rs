//! The client's own server, which the screen starts in this program. The screen is given a function
//! that starts one, so that a build without a host needs none.

use futures_util::future::BoxFuture;
use gridrace_shared::heat::ids::RoomCode;
use std::fmt;
use std::sync::Arc;

/// Counts the people in all rooms of a server in this program: those who are connected and those
/// whose seat is kept.
#[derive(Clone)]
pub struct PeopleCounter(Arc<dyn Fn() -> usize + Send + Sync>);

impl PeopleCounter {
    pub fn new(count: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        Self(Arc::new(count))
    }

    pub fn count(&self) -> usize {
        (self.0)()
    }
}

impl fmt::Debug for PeopleCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeopleCounter").finish_non_exhaustive()
    }
}

/// Counters are equal if they are of the same server.
impl PartialEq for PeopleCounter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PeopleCounter {}

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
    pub people: PeopleCounter,
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
