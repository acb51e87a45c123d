//! Why a session ends.

use crate::net::NetError;
use gridrace_shared::protocol::server::{Farewell, Refusal};

/// Why a session ends, or a request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The connection can't be made, or is lost.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused the entry or the request.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The server ended the connection.
    #[error("{0}")]
    Dismissed(Farewell),
}
