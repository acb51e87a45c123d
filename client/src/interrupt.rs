//! Ctrl-C and the signals that ask the program to end, for commands without a screen.

use crate::exit::{Exit, Failure};
use tokio::signal::unix::{SignalKind, signal};

/// Waits until the program is asked to end, and returns that as the way it ends.
pub async fn asked() -> Failure {
    let (interrupt, terminate) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    match (interrupt, terminate) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            Failure::said(Exit::Interrupted, "interrupted")
        }
        // Without a listener the system's default holds: the signal ends the program.
        (Err(_), _) | (_, Err(_)) => std::future::pending().await,
    }
}
