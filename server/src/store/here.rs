//! The writer of a simulation: a task in place of the thread, and a disk that takes its time.
//!
//! A server may be killed before a group is on the disk, and when it is and nobody knows.

use super::log::{Batch, Log};
use super::rows::Rows;
use super::writer::{Call, Last, Shared, tell, write};
use crate::simulated;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The database, and what is on its way to it; nothing once it is closed.
pub(super) type Desk = Arc<Mutex<Option<Work>>>;

/// What the writer has.
#[derive(Debug)]
pub(super) struct Work {
    rows: Rows,
    taken: Vec<Batch>,
}

/// Starts the task. Must be called inside a tokio runtime.
pub(super) fn start(rows: Rows, shared: Arc<Shared>) -> Desk {
    let taken = Vec::new();
    let desk = Arc::new(Mutex::new(Some(Work { rows, taken })));
    tokio::spawn(run(Arc::clone(&desk), shared));
    desk
}

/// Writes what there is, and closes the database.
pub(super) fn finish(desk: &Desk, shared: &Shared) {
    let Some(Work {
        mut rows,
        mut taken,
    }) = lock(desk).take()
    else {
        return;
    };
    taken.extend(shared.take().into_iter().map(Log::take));
    write(&mut rows, &taken, shared);
    tell(taken, shared);
}

async fn run(desk: Desk, shared: Arc<Shared>) {
    let mut last = Last::default();
    loop {
        let logs = match shared.call_here(last).await {
            Call::Write(logs) => logs,
            Call::Note => Vec::new(),
            // Here nobody tries again.
            Call::GivenUp | Call::End => return,
        };
        let began = shared.now();
        match &mut *lock(&desk) {
            Some(work) if !shared.is_given_up() => {
                work.taken.extend(logs.into_iter().map(Log::take));
            }
            Some(_) | None => return,
        }
        tokio::time::sleep(pause()).await;
        let written = match &mut *lock(&desk) {
            None => return,
            Some(Work { rows, taken }) => {
                let taken = std::mem::take(taken);
                write(rows, &taken, &shared);
                taken
            }
        };
        tokio::time::sleep(pause()).await;
        last = Last::new(began, shared.now());
        tell(written, &shared);
    }
}

fn lock(desk: &Desk) -> MutexGuard<'_, Option<Work>> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws how long the disk takes over half a group: a moment, or now and then much longer.
fn pause() -> Duration {
    let [draw] = simulated::bytes().unwrap_or_default();
    Duration::from_millis(match draw {
        0..=229 => u64::from(draw) / 64,
        230..=249 => 20,
        250..=255 => 300,
    })
}
