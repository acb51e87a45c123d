//! Events: the inputs of `update`.

use crate::families::input::MouseAction;
use crate::net::nearby::NearbyEntry;
use crate::session::ConnectionEvent;
use crate::tui::own_server::{ServerPlace, ServerUsage, StartServerError};
use crate::tui::race_keeper::RaceAnswer;
use crossterm::event::KeyEvent;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ClientInstant;

/// One thing that happened. The instant at which it did comes with it.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Key(KeyEvent),
    Paste(String),
    /// The left button did something at a cell of the screen.
    Mouse {
        action: MouseAction,
        column: u16,
        row: u16,
    },
    /// The terminal has another size now.
    Resized {
        width: u16,
        height: u16,
    },
    Tick,
    /// The terminal takes so long to draw that motion would not be seen as such.
    SlowScreen,
    /// A server was started in this program, or why it wasn't.
    ServerStarted(Result<ServerPlace, StartServerError>),
    /// What there is on the server in this program.
    ServerUsage(ServerUsage),
    /// Others reach the server on this machine, which was reached by 127.0.0.1, at these addresses.
    OwnAddresses(Vec<String>),
    Connection(ConnectionEvent),
    /// The next attempt to connect comes after a pause.
    Pausing {
        until: ClientInstant,
    },
    /// What servers nearby announce has changed.
    Nearby(Vec<NearbyEntry>),
    /// The folder of kept races answered.
    Races(RaceAnswer),
    Drawn {
        spec: PuzzleSpec,
        seed: Seed,
        /// The board that it names, and what is known of it.
        drawn: Box<GeneratedBoard>,
    },
}

impl From<ConnectionEvent> for Event {
    fn from(event: ConnectionEvent) -> Self {
        Self::Connection(event)
    }
}
