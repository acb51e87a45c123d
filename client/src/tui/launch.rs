//! The first screen, as the command line sets it.

use crate::net::nearby::NearbyEntry;
use crate::tui::model::{Intent, NewRoom};
use crate::tui::own_server::ServerPlace;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::replay::Replay;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    Home {
        /// The PIN with which rooms are hosted, as the environment says.
        pin: Option<Pin>,
    },
    /// With the first page of the tutorial.
    Tutorial,
    /// On the home screen, with rooms nearby to choose from.
    Nearby { entries: Vec<NearbyEntry>, role: Role },
    /// With a heat that is over.
    Replay(Box<Replay>),
    /// On the way into a heat.
    Join {
        address: String,
        /// The heat; without it, the server's only one, or a list.
        code: Option<RoomCode>,
        role: Role,
        pin: Option<Pin>,
        /// Whether what is watched is laid out for a hall.
        big_screen: bool,
    },
    /// On the way to open a room on another server.
    Open {
        address: String,
        room: Box<NewRoom>,
        /// The PIN without which others don't get in.
        pin: Option<Pin>,
    },
    /// On the way to a tournament.
    Tournament { address: String, intent: Intent, pin: Option<Pin> },
    /// On the way into a room on the server of this program: a new one, or the player's own that
    /// goes on.
    Serve {
        server: ServerPlace,
        /// Whether the server is for rooms of others as well, and for the home screen's next ones.
        hosts: bool,
        intent: Intent,
        /// The PIN without which others don't get in.
        pin: Option<Pin>,
        /// A replay to race against, on its board.
        ghost: Option<Box<Replay>>,
        /// What else there is to say.
        news: String,
    },
}
