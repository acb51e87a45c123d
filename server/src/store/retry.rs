//! Beginning again on a disk that failed or was full.

use crate::platform::environment::Disk;
use crate::store::error::StoreError;
use crate::store::group_commit::Shared;
use crate::store::sql::Rows;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;
use tracing::{debug, info};

/// How long the store waits before it tries for the first time to record again.
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How long it waits at most: each pause is twice the one before.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Bytes that must fit on the disk: checkpoints of all that runs, and minutes of a journal, so
/// that it isn't full again at once.
const ROOM: usize = 16 * 1024 * 1024;
/// Bytes that are written at once to find that out.
const PIECE: usize = 64 * 1024;
/// The file by which it is found out; it is gone again at once.
pub(super) const TRIAL: &str = "trial";

/// When the store tries to record again.
#[derive(Debug)]
pub(super) struct Tries {
    /// By the server's clock.
    next: Duration,
    pause: Duration,
}

impl Tries {
    /// Begins with the first pause.
    pub(super) fn begin(shared: &Shared) -> Self {
        let pause = shared.first_pause();
        let next = shared.now() + pause;
        Self { next, pause }
    }

    /// Tries once, if it is time to; returns for how long to wait, unless the store records.
    pub(super) fn go_on(&mut self, rows: &mut Rows, shared: &Shared) -> Option<Duration> {
        let early = self.next.saturating_sub(shared.now());
        if !early.is_zero() {
            return Some(early);
        }
        match try_once(rows, shared) {
            Ok(()) => {
                info!("heats are recorded again");
                return None;
            }
            Err(fault) => debug!(%fault, "nothing can be recorded yet"),
        }
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.next = shared.now() + self.pause;
        Some(self.pause)
    }
}

fn try_once(rows: &mut Rows, shared: &Shared) -> Result<(), StoreError> {
    let folder = rows.folder().to_owned();
    try_room(rows, &folder).map_err(|error| StoreError::of_file(&folder, error))?;
    rows.reopen()?;
    rows.commit(&[], shared.clock())?;
    shared.begin_again();
    Ok(())
}

/// Writes a file as large as there must be room for, and removes it.
fn try_room(rows: &Rows, folder: &Path) -> io::Result<()> {
    if rows.disk() == Disk::Full {
        return Err(ErrorKind::StorageFull.into());
    }
    let path = folder.join(TRIAL);
    let written = File::create(&path).and_then(|mut file| {
        let piece = vec![0x5a; PIECE];
        for _ in 0..ROOM / PIECE {
            file.write_all(&piece)?;
        }
        file.sync_all()
    });
    let removed = fs::remove_file(&path);
    written.and(removed)
}
