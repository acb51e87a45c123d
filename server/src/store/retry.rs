//! Retries after a disk failed or was full.

use crate::platform::environment::Disk;
use crate::store::commit_queue::CommitQueue;
use crate::store::error::StoreError;
use crate::store::sql::Database;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;
use tracing::{info, warn};

/// The time from a failure to the first attempt to record again.
pub(super) const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts: each is twice the one before.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(60);
/// Bytes that must be free: checkpoints of all rooms and minutes of a journal, so that the disk
/// isn't full again at once.
const REQUIRED_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of the trial file that are written at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// The file that is written to test the disk, and removed.
pub(super) const TRIAL_FILE: &str = "trial";

#[derive(Debug)]
pub(super) struct Retry {
    next: Duration,
    pause: Duration,
}

impl Retry {
    pub(super) fn schedule<J>(queue: &CommitQueue<J>) -> Self {
        let pause = queue.first_retry_pause;
        Self { next: queue.now() + pause, pause }
    }

    /// Tries once if it is time to. Returns the pause until the next attempt, or nothing once the
    /// store records.
    pub(super) fn try_if_due<J>(
        &mut self,
        database: &mut Database,
        queue: &CommitQueue<J>,
    ) -> Option<Duration> {
        let early = self.next.saturating_sub(queue.now());
        if !early.is_zero() {
            return Some(early);
        }
        match try_once(database, queue) {
            Ok(()) => {
                info!("rooms are recorded again");
                return None;
            }
            Err(error) => warn!(%error, "nothing is recorded yet; trying again"),
        }
        self.pause = (self.pause * 2).min(MAX_RETRY_PAUSE);
        self.next = queue.now() + self.pause;
        Some(self.pause)
    }
}

fn try_once<J>(database: &mut Database, queue: &CommitQueue<J>) -> Result<(), StoreError> {
    database.restore_folder()?;
    let folder = database.folder();
    check_free_space(database.environment.disk(), folder)
        .map_err(|error| StoreError::of_file(folder, error))?;
    database.reopen()?;
    database.save_clock(queue.instant())?;
    queue.resume();
    Ok(())
}

/// Writes a file of [`REQUIRED_BYTES`], and removes it.
fn check_free_space(disk: Disk, folder: &Path) -> io::Result<()> {
    if disk == Disk::Full {
        return Err(ErrorKind::StorageFull.into());
    }
    let path = folder.join(TRIAL_FILE);
    let written = File::create(&path).and_then(|mut file| {
        let chunk = vec![0x5a; CHUNK_BYTES];
        for _ in 0..REQUIRED_BYTES / CHUNK_BYTES {
            file.write_all(&chunk)?;
        }
        file.sync_all()
    });
    let removed = fs::remove_file(&path);
    written.and(removed)
}
