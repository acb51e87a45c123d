//! Signals that end or stop the program, after the terminal is restored.

use crate::tui::effect::{Effect, Exit};
use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that are listened to.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    hang_up: Signal,
    stop: Signal,
}

/// How long the program has to end by itself once its terminal is gone.
const HANG_UP_PATIENCE: Duration = Duration::from_secs(3);
/// The exit code that shells give a program that SIGHUP ended.
const HUNG_UP: i32 = 128 + 1;

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        tokio::spawn(end_without_terminal(signal(SignalKind::hangup())?));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
        })
    }

    /// Waits for the next, and returns what it asks for. In raw mode Ctrl-C and Ctrl-Z are keys, so an
    /// interrupt and a stop come from outside.
    pub(super) async fn next(&mut self) -> Effect {
        tokio::select! {
            _ = self.interrupt.recv() => Effect::Exit(Exit::Interrupted),
            _ = self.terminate.recv() => Effect::Exit(Exit::Interrupted),
            _ = self.quit.recv() => Effect::Exit(Exit::Interrupted),
            _ = self.hang_up.recv() => Effect::Exit(Exit::Interrupted),
            _ = self.stop.recv() => Effect::Suspend,
        }
    }
}

/// Ends the program if it can't itself: crossterm reads a terminal that is gone again and again, and
/// then the task that reads events hears of no signal.
async fn end_without_terminal(mut hang_up: Signal) {
    hang_up.recv().await;
    tokio::time::sleep(HANG_UP_PATIENCE).await;
    std::process::exit(HUNG_UP);
}
