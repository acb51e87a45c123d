//! The store: SQLite and a journal log in a folder of the server's own.
//!
//! A room is a checkpoint and the journal entries since, so that a server that was killed
//! recovers all its rooms; a finished heat is its result and its replay. Rooms append to their
//! journals without waiting. One thread writes what all of them have appended, a group at a time,
//! which is on the disk before anything of it leaves the server: the entries as one record of the
//! log, all else as one transaction of the database.
//!
//! - Files: `data_dir`, `key_file`, `schema`, `journal_log` (segments), `journal_record`,
//!   `journal_row` (entries of a group), `sql` (a commit), `statement`.
//! - Writing: `journal` (a room's side), `commit_queue` (which group is next), `writer`,
//!   `background_sync`, `simulated_writer`; `epoch` and `retry` after a failure.
//! - Reading: `wal_check` and `recover` at the start, `archive` and `finished_heats`,
//!   `tournament_records` and `past_tournaments`.
//! - For its host: `backup`, `restore`, `prune`.

mod archive;
mod background_sync;
mod backup;
mod commit_queue;
mod data_dir;
mod epoch;
mod error;
mod finished_heats;
#[cfg(test)]
pub(crate) mod fixture;
mod journal;
mod journal_log;
mod journal_record;
pub(crate) mod journal_row;
mod key_file;
mod past_tournaments;
mod prune;
mod recover;
mod restore;
mod retry;
mod schema;
mod simulated_writer;
mod sql;
mod statement;
#[cfg(test)]
mod tests;
mod tournament_records;
pub(crate) mod tournaments;
mod wal_check;
mod writer;

pub use archive::{Archive, FinishedSummary};
pub use backup::{BackupError, DatabaseContent, backup};
pub use data_dir::Data;
pub use error::StoreError;
pub use journal_log::Durability;
pub use key_file::OperatorKey;
pub use prune::{PruneError, PruneRange, Pruned, preview_prune, prune};
pub use restore::{RestoreError, Restored, restore};
pub use tournament_records::{RecordReader, StoredTournament};

pub(crate) use commit_queue::StoreStats;
pub(crate) use finished_heats::{ArchiveRecord, FinishedHeat, HeatRating};
pub(crate) use journal::{Journal, JournalSeq};
pub(crate) use recover::{RecoveredRoom, Recovery};

use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use crate::platform::shards::TaskWaker;
use crate::race::journal::{JournalError, checkpoint};
use crate::race::persisted::PersistedRoom;
use background_sync::BackgroundSync;
use commit_queue::CommitQueue;
use data_dir::DataDir;
use gridrace_shared::replay::ServerKey;
use key_file::Keys;
use prometheus_client::metrics::histogram::Histogram;
use rusqlite::Connection;
use sql::Database;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tracing::{error, info};
use writer::Writer;

/// Queries of results at once: the writer goes first, and each takes a moment.
const MAX_READERS: usize = 4;

/// An open store whose writer doesn't run yet.
pub(crate) struct Opened {
    data_dir: DataDir,
    database: Connection,
    pub(crate) recovery: Recovery,
    environment: Environment,
    durability: Durability,
    first_retry_pause: Duration,
    keys: Keys,
}

/// A handle on the store. Dropping it writes everything and ends the writer.
#[derive(Debug)]
pub(crate) struct Store {
    queue: Arc<CommitQueue<Journal>>,
    pub(crate) archive: Archive,
    readers: Arc<Semaphore>,
    /// Signs the replays.
    server_key: Arc<ServerKey>,
    writer: Mutex<Option<WriterHost>>,
}

#[derive(Debug)]
enum WriterHost {
    Thread(JoinHandle<()>),
    Task(simulated_writer::SharedWriter),
}

/// Opens the store in a folder, and recovers its rooms.
///
/// # Errors
/// [`StoreError`]; what was played is unchanged then.
pub(crate) fn open(path: &Path, environment: Environment) -> Result<Opened, StoreError> {
    let data_dir = DataDir::lock(path)?;
    let database = data_dir::database_path(path);
    open_database(data_dir, &database, environment).map_err(|error| error.of_database(&database))
}

fn open_database(
    data_dir: DataDir,
    path: &Path,
    environment: Environment,
) -> Result<Opened, StoreError> {
    let is_empty = fs::metadata(path).is_ok_and(|file| file.len() == 0);
    // The key is drawn once the database has its tables.
    if is_empty && key_file::existing_server_key(data_dir.path())?.is_some() {
        let why = "it is empty; restore a backup, or remove it to begin a new one";
        return Err(StoreError::Corrupt(why.to_owned()));
    }
    let was_closed = data_dir::prepare_database(path)?;
    let is_damaged = wal_check::check(path)?;
    let mut database = schema::open(path, was_closed)?;
    // A key that can't be read is found before anything is written.
    key_file::existing_server_key(data_dir.path())?;
    let recovery = recover::recover(&mut database, data_dir.path(), &environment, is_damaged)?;
    let first_retry_pause = retry::FIRST_RETRY_PAUSE;
    let durability = Durability::default();
    let server = Arc::new(key_file::server_key(data_dir.path(), &environment.rng)?);
    let keys = Keys { server, operator: None };
    Ok(Opened { data_dir, database, recovery, environment, durability, first_retry_pause, keys })
}

impl Opened {
    pub(crate) fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Returns the operator's key in the folder, which is drawn if there is none.
    pub(crate) fn operator_key(&mut self) -> Result<OperatorKey, StoreError> {
        let (file, key) = key_file::operator_key(self.data_dir.path(), &self.environment.rng)?;
        self.keys.operator = Some(key);
        Ok(file)
    }

