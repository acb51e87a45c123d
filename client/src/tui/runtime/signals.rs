//! Signals that end the program; the terminal is given back before it does.

use crate::tui::effect::Exit;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that are listened to.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next. In raw mode Ctrl-C is a key, so an interrupt comes from outside.
    pub(super) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Interrupted,
            _ = self.hang_up.recv() => Exit::Interrupted,
        }
    }
}
