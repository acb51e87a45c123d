//! A client's session with a server, without a screen.
//!
//! [`HeatView`](gridrace_shared::heat_view::HeatView) folds the server's messages,
//! [`ConnectionState`] enters a room and resumes a seat, [`ConnectionTask`] holds the socket.

pub mod backoff;
mod connection_state;
mod connection_task;
pub mod join;

pub use connection_state::{ConnectionState, Entered, Refused, ResumeState, ResumeTicket, Retry};
pub use connection_task::{ConnectionEvent, ConnectionTask};
pub use join::Entry;
