//! Ctrl-C and the signals that ask the program to end, for commands without a screen.

use crate::exit::{Exit, Failure};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// A wish to end, for work that looks up from time to time and has something to show for
/// what it did. Elsewhere the wish ends the program at once.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Wish>);

#[derive(Debug, Default)]
struct Wish {
    /// Somebody looks whether it was uttered.
    expected: AtomicBool,
    uttered: AtomicBool,
}

/// Somebody who looks for the wish, until this is dropped.
#[derive(Debug)]
pub struct Expected<'a>(&'a Wish);

impl Interrupt {
    /// Listens on a thread of its own, as long as the program runs. Where the system has
    /// no thread to give, the signals end the program as they would without this.
    #[must_use]
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let wish = Arc::clone(&interrupt.0);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || listen(&wish))
            .ok(); // as said
        interrupt
    }

    /// Makes a wish that nobody has to utter.
    #[cfg(test)]
    pub fn uttered() -> Self {
        let interrupt = Self::default();
        interrupt.0.uttered.store(true, Ordering::Relaxed);
        interrupt
    }

    /// Says that from now on somebody looks.
    #[must_use]
    pub fn expected(&self) -> Expected<'_> {
        self.0.expected.store(true, Ordering::Relaxed);
        Expected(&self.0)
    }
}

impl Expected<'_> {
    /// Says whether the program is asked to end.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.uttered.load(Ordering::Relaxed)
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.0.expected.store(false, Ordering::Relaxed);
    }
}

fn listen(wish: &Wish) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build();
    let Ok(runtime) = runtime else { return };
    loop {
        let Failure { exit, why } = runtime.block_on(asked());
        // The second time somebody is in a hurry.
        let again = wish.uttered.swap(true, Ordering::Relaxed);
        if again || !wish.expected.load(Ordering::Relaxed) {
            // Where even this can't be written, the exit code still tells.
            writeln!(std::io::stderr(), "\ngridrace: {why:#}").ok();
            std::process::exit(exit.number().into());
        }
    }
}
