//! Syncs of the journal log behind the writer's back, with [`Durability::Crash`].
//!
//! [`Durability::Crash`]: crate::store::journal_log::Durability::Crash

use crate::platform::lock::lock;
use crate::store::commit_queue::CommitQueue;
use crate::store::error::StoreError;
use crate::store::journal::Journal;
use std::fs::File;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tracing::error;

/// How long the disk may lack what was acknowledged, its own time apart: as much of a race is lost
/// with the machine's power.
const SYNC_INTERVAL: Duration = Duration::from_millis(100);

/// The thread that syncs. Dropping it syncs what is left.
#[derive(Debug)]
pub(super) struct BackgroundSync {
    requests: Arc<Requests>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Requests {
    state: Mutex<SyncState>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct SyncState {
    /// The file with blocks that may not be on the disk yet.
    unsynced: Option<Arc<File>>,
    is_closed: bool,
}

impl BackgroundSync {
    /// Starts the thread, which fails the store if a sync fails.
    pub(super) fn start(queue: Arc<CommitQueue<Journal>>) -> Result<Self, StoreError> {
        let requests = Arc::new(Requests::default());
        let shared = Arc::clone(&requests);
        let thread = std::thread::Builder::new().name("store-sync".to_owned());
        let thread = thread
            .spawn(move || shared.run(&queue))
            .map_err(|error| StoreError::Database(error.to_string()))?;
        Ok(Self { requests, thread: Some(thread) })
    }

    pub(super) fn request(&self, file: Arc<File>) {
        let before = lock(&self.requests.state).unsynced.replace(file);
        if before.is_none() {
            self.requests.wake.notify_one();
        }
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        lock(&self.requests.state).is_closed = true;
        self.requests.wake.notify_one();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            error!("background sync panicked");
        }
    }
}

impl Requests {
    fn run(&self, queue: &CommitQueue<Journal>) {
        while let Some(file) = self.next() {
            let epoch = queue.epochs.present();
            queue.set_syncing(true);
            let synced = file.sync_data();
            queue.set_syncing(false);
            match synced {
                Ok(()) => queue.count_background_sync(),
                Err(error) => queue.fail(epoch, &StoreError::Disk(error.to_string())),
            }
        }
    }

    /// Waits for a file to sync, and then for the interval; returns nothing once all are synced
    /// and no more will come.
    fn next(&self) -> Option<Arc<File>> {
        let state = lock(&self.state);
        let idle = |state: &mut SyncState| state.unsynced.is_none() && !state.is_closed;
        // No code under the lock panics.
        let state = self.wake.wait_while(state, idle).ok()?;
        let open = |state: &mut SyncState| !state.is_closed;
        let (mut state, _) = self.wake.wait_timeout_while(state, SYNC_INTERVAL, open).ok()?;
        state.unsynced.take()
    }
}
