//! A commit: what goes into the database, and then what is appended to the journal log.
//!
//! A group's entries are one record of the log. Its other changes (rooms that open and close,
//! checkpoints, results) are one transaction of the database, which is on the disk before the
//! record. If a server is killed during a group,
//!
//! - *before the transaction:* nothing of the group happened, and no client was told of it;
//! - *between the two:* a checkpoint names the record that isn't there, and needs none before it;
//!   a result is there whose last entry isn't: its heat goes on, and its next end replaces the
//!   result, so it counts once;
//! - *in the record:* its checksum is wrong, so it isn't there either;
//! - *after it:* all of the group is there.

use super::{recover, schema};
use crate::platform::environment::{Disk, Environment};
use crate::race::journal::VERSION;
use crate::store::commit_queue::CommitCost;
use crate::store::data_dir::{DataDir, FileId};
use crate::store::error::StoreError;
use crate::store::journal::{Batch, Journal, JournalChange};
use crate::store::journal_log::{Durability, JournalLog, LogEnd};
use crate::store::key_file::Keys;
use crate::store::recover::{RecoveredRoom, RoomRecords};
use crate::store::statement::execute;
use crate::store::{data_dir, journal_row, wal_check};
use gridrace_shared::util::time::ServerInstant;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Weak};

/// The length of the journal log, in bytes, from which the rooms that need its older half are asked
/// for checkpoints: minutes of a full server, read within a second.
const SHORTEN_AFTER: u64 = 64 * 1024 * 1024;
/// The bytes of a page: SQLite's default.
const PAGE_BYTES: u64 = 4_096;

/// The database and the journal log, and what the writer knows of both.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) environment: Environment,
    database: Connection,
    database_file: FileId,
    wal: WalPages,
    data_dir: DataDir,
    /// Written into the folder again if that is created anew.
    keys: Keys,
    log: JournalLog,
    /// The number of the next record.
    next: i64,
    /// The records with entries of a room after its checkpoint.
    rooms: BTreeMap<i64, (RoomRecords, Weak<Journal>)>,
}

/// How many pages the write-ahead log held after the last commit, and how many of them the
/// database.
#[derive(Debug, Default)]
struct WalPages {
    logged: u64,
    checkpointed: u64,
}

impl WalPages {
    /// Returns the bytes and syncs since the last call.
    fn measure(&mut self, database: &Connection) -> Result<(u64, u64), StoreError> {
        // `NOOP` checkpoints nothing and returns the positions in the log.
        let (logged, checkpointed) = database
            .prepare_cached("PRAGMA wal_checkpoint(NOOP)")?
            .query_row((), |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))?;
        let (logged, checkpointed) = (logged.unsigned_abs(), checkpointed.unsigned_abs());
        // Once all of the log is in the database, the log restarts.
        let since = |now: u64, before: u64| if now < before { now } else { now - before };
        let pages = since(logged, self.logged);
        let moved = since(checkpointed, self.checkpointed);
        *self = Self { logged, checkpointed };
        // A checkpoint syncs the log and the database.
        let syncs = 1 + if moved > 0 { 2 } else { 0 };
        Ok(((pages + moved) * PAGE_BYTES, syncs))
    }
}

impl Database {
    /// Takes the database in a folder, and begins a segment of its log.
    pub(super) fn new(
        environment: Environment,
        database: Connection,
        data_dir: DataDir,
        keys: Keys,
        durability: Durability,
        (log, next): (LogEnd, i64),
        rooms: &[RecoveredRoom],
    ) -> Result<Self, StoreError> {
        let records = |room: &RecoveredRoom| Some((room.id, (room.records?, Weak::new())));
        let rooms: BTreeMap<_, _> = rooms.iter().filter_map(records).collect();
        let folder = data_dir.path();
        let log = JournalLog::begin(folder, durability, log, next, floor(&rooms, next))?;
        let database_file = FileId::of(&data_dir::database_path(folder))?;
        let wal = WalPages::default();
        Ok(Self { environment, database, database_file, wal, data_dir, keys, log, next, rooms })
    }

    /// Creates the folder again if it was removed, and closes the database.
    pub(super) fn restore_folder(&mut self) -> Result<(), StoreError> {
        self.data_dir.lock_again()?;
        self.close()
    }

