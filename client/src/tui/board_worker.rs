//! Boards drawn beside the screen: the check of a heat's seed may take seconds.

use crate::tui::event::Event;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use tokio::sync::{mpsc, oneshot, watch};

type Wanted = Option<(PuzzleSpec, Seed)>;

/// Draws one board at a time, of what is wanted by then the latest: whatever a server
/// says, it keeps no more than one core busy.
pub(crate) struct Drawer {
    wanted: watch::Sender<Wanted>,
    drawn: mpsc::Receiver<Event>,
}

impl Drawer {
    /// Starts it, with nothing to draw.
    pub(crate) fn start() -> Self {
        let (wanted, changes) = watch::channel(None);
        let (sender, drawn) = mpsc::channel(1);
        tokio::spawn(work(changes, sender));
        Self { wanted, drawn }
    }

    pub(crate) fn draw(&self, spec: PuzzleSpec, seed: Seed) {
        self.wanted.send_replace(Some((spec, seed)));
    }

    /// Waits for the next board; safe to cancel.
    pub(crate) async fn next(&mut self) -> Event {
        match self.drawn.recv().await {
            Some(drawn) => drawn,
            None => std::future::pending().await,
        }
    }
}

async fn work(mut wanted: watch::Receiver<Wanted>, drawn: mpsc::Sender<Event>) {
    while wanted.changed().await.is_ok() {
        let Some((spec, seed)) = wanted.borrow_and_update().clone() else {
            continue;
        };
        // Where it breaks, or there is no thread, the check stays open.
        if let Ok(message) = draw(spec, seed).await
            && drawn.send(message).await.is_err()
        {
            return;
        }
    }
}

/// Draws on a thread of its own, for which nobody waits who ends the program.
async fn draw(spec: PuzzleSpec, seed: Seed) -> Result<Event, oneshot::error::RecvError> {
    let (sender, board) = oneshot::channel();
    let thread = std::thread::Builder::new().name("drawer".to_owned());
    let started = thread.spawn(move || {
        let drawn = Box::new(GeneratedBoard::of(&spec, &seed));
        // Nobody waits any more where the program ends.
        sender.send(Event::Drawn { spec, seed, drawn }).ok();
    });
    // Where there is no thread the sender is dropped with its work.
    drop(started);
    board.await
}
