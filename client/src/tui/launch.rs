//! Where the program begins, as the command line says.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::seed::Seed;

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
    /// On the way back into one's own, which goes on with the server of this program.
    Return {
        address: String,
        code: RoomCode,
        pin: Option<Pin>,
        /// The addresses by which others join, one a line; for the lobby.
        invitation: Vec<String>,
        /// What else there is to say.
        news: String,
    },
    /// On the way to opening one.
    Open {
        address: String,
        options: HeatOptions,
        /// The seed, where it is set.
        seed: Option<Seed>,
        /// The PIN without which nobody else gets in.
        pin: Option<Pin>,
        bots: Vec<Skill>,
        start: bool,
        /// The addresses by which others join, one a line; for the lobby.
        invitation: Vec<String>,
        /// What else there is to say.
        news: String,
    },
}