    /// Closes the database. If its file was renamed or replaced, its log stays under the old name,
    /// and SQLite would remove it, or apply it to another file that has the name by now. So all of
    /// the log is written into the file first, wherever that is.
    pub(super) fn close(&mut self) -> Result<(), StoreError> {
        let path = data_dir::database_path(self.folder());
        if self.database_file.check(&path).is_err() {
            let is_written = checkpoint(&self.database);
            // Without the lock, files under the old name may be another server's.
            if self.data_dir.check_lock().is_ok() {
                if !is_written {
                    wal_check::set_aside(&path)?;
                }
                data_dir::remove_companions(&path)?;
            }
        }
        self.database = Connection::open_in_memory()?;
        Ok(())
    }

    /// Opens the database, or a new one, and begins a segment.
    pub(super) fn reopen(&mut self) -> Result<(), StoreError> {
        let folder = self.data_dir.path();
        let path = data_dir::database_path(folder);
        self.keys.restore(folder)?;
        data_dir::prepare_database(&path)?;
        self.database = schema::open(&path, false)?;
        self.database_file = FileId::of(&path)?;
        self.wal = WalPages::default();
        // The last record may be whole although its write failed, so its number is not used again.
        self.next += 1;
        let id = recover::log_id(&self.database)?;
        let (end, durability) = (self.log.end(id)?, self.log.durability());
        self.log = JournalLog::begin(folder, durability, end, self.next, self.floor())?;
        Ok(())
    }

    pub(super) fn folder(&self) -> &Path {
        self.data_dir.path()
    }

    /// Returns the log's file if what is written there must be synced in the background.
    pub(super) fn unsynced_file(&self) -> Option<Arc<File>> {
        self.log.unsynced_file()
    }

    /// Checks that the files that are written, and the lock, are those in the folder, not removed or
    /// renamed.
    pub(super) fn check_files(&self) -> Result<(), StoreError> {
        self.data_dir.check_lock()?;
        self.database_file.check(&data_dir::database_path(self.data_dir.path()))?;
        self.log.check_file()
    }

    /// Writes a group; returns its cost.
    pub(super) fn commit(
        &mut self,
        batches: &[Batch],
        clock: ServerInstant,
    ) -> Result<CommitCost, StoreError> {
        if self.environment.disk() == Disk::Full {
            return Err(StoreError::Full);
        }
        let changed = self.change(batches, clock)?;
        let appended = self.append(batches, clock)?;
        self.on_committed(batches);
        Ok(changed + appended)
    }

    /// Writes everything but the entries into the database, in one transaction.
    pub(super) fn change(
        &mut self,
        batches: &[Batch],
        clock: ServerInstant,
    ) -> Result<CommitCost, StoreError> {
        let is_change = |change: &JournalChange| !matches!(change, JournalChange::Entries(_));
        if !batches.iter().any(|batch| batch.changes.iter().any(is_change)) {
            return Ok(CommitCost::default());
        }
        let group = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut bytes = 0;
        for Batch { journal, changes, .. } in batches {
            for change in changes {
                bytes += write(&group, journal.id, change, self.next)?;
            }
        }
        save_clock(&group, &self.environment, clock, self.log.last())?;
        group.commit()?;
        let (written, syncs) = self.wal.measure(&self.database)?;
        Ok(CommitCost { bytes, written, syncs })
    }

    /// Saves the clock in the database.
    pub(super) fn save_clock(&mut self, clock: ServerInstant) -> Result<(), StoreError> {
        let change = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        save_clock(&change, &self.environment, clock, self.log.last())?;
        change.commit()?;
        Ok(())
    }

    /// Appends the entries to the log, or the clock if there is no group.
    fn append(
        &mut self,
        batches: &[Batch],
        clock: ServerInstant,
    ) -> Result<CommitCost, StoreError> {
        let mut row = Vec::new();
        let mut is_result = false;
        for Batch { journal, changes, .. } in batches {
            let mut before = self.rooms.get(&journal.id).map_or(0, |(records, _)| records.last);
            let mut entries = Vec::new();
            for change in changes {
                match change {
                    JournalChange::Entries(some) => entries.extend_from_slice(some),
                    JournalChange::Open { .. } | JournalChange::Checkpoint(_) => before = 0,
                    JournalChange::Archive(_) => is_result = true,
                    JournalChange::StandingKey(_)
                    | JournalChange::CloseEarlier
                    | JournalChange::Tournament(_)
                    | JournalChange::Close => {}
                }
            }
            if !entries.is_empty() {
                journal_row::append(&mut row, journal.id, &journal_row::chain(before, &entries));
            }
        }
        if row.is_empty() && !batches.is_empty() {
            return Ok(CommitCost::default());
        }
        let clocks = (clock, self.environment.calendar());
        let cost = self.log.append(self.next, clocks, &row, self.floor(), is_result)?;
        self.next += 1;
        Ok(cost)
    }

