//! Ctrl-C and the signals that ask the program to end, for commands without a screen.

use crate::cli::exit_code::{Exit, Failure};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits until the program is asked to end, and returns that as the way it ends.
pub async fn asked() -> Failure {
    match Signals::listen() {
        Ok(mut signals) => {
            signals.next().await;
            interrupted()
        }
        // Without a listener the system's default holds: the signal ends the program.
        Err(_) => std::future::pending().await,
    }
}

/// Awaits `work`, unless the program is asked to end first.
pub async fn or_interrupted(work: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        _ = asked() => {}
        () = work => {}
    }
}

/// A wish to end, for long work that looks up from time to time and may have something to
/// show for what it did.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Wish>);

#[derive(Debug, Default)]
struct Wish {
    uttered: AtomicBool,
    deaf: AtomicBool,
}

/// A stretch of work that doesn't look up. Dropped, it is over.
#[derive(Debug)]
pub struct Deaf<'a>(&'a Wish);

impl Interrupt {
    /// Listens from now on, on a thread of its own, as long as the program runs. Where the
    /// system lets nobody listen, the signals end the program as they would without this.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let wish = Arc::clone(&interrupt.0);
        let (listens, listening) = mpsc::channel();
        let thread = std::thread::Builder::new().name("signals".to_owned());
        if thread.spawn(move || listen(&wish, &listens)).is_ok() {
            // An error says that the thread has ended without listening.
            listening.recv().ok();
        }
        interrupt
    }

    /// Says whether the program is asked to end.
    pub fn asked(&self) -> bool {
        self.0.uttered.load(Ordering::Relaxed)
    }

    /// Begins a stretch of work that doesn't look up: the wish ends the program at once.
    pub fn deaf(&self) -> Deaf<'_> {
        self.0.deaf.store(true, Ordering::Relaxed);
        Deaf(&self.0)
    }

    /// Makes a wish that nobody has to utter.
    #[cfg(test)]
    pub fn uttered() -> Self {
        let interrupt = Self::default();
        interrupt.0.uttered.store(true, Ordering::Relaxed);
        interrupt
    }
}

impl Drop for Deaf<'_> {
    fn drop(&mut self) {
        self.0.deaf.store(false, Ordering::Relaxed);
    }
}

/// Returns the way the program ends that was asked to.
pub fn interrupted() -> Failure {
    Failure::said(Exit::Interrupted, "interrupted")
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Listens from now on; must be called inside a tokio runtime.
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Listens until the program ends; `listens` is told when it does.
fn listen(wish: &Wish, listens: &mpsc::Sender<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let Ok(runtime) = runtime else { return };
    let listening = {
        let _inside = runtime.enter();
        Signals::listen()
    };
    let Ok(mut signals) = listening else { return };
    listens.send(()).ok(); // who waits for it is there
    loop {
        runtime.block_on(signals.next());
        // The second time somebody is in a hurry.
        let again = wish.uttered.swap(true, Ordering::Relaxed);
        if again || wish.deaf.load(Ordering::Relaxed) {
            let Failure { exit, why } = interrupted();
            // Where even this can't be written, the exit code still tells.
            writeln!(io::stderr(), "\ngridrace: {why:#}").ok();
            std::process::exit(exit.number().into());
        }
    }
}
