//! Where heats are kept: SQLite in a folder of the server's own.
//!
//! A running heat is a checkpoint and the journal since, so that a server that was killed
//! comes back with all its heats; one that is over is its result and its replay. Heats
//! append to a log without waiting; one thread writes what all of them have appended, a
//! group at a time, each in one transaction that is on the disk before anybody hears of what
//! is in it.
//!
//! - `folder`: who may read it, and which server has it; `schema`: the layout.
//! - `log`: a heat's side; `queue`: what all heats share with the `writer`, which takes its
//!   steps on the thread, or in a task `here` in a simulation; `rows`: what it writes; `part`:
//!   the journal's rows; `recover`: what it finds at the start; `finished`: results, and
//!   `archive`: reading them.
//! - `spell`: whether it records; `again`: beginning again after the disk has failed; `figures`:
//!   what it has done.

mod archive;
mod data_dir;
mod epoch;
mod error;
mod finished_heats;
#[cfg(test)]
pub(crate) mod fixture;
mod group_commit;
mod journal_handle;
pub(crate) mod journal_row;
mod recover;
mod retry;
mod schema;
mod simulated_writer;
mod sql;
mod stats;
#[cfg(test)]
mod tests;
mod writer;

pub use archive::{Archive, FinishedSummary};
pub use data_dir::{DATA_VARIABLE, Data};
pub use error::StoreError;
pub use finished_heats::FinishedId;
pub use group_commit::GROUP_EVERY;
pub use stats::Figures;

pub(crate) use finished_heats::{Finished, Lasting, Rated};
pub(crate) use group_commit::PATIENCE;
pub(crate) use journal_handle::{Log, Ticket};
pub(crate) use recover::Recovered;

use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::shards::RoomWaker;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use data_dir::Folder;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::util::time::{Millis, ServerInstant};
use group_commit::Shared;
use prometheus_client::metrics::histogram::Histogram;
use rusqlite::Connection;
use sql::Rows;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tracing::{error, info};
use writer::Writer;

/// Results that are looked up at once: the writer comes first, and each takes a moment.
const READERS: usize = 4;

/// A store that is open, and whose writer doesn't run yet.
pub(crate) struct Opened {
    folder: Folder,
    database: Connection,
    /// The heats that were running.
    pub(crate) heats: Vec<Recovered>,
    /// Where the server's clock stood: it goes on from there.
    pub(crate) clock: ServerInstant,
    /// How long it stood still.
    pub(crate) away: Millis,
    parts: Vec<(i64, u64)>,
    next_heat: i64,
    environment: Environment,
    /// How long after a failure it tries for the first time to record again.
    first_pause: Duration,
}

/// A handle on the store. The last one's end is the writer's, once everything is written.
#[derive(Debug)]
pub(crate) struct Store {
    shared: Arc<Shared>,
    archive: Archive,
    readers: Arc<Semaphore>,
    writer: Mutex<Option<(Seat, Folder)>>,
}

/// Where the writer is.
#[derive(Debug)]
enum Seat {
    Thread(JoinHandle<()>),
    /// A task, in a simulation.
    Here(simulated_writer::Desk),
}

/// Opens the store in a folder, and reads the journals in it.
///
/// # Errors
/// [`StoreError`]; whatever was in the folder is as before.
pub(crate) fn open(path: &Path, environment: Environment) -> Result<Opened, StoreError> {
    let folder = Folder::take(path)?;
    let (path, was_closed) = data_dir::database(folder.path())?;
    let mut database = schema::open(&path, was_closed)?;
    let found = recover::recover(&mut database, &environment)?;
    Ok(Opened {
        folder,
        database,
        heats: found.heats,
        clock: found.clock,
        away: found.away,
        parts: found.parts,
        next_heat: found.next_heat,
        environment,
        first_pause: retry::FIRST_PAUSE,
    })
}

impl Opened {
    /// Tries again soon after a failure.
    #[cfg(test)]
    pub(crate) fn in_a_hurry(self) -> Self {
        let first_pause = Duration::from_millis(1);
        Self { first_pause, ..self }
    }

