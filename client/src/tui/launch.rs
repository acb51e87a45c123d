//! Where the program begins, as the command line says.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::seed::Seed;

/// Where the program begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At the home screen.
    Home,
    /// With a heat that is over.
    Replay(Box<Replay>),
    /// On the way into a heat.
    Join {
        /// The server.
        address: String,
        /// The heat; without it, the server's only one, or a list.
        code: Option<RoomCode>,
        /// What as.
        role: Role,
        /// Its PIN.
        pin: Option<Pin>,
    },
    /// On the way back into one's own, which goes on with the server of this program.
    Return {
        /// The server.
        address: String,
        /// The heat.
        code: RoomCode,
        /// Its PIN.
        pin: Option<Pin>,
        /// The addresses by which others join, one a line; for the lobby.
        invitation: Vec<String>,
        /// What else there is to say.
        news: String,
    },
    /// On the way to opening one.
    Open {
        /// The server.
        address: String,
        /// The options.
        options: HeatOptions,
        /// The seed, where it is set.
        seed: Option<Seed>,
        /// The PIN without which nobody else gets in.
        pin: Option<Pin>,
        /// The bots to seat.
        bots: Vec<Skill>,
        /// Whether to start at once.
        start: bool,
        /// The addresses by which others join, one a line; for the lobby.
        invitation: Vec<String>,
        /// What else there is to say.
        news: String,
    },
}
