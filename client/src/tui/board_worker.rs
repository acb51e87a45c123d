//! A worker that generates boards outside the screen's loop: a heat's seed may take seconds to
//! check.

use crate::tui::event::Event;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use tokio::sync::{mpsc, watch};

type Wanted = Option<(PuzzleSpec, Seed)>;

/// Generates one board at a time, of those requested by then the latest: whatever a server says,
/// it keeps no more than one core busy.
pub(crate) struct BoardWorker {
    wanted: watch::Sender<Wanted>,
    drawn: mpsc::Receiver<Event>,
}

impl BoardWorker {
    pub(crate) fn start() -> Self {
        let (wanted, changes) = watch::channel(None);
        let (sender, drawn) = mpsc::channel(1);
        tokio::spawn(work(changes, sender));
        Self { wanted, drawn }
    }

    pub(crate) fn request(&self, spec: PuzzleSpec, seed: Seed) {
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
        let generating = tokio::task::spawn_blocking(move || {
            let drawn = GeneratedBoard::of_while(&spec, &seed, &|| true)?;
            Some(Event::Drawn { spec, seed, drawn: Box::new(drawn) })
        });
        // If the generator panics, the check stays open.
        if let Ok(Some(event)) = generating.await
            && drawn.send(event).await.is_err()
        {
            return;
        }
    }
}
