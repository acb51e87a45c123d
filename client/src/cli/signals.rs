//! Ctrl-C and the signals that ask the program to end, for commands without a screen.

use crate::cli::exit_code::Failure;
use std::io::{self, Write};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Waits until the program is asked to end, and returns that as the way it ends.
pub async fn asked() -> Failure {
    match Signals::listen() {
        Ok(mut signals) => {
            signals.next().await;
            Failure::interrupted()
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

/// Awaits `work`. When the program is asked to end, makes `stop` true, upon which `work` is to undo what
/// it has done and fail; a second signal doesn't wait for that.
pub async fn or_stopped<T>(
    work: impl Future<Output = Result<T, Failure>>,
    stop: &watch::Sender<bool>,
) -> Result<T, Failure> {
    let mut work = pin!(work);
    let interrupted = tokio::select! {
        outcome = &mut work => return outcome,
        interrupted = asked() => interrupted,
    };
    stop.send_replace(true);
    tokio::select! {
        outcome = work => Err(outcome.err().unwrap_or(interrupted)),
        interrupted = asked() => Err(interrupted),
    }
}

/// Whether the program was asked to end, for long work that polls this and may have a result to
/// show by then.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    requested: AtomicBool,
    exits_at_once: AtomicBool,
}

/// While it lives, a signal ends the program at once.
#[derive(Debug)]
pub struct ExitOnSignal<'a>(&'a Flags);

impl Interrupt {
    /// Listens from now on, on its own thread, as long as the program runs. If that fails,
    /// the signals end the program as they would without this.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let flags = Arc::clone(&interrupt.0);
        let (ready, is_ready) = mpsc::channel();
        let thread = std::thread::Builder::new().name("signals".to_owned());
        if thread.spawn(move || listen(&flags, &ready)).is_ok() {
            // An error says that the thread has ended without listening.
            is_ready.recv().ok();
        }
        interrupt
    }

    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// Begins a section of work that doesn't poll: until the guard is dropped, a signal ends the program at
    /// once. A signal that came before is seen by [`Self::is_requested`] once this returns.
    pub fn exit_on_signal(&self) -> ExitOnSignal<'_> {
        self.0.exits_at_once.store(true, Ordering::SeqCst);
        ExitOnSignal(&self.0)
    }

    #[cfg(test)]
    pub fn requested() -> Self {
        let interrupt = Self::default();
        interrupt.0.requested.store(true, Ordering::SeqCst);
        interrupt
    }
}

impl Drop for ExitOnSignal<'_> {
    fn drop(&mut self) {
        self.0.exits_at_once.store(false, Ordering::SeqCst);
    }
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

/// Listens until the program ends; sends to `ready` once it does.
fn listen(flags: &Flags, ready: &mpsc::Sender<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let Ok(runtime) = runtime else { return };
    let listening = {
        let _inside = runtime.enter();
        Signals::listen()
    };
    let Ok(mut signals) = listening else { return };
    ready.send(()).ok(); // `Interrupt::listen` waits for it
    loop {
        runtime.block_on(signals.next());
        // A second signal ends the program at once.
        let again = flags.requested.swap(true, Ordering::SeqCst);
        if again || flags.exits_at_once.load(Ordering::SeqCst) {
            let Failure { exit, why } = Failure::interrupted();
            // stderr may be closed.
            writeln!(io::stderr(), "\ngridrace: {why:#}").ok();
            std::process::exit(exit as i32);
        }
    }
}
