//! Where the program begins, as the command line says.

use crate::tui::model::Intent;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::replay::Replay;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    Home,
    /// With a heat that is over.
    Replay(Box<Replay>),
    /// On the way into a heat.
    Join {
        address: String,
        /// The heat; without it, the server's only one, or a list.
        code: Option<RoomCode>,
        role: Role,
        pin: Option<Pin>,
    },
    /// On the way into a heat on the server of this program: a new one, or the player's own that
    /// goes on.
    Serve {
        address: String,
        intent: Intent,
        /// The PIN without which others don't get in.
        pin: Option<Pin>,
        /// The addresses by which others join, one a line; for the lobby.
        invitation: Vec<String>,
        /// What else there is to say.
        news: String,
    },
}