    /// Notes which records the rooms need after a commit.
    fn on_committed(&mut self, batches: &[Batch]) {
        let number = self.log.last();
        for Batch { journal, changes, .. } in batches {
            for change in changes {
                match change {
                    JournalChange::Open { .. }
                    | JournalChange::StandingKey(_)
                    | JournalChange::Tournament(_)
                    | JournalChange::Archive(_) => {}
                    JournalChange::Entries(entries) if entries.is_empty() => {}
                    JournalChange::Entries(_) => {
                        let records = RoomRecords { first: number, last: number };
                        let new = || (records, Arc::downgrade(journal));
                        let (records, room) = self.rooms.entry(journal.id).or_insert_with(new);
                        records.last = number;
                        if room.strong_count() == 0 {
                            *room = Arc::downgrade(journal);
                        }
                    }
                    JournalChange::Checkpoint(_) | JournalChange::Close => {
                        self.rooms.remove(&journal.id);
                    }
                    JournalChange::CloseEarlier => self.rooms.retain(|&room, _| room >= journal.id),
                }
            }
        }
        if self.log.length() > SHORTEN_AFTER {
            self.shorten();
        }
    }

    /// Requests checkpoints of the rooms that need the older half of the log.
    fn shorten(&self) {
        let middle = self.log.middle();
        let old = self.rooms.values().filter(|(records, _)| records.first < middle);
        old.filter_map(|(_, journal)| journal.upgrade())
            .for_each(|journal| journal.request_checkpoint());
    }

    fn floor(&self) -> i64 {
        floor(&self.rooms, self.next)
    }
}

/// Writes all of SQLite's log into the database, and empties it. Returns whether that was possible:
/// another program may read from it.
fn checkpoint(database: &Connection) -> bool {
    let is_busy = database
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, bool>(0))
        .unwrap_or(true);
    !is_busy
}

/// Returns the number of the first record that any room needs.
fn floor(rooms: &BTreeMap<i64, (RoomRecords, Weak<Journal>)>, next: i64) -> i64 {
    rooms.values().map(|(records, _)| records.first).min().unwrap_or(next)
}

/// Saves the clock, from which a server continues, and the number of a record that is on the disk.
fn save_clock(
    group: &Transaction<'_>,
    environment: &Environment,
    clock: ServerInstant,
    last: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO server (one, clock, wall) VALUES (1, ?1, ?2)
         ON CONFLICT DO UPDATE SET clock = excluded.clock, wall = excluded.wall";
    let wall = environment.calendar();
    execute(group, sql, params![clock.0 as i64, wall.0 as i64])?;
    execute(group, "UPDATE log SET last = ?1", [last])
}

fn write(
    group: &Transaction<'_>,
    room: i64,
    change: &JournalChange,
    number: i64,
) -> Result<u64, StoreError> {
    Ok(match change {
        JournalChange::Open { code, checkpoint, replaces_lost } => {
            let code = code.to_string();
            if *replaces_lost {
                // A rating may still come for its last heat.
                let sql = "UPDATE finished SET heat = ?2
                     WHERE heat = (SELECT id FROM heats WHERE code = ?1)";
                execute(group, sql, params![code, room])?;
                execute(group, "DELETE FROM heats WHERE code = ?1", [&code])?;
            }
            let sql = "INSERT INTO heats (id, code, version, checkpoint, since)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            execute(group, sql, params![room, code, VERSION, checkpoint, number])?;
            checkpoint.len() as u64
        }
        JournalChange::StandingKey(standing) => {
            let sql = "UPDATE heats SET standing = ?2 WHERE id = ?1";
            execute(group, sql, params![room, standing])?;
            standing.len() as u64
        }
        JournalChange::CloseEarlier => {
            execute(group, "DELETE FROM heats WHERE id < ?1", [room])?;
            0
        }
        // They are in the log.
        JournalChange::Entries(_) => 0,
        JournalChange::Checkpoint(checkpoint) => {
            let sql = "UPDATE heats SET version = ?2, checkpoint = ?3, since = ?4 WHERE id = ?1";
            execute(group, sql, params![room, VERSION, checkpoint, number])?;
            checkpoint.len() as u64
        }
        JournalChange::Archive(record) => record.write(room, group)?,
        JournalChange::Tournament(change) => change.write(group)?,
        JournalChange::Close => {
            execute(group, "DELETE FROM heats WHERE id = ?1", [room])?;
            0
        }
    })
}
