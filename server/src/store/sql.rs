//! The SQL of a commit.

use super::{recover, schema};
use crate::platform::environment::{Disk, Environment};
use crate::race::journal::VERSION;
use crate::store::commit_queue::CommitCost;
use crate::store::error::StoreError;
use crate::store::journal::{Batch, Change, Journal};
use crate::store::{data_dir, journal_row};
use gridrace_shared::util::time::ServerInstant;
use rusqlite::{Connection, Params, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// The length of the journal of all rooms, in bytes, from which the rooms that need its older half
/// are asked for checkpoints: minutes of a full server, read within a second.
const SHORTEN_AFTER: u64 = 64 * 1024 * 1024;

/// The bytes of a page, as SQLite chooses them where nobody does.
const PAGE_BYTES: u64 = 4_096;

/// The database, and what the writer knows of its journal.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) environment: Environment,
    database: Connection,
    pub(super) folder: PathBuf,
    wal: WalPages,
    next_row: i64,
    /// The rows of the journal, with their lengths in bytes.
    rows: VecDeque<(i64, u64)>,
    length: u64,
    /// For each room, the first row with entries after its checkpoint.
    first: BTreeMap<i64, (i64, Weak<Journal>)>,
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
        // It checkpoints nothing, and says how far the log is.
        let (logged, checkpointed) = database
            .prepare_cached("PRAGMA wal_checkpoint(NOOP)")?
            .query_row((), |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))?;
        let (logged, checkpointed) = (logged.unsigned_abs(), checkpointed.unsigned_abs());
        // A log that is all in the database begins anew.
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
    /// Takes the database in a folder, the rows of its journal with their lengths, and for each
    /// room the first row that it needs.
    pub(super) fn new(
        environment: Environment,
        database: Connection,
        folder: PathBuf,
        rows: Vec<(i64, u64)>,
        needed: impl IntoIterator<Item = (i64, i64)>,
    ) -> Self {
        let rows = VecDeque::from(rows);
        Self {
            environment,
            database,
            folder,
            wal: WalPages::default(),
            next_row: rows.back().map_or(1, |&(row, _)| row + 1),
            length: rows.iter().map(|&(_, length)| length).sum(),
            rows,
            first: needed.into_iter().map(|(room, since)| (room, (since, Weak::new()))).collect(),
        }
    }

    pub(super) fn reopen(&mut self) -> Result<(), StoreError> {
        let path = data_dir::database_path(&self.folder);
        data_dir::prepare_database(&path)?;
        let database = schema::open(&path, false)?;
        let rows = recover::rows(&database)?;
        let needed = recover::needed(&database)?;
        *self = Self::new(self.environment.clone(), database, self.folder.clone(), rows, needed);
        Ok(())
    }

    /// Writes a group in one transaction; returns its cost.
    pub(super) fn commit(
        &mut self,
        batches: &[Batch],
        clock: ServerInstant,
    ) -> Result<CommitCost, StoreError> {
        let number = self.next_row;
        let floor = self.floor();
        let group = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut entries = Vec::new();
        let mut bytes = 0;
        for Batch { journal, changes, .. } in batches {
            for change in changes {
                bytes += write(&group, journal.id, change, number, &mut entries)?;
            }
        }
        if !entries.is_empty() {
            let sql = "INSERT INTO journal (part, entries) VALUES (?1, ?2)";
            execute(&group, sql, params![number, entries])?;
        }
        let outlived = self.rows.front().is_some_and(|&(row, _)| row < floor);
        if outlived {
            execute(&group, "DELETE FROM journal WHERE part < ?1", [floor])?;
        }
        // From these a server continues after a crash.
        let sql = "INSERT INTO server (one, clock, wall) VALUES (1, ?1, ?2)
             ON CONFLICT DO UPDATE SET clock = excluded.clock, wall = excluded.wall";
        let wall = self.environment.calendar();
        execute(&group, sql, params![clock.0 as i64, wall.0 as i64])?;
        if self.environment.disk() == Disk::Full {
            return Err(StoreError::Full); // dropping the transaction rolls it back
        }
        group.commit()?;
        self.on_committed(batches, entries.len() as u64, floor);
        let (written, syncs) = self.wal.measure(&self.database)?;
        Ok(CommitCost { bytes, written, syncs })
    }

    /// Updates the index of the journal after a commit.
    fn on_committed(&mut self, batches: &[Batch], length: u64, floor: i64) {
        for Batch { journal, changes, .. } in batches {
            for change in changes {
                match change {
                    Change::Open { .. } | Change::StandingKey(_) | Change::Archive(_) => {}
                    Change::Entries(_) => {
                        let first = || (self.next_row, Arc::downgrade(journal));
                        self.first.entry(journal.id).or_insert_with(first);
                    }
                    Change::Checkpoint(_) | Change::Close => {
                        self.first.remove(&journal.id);
                    }
                    Change::CloseEarlier => self.first.retain(|&room, _| room >= journal.id),
                }
            }
        }
        while let Some(&(row, length)) = self.rows.front()
            && row < floor
        {
            self.rows.pop_front();
            self.length -= length;
        }
        if length > 0 {
            self.rows.push_back((self.next_row, length));
            self.length += length;
            self.next_row += 1;
        }
        if self.length > SHORTEN_AFTER {
            self.shorten();
        }
    }

    /// Requests checkpoints of the rooms that need the older half of the journal.
    fn shorten(&self) {
        let Some(&(middle, _)) = self.rows.get(self.rows.len() / 2) else {
            return;
        };
        let old = self.first.values().filter(|(first, _)| *first < middle);
        old.filter_map(|(_, journal)| journal.upgrade())
            .for_each(|journal| journal.request_checkpoint());
    }

    /// Returns the first row that any room needs.
    fn floor(&self) -> i64 {
        let needed = self.first.values().map(|(first, _)| *first).min();
        needed.unwrap_or(self.next_row)
    }
}

/// Executes a statement of a group, which is prepared once.
pub(super) fn execute(
    group: &Transaction<'_>,
    sql: &str,
    params: impl Params,
) -> Result<(), StoreError> {
    group.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

fn write(
    group: &Transaction<'_>,
    room: i64,
    change: &Change,
    row: i64,
    entries: &mut Vec<u8>,
) -> Result<u64, StoreError> {
    Ok(match change {
        Change::Open { code, checkpoint, replaces_lost } => {
            let code = code.to_string();
            if *replaces_lost {
                execute(group, "DELETE FROM heats WHERE code = ?1", [&code])?;
            }
            let sql = "INSERT INTO heats (id, code, version, checkpoint, since)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            execute(group, sql, params![room, code, VERSION, checkpoint, row])?;
            checkpoint.len() as u64
        }
        Change::StandingKey(standing) => {
            let sql = "UPDATE heats SET standing = ?2 WHERE id = ?1";
            execute(group, sql, params![room, standing])?;
            standing.len() as u64
        }
        Change::CloseEarlier => {
            execute(group, "DELETE FROM heats WHERE id < ?1", [room])?;
            0
        }
        Change::Entries(bytes) => {
            journal_row::append(entries, room, bytes);
            bytes.len() as u64
        }
        Change::Checkpoint(checkpoint) => {
            let sql = "UPDATE heats SET version = ?2, checkpoint = ?3, since = ?4 WHERE id = ?1";
            execute(group, sql, params![room, VERSION, checkpoint, row])?;
            checkpoint.len() as u64
        }
        Change::Archive(record) => record.write(room, group)?,
        Change::Close => {
            execute(group, "DELETE FROM heats WHERE id = ?1", [room])?;
            0
        }
    })
}
