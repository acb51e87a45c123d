//! What the boards of heats need: one thread that finds it out, after everybody else.

use crate::heat::Heat;
use crate::hints::HintPool;
use crate::race::Event;
use crate::shelf::Shelf;
use crate::tables::step_back;
use gridrace_shared::hint::rate;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use std::sync::Weak;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::runtime::Handle;
use tracing::{debug, warn};

/// Boards that may wait: half as many as there may be heats, half a megabyte.
const QUEUE: usize = 2_048;

/// A board whose moves are to be found out.
#[derive(Debug)]
pub struct RateJob {
    /// The heat that is to get the answer, if it is still there.
    pub heat: Weak<Heat>,
    /// Which heat of the group it is for.
    pub number: u32,
    /// Of which puzzle the board is.
    pub spec: PuzzleSpec,
    /// The board.
    pub board: Board,
}

/// A handle on the thread, which ends with its last handle.
#[derive(Debug, Clone)]
pub struct Raters(SyncSender<RateJob>);

impl Raters {
    /// Starts the thread. It lets hints, and whoever else wants a core, go first. Must be
    /// called inside a tokio runtime.
    #[must_use]
    pub fn start(shelf: Shelf, hints: HintPool) -> Self {
        let (sender, jobs) = sync_channel(QUEUE);
        let runtime = Handle::current();
        let thread = std::thread::Builder::new().name("raters".to_owned());
        let work = move || {
            let _runtime = runtime.enter();
            step_back();
            work(&jobs, &shelf, &hints);
        };
        if let Err(error) = thread.spawn(work) {
            warn!(%error, "there is no thread to rate boards");
        }
        Self(sender)
    }

    /// Takes a job, and says whether there was room for it.
    #[must_use]
    pub fn submit(&self, job: RateJob) -> bool {
        self.0.try_send(job).is_ok()
    }
}

fn work(jobs: &Receiver<RateJob>, shelf: &Shelf, hints: &HintPool) {
    while let Ok(job) = jobs.recv() {
        let RateJob {
            heat,
            number,
            spec,
            board,
        } = job;
        if heat.strong_count() == 0 {
            continue;
        }
        shelf.wait_for(&spec);
        let pause = || hints.wait_while_busy();
        pause();
        match rate(&board, &shelf.solvers(), &pause) {
            Ok(best) => {
                if let Some(heat) = heat.upgrade() {
                    heat.apply(Event::Rated { number, best });
                }
            }
            Err(error) => debug!(%spec, %error, "a board has no rating"),
        }
    }
}
