//! A client's session with a server, without a screen.
//!
//! [`HeatView`](gridrace_shared::heat_view::HeatView) folds the server's messages,
//! [`ConnectionState`] enters a room and resumes a seat, [`ConnectionTask`] holds the socket, and
//! [`Session`] puts the three together for programs; [`TournamentSession`] follows a tournament and
//! leads to sessions at its tables. The screen puts them together itself.

// What bots in Rust are written with is documented whole.
#![warn(missing_docs)]

pub mod backoff;
mod connection_state;
mod connection_task;
mod followed;
pub mod join;
mod reconnecting;
mod replay;
#[expect(clippy::module_inception, reason = "the type of that name")]
mod session;
pub mod tournament;

pub use connection_state::{ConnectionState, Entered, Refused, ResumeState, ResumeTicket, Retry};
pub use connection_task::{ConnectionEvent, ConnectionTask};
pub use followed::{follow, is_refused_for_now, tournament_message};
pub use join::{Entry, Joined, SessionError, request};
pub use replay::fetch_replay;
pub use session::{Session, SessionEvent};
pub use tournament::{NewTournament, TournamentEvent, TournamentSession};
