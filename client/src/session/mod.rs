//! A client's session with a server, without a screen.
//!
//! [`HeatView`](gridrace_shared::heat_view::HeatView) folds the server's messages,
//! [`ConnectionState`] enters a room and resumes a seat, [`ConnectionTask`] holds the socket, and
//! [`Session`] puts the three together for programs. The screen puts them together itself.

// What bots in Rust are written with is documented whole.
#![warn(missing_docs)]

pub mod backoff;
mod connection_state;
mod connection_task;
pub mod join;
#[expect(clippy::module_inception, reason = "the type of that name")]
mod session;

pub use connection_state::{ConnectionState, Entered, Refused, ResumeState, ResumeTicket, Retry};
pub use connection_task::{ConnectionEvent, ConnectionTask};
pub use join::{Entry, Joined, SessionError, request};
pub use session::{Session, SessionEvent};