    /// Starts the writer, which counts its commits, and returns the heats that go on.
    ///
    /// # Errors
    /// [`StoreError::Database`] where the system has no thread to give.
    pub(crate) fn start(
        self,
        clock: Clock,
        commits: Histogram,
    ) -> Result<(Arc<Store>, Vec<Recovered>), StoreError> {
        let shared = Shared::new(clock, self.next_heat, commits, self.first_pause);
        let needed = self.heats.iter().map(|heat| (heat.id, heat.since));
        let folder = self.folder.path().to_owned();
        let rows = Rows::new(self.environment.clone(), self.database, folder, self.parts, needed);
        let writer = Writer::new(rows, Arc::clone(&shared));
        let writer = if self.environment.is_simulated() {
            Seat::Here(simulated_writer::start(self.environment, writer, Arc::clone(&shared)))
        } else {
            let thread = std::thread::Builder::new().name("store".to_owned());
            let started = thread.spawn(move || writer.run());
            Seat::Thread(started.map_err(|error| StoreError::Database(error.to_string()))?)
        };
        let store = Store {
            shared,
            archive: self.folder.archive(),
            readers: Arc::new(Semaphore::new(READERS)),
            writer: Mutex::new(Some((writer, self.folder))),
        };
        Ok((Arc::new(store), self.heats))
    }
}

impl Store {
    /// Begins a heat's journal, and returns up to where it goes already; `moved` is told
    /// whenever more of it is on the disk. `again` says that it had one, which was lost.
    ///
    /// # Errors
    /// [`JournalError`] for a heat that can't be written.
    pub(crate) fn begin(
        &self,
        code: RoomCode,
        kept: &PersistedRoom,
        moved: Arc<RoomWaker>,
        again: bool,
    ) -> Result<(Arc<Log>, Ticket), JournalError> {
        let checkpoint = journal::checkpoint(kept)?;
        let log = self.new_log(moved);
        let ticket = log.open(code, checkpoint, again);
        Ok((log, ticket))
    }

    /// Closes the heats of which nothing was heard since the store records again: every other
    /// one must have begun another journal.
    pub(crate) fn sweep(&self, bell: Arc<RoomWaker>) {
        let (spell, first) = (self.shared.spells.present(), self.shared.spells.first());
        Log::new(first, spell, Arc::clone(&self.shared), bell).sweep();
    }

    /// Goes on with the journal of a heat that was running.
    pub(crate) fn go_on(&self, heat: &Recovered, moved: Arc<RoomWaker>) -> Arc<Log> {
        let spell = self.shared.spells.present();
        let log = Log::new(heat.id, spell, Arc::clone(&self.shared), moved);
        // Or its old rows, and all that came after them, would stay for as long as it rests.
        log.want_checkpoint();
        log
    }

    /// Returns the heats that are over.
    pub(crate) const fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Returns a place to read, where one is free; it is given back by being dropped.
    pub(crate) fn reader(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.readers).try_acquire_owned().ok()
    }

    /// Says whether one more heat may begin.
    pub(crate) fn has_room(&self) -> bool {
        self.shared.has_room()
    }

    /// Says whether journals are recorded that begin now.
    pub(crate) fn records(&self) -> bool {
        self.shared.spells.records()
    }

    /// Returns what says whether the store records.
    pub(crate) fn recording(&self) -> watch::Receiver<bool> {
        self.shared.spells.told()
    }

    /// Returns what the store has done.
    pub(crate) fn figures(&self) -> Figures {
        self.shared.figures()
    }

    /// Writes what there is, and closes the database. Blocks for as long as that takes.
    pub(crate) fn close(&self) {
        self.shared.end();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((writer, folder)) = writer else {
            return;
        };
        match writer {
            Seat::Here(desk) => simulated_writer::finish(&desk),
            Seat::Thread(thread) => {
                if thread.join().is_err() {
                    error!("the store's writer broke");
                }
            }
        }
        // Heats may still hold the store; the folder is free for the next one.
        drop(folder);
        let Figures { commits, commit_micros, slowest_micros, bytes, .. } = self.figures();
        info!(commits, commit_micros, slowest_micros, bytes, "the store is closed");
    }
}

impl Store {
    fn new_log(&self, moved: Arc<RoomWaker>) -> Arc<Log> {
        // In this order: a number below the first of a spell belongs to none that comes after.
        let spell = self.shared.spells.present();
        let id = self.shared.new_heat();
        Log::new(id, spell, Arc::clone(&self.shared), moved)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}
