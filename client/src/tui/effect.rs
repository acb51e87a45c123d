//! Effects: the requests of `update` that the runtime carries out.

use crate::tui::race_keeper::RaceRequest;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Start a server in this program.
    StartServer {
        /// Whether others on the network may join.
        lan: bool,
    },
    /// Stop the server in this program, if there is one.
    StopServer,
    /// Connect, in place of any connection that there is.
    Connect {
        address: String,
    },
    /// Connect after a pause, the longer the more attempts have failed.
    Retry {
        address: String,
        attempt: u32,
        /// How long the server wants to be left alone, where it said so.
        wish: Option<Duration>,
    },
    Disconnect,
    /// Find at which addresses others reach the server on this port of this machine.
    FindOwnAddresses {
        port: u16,
    },
    /// Say something to the server; lost where there is no connection.
    Send(ClientMessage),
    /// Draw the board of a seed, which may take seconds; the latest asked for is enough.
    Draw {
        spec: PuzzleSpec,
        seed: Seed,
    },
    /// Put a line into the clipboard of the terminal, wherever that is; it may decline.
    Copy(String),
    Bell,
    /// Ask the folder of kept races.
    Races(RaceRequest),
    /// Draw all of the screen again.
    Redraw,
    /// Give the terminal back to the shell until the program is called up again.
    Suspend,
    Exit(Exit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Quit,
    /// By Ctrl-C or a signal, or the terminal is gone.
    Interrupted,
}