    #[cfg(test)]
    pub(crate) fn retrying_soon(self) -> Self {
        Self { first_retry_pause: Duration::from_millis(1), ..self }
    }

    /// Starts the writer, which observes the times of its commits; returns the recovered rooms.
    pub(crate) fn start(
        self,
        clock: Clock,
        commits: Histogram,
    ) -> Result<(Arc<Store>, Vec<RecoveredRoom>), StoreError> {
        let Recovery { rooms, log, next_record, next_journal, .. } = self.recovery;
        let queue = CommitQueue::new(clock, next_journal, commits, self.first_retry_pause);
        let folder = self.data_dir.path().to_owned();
        let path = data_dir::database_path(&folder);
        let server_key = Arc::clone(&self.keys.server);
        let database = Database::new(
            self.environment.clone(),
            self.database,
            self.data_dir,
            self.keys,
            self.durability,
            (log, next_record),
            &rooms,
        );
        let database = database.map_err(|error| error.of_database(&path))?;
        let in_background =
            self.durability == Durability::Crash && !self.environment.is_simulated();
        let background =
            in_background.then(|| BackgroundSync::start(Arc::clone(&queue))).transpose()?;
        let writer = Writer::new(database, Arc::clone(&queue), background);
        let writer = if self.environment.is_simulated() {
            let queue = Arc::clone(&queue);
            WriterHost::Task(simulated_writer::start(self.environment, writer, queue))
        } else {
            let thread = std::thread::Builder::new().name("store".to_owned());
            let started = thread.spawn(move || writer.run());
            WriterHost::Thread(started.map_err(|error| StoreError::Database(error.to_string()))?)
        };
        let store = Store {
            queue,
            archive: Archive::at(&folder),
            readers: Arc::new(Semaphore::new(MAX_READERS)),
            server_key,
            writer: Mutex::new(Some(writer)),
        };
        Ok((Arc::new(store), rooms))
    }
}

impl Store {
    /// Begins a room's journal with a checkpoint; `waker` is woken whenever more of it is on the
    /// disk. `replaces_lost` says that the room had a journal, which was lost.
    pub(crate) fn begin(
        &self,
        room: &PersistedRoom,
        waker: Arc<TaskWaker>,
        replaces_lost: bool,
    ) -> Result<(Arc<Journal>, JournalSeq), JournalError> {
        let checkpoint = checkpoint(room)?;
        // In this order: a number below the first of an epoch belongs to no later epoch.
        let epoch = self.queue.epochs.present();
        let id = self.queue.new_journal();
        let journal = Journal::new(id, epoch, Arc::clone(&self.queue), waker);
        let seq = journal.open(room.race.code(), checkpoint, replaces_lost);
        Ok((journal, seq))
    }

    pub(crate) fn resume(&self, room: &RecoveredRoom, waker: Arc<TaskWaker>) -> Arc<Journal> {
        let epoch = self.queue.epochs.present();
        let journal = Journal::new(room.id, epoch, Arc::clone(&self.queue), waker);
        // Otherwise an idle room would keep its old rows, and all later ones.
        journal.request_checkpoint();
        journal
    }

    /// Begins the journal of a tournament, which has no entries; `waker` is woken whenever more of it
    /// is on the disk.
    pub(crate) fn begin_tournament(&self, waker: Arc<TaskWaker>) -> Arc<Journal> {
        let epoch = self.queue.epochs.present();
        Journal::new(self.queue.new_journal(), epoch, Arc::clone(&self.queue), waker)
    }

    /// Closes the rooms of earlier epochs in the database, once all live rooms have begun new
    /// journals. `waker` wakes no room.
    pub(crate) fn close_lost_rooms(&self, waker: Arc<TaskWaker>) {
        let (epoch, first) = (self.queue.epochs.present(), self.queue.epochs.first_journal());
        Journal::new(first, epoch, Arc::clone(&self.queue), waker).close_earlier();
    }

    /// Returns the key that signs the replays.
    pub(crate) const fn server_key(&self) -> &Arc<ServerKey> {
        &self.server_key
    }

    /// Returns a permit to query the archive, unless too many are held.
    pub(crate) fn try_read(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.readers).try_acquire_owned().ok()
    }

    /// Returns whether the queue has capacity for another room.
    pub(crate) fn has_capacity(&self) -> bool {
        self.queue.has_capacity()
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.queue.is_recording()
    }

    /// Returns a receiver of whether the disk is slow.
    pub(crate) fn subscribe_to_slowness(&self) -> watch::Receiver<bool> {
        self.queue.is_slow.subscribe()
    }

    /// Returns a receiver of whether the store records.
    pub(crate) fn subscribe(&self) -> watch::Receiver<bool> {
        self.queue.epochs.subscribe()
    }

    /// Notices when the disk is slow, and fails the store when it doesn't respond for too long;
    /// never returns.
    pub(crate) async fn watch_for_stalls(&self) {
        self.queue.watch_for_stalls().await;
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.queue.stats()
    }

    /// Writes everything, and closes the database. Blocks meanwhile.
    pub(crate) fn close(&self) {
        self.queue.close();
        let writer = lock(&self.writer).take();
        let Some(writer) = writer else {
            return;
        };
        match writer {
            WriterHost::Task(writer) => simulated_writer::finish(&writer),
            WriterHost::Thread(thread) => {
                if thread.join().is_err() {
                    error!("store writer panicked");
                }
            }
        }
        let StoreStats { commits, commit_micros, slowest_micros, bytes, .. } = self.stats();
        info!(commits, commit_micros, slowest_micros, bytes, "store closed");
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}
