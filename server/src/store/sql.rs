//! What the writer does to the database.

use super::{recover, schema};
use crate::platform::environment::{Disk, Environment};
use crate::race::journal::VERSION;
use crate::store::error::StoreError;
use crate::store::journal_handle::{Batch, Change, Log};
use crate::store::{data_dir, journal_row};
use gridrace_shared::util::time::{Millis, ServerInstant};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// How long the journal of all heats grows, in bytes, before those that hold on to its older
/// half are asked for checkpoints: minutes of a full server, read in a second.
const LONG: u64 = 64 * 1024 * 1024;

/// The database as the writer knows it.
#[derive(Debug)]
pub(super) struct Rows {
    environment: Environment,
    database: Connection,
    /// Where it lies.
    folder: PathBuf,
    next_part: i64,
    /// The rows of the journal that are there, with their lengths.
    parts: VecDeque<(i64, u64)>,
    /// The bytes of all of them.
    length: u64,
    /// For each heat the first row with entries that follow its checkpoint.
    first: BTreeMap<i64, (i64, Weak<Log>)>,
}

impl Rows {
    /// Takes the database in a folder, with the journal's rows and their lengths, and with
    /// the heats that need them from some row on.
    pub(super) fn new(
        environment: Environment,
        database: Connection,
        folder: PathBuf,
        parts: Vec<(i64, u64)>,
        needed: impl IntoIterator<Item = (i64, i64)>,
    ) -> Self {
        let parts = VecDeque::from(parts);
        Self {
            environment,
            database,
            folder,
            next_part: parts.back().map_or(1, |&(part, _)| part + 1),
            length: parts.iter().map(|&(_, length)| length).sum(),
            parts,
            first: needed.into_iter().map(|(heat, since)| (heat, (since, Weak::new()))).collect(),
        }
    }

    /// Returns where the database lies.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn disk(&self) -> Disk {
        self.environment.disk()
    }

    /// Opens the database anew, after it has failed.
    pub(super) fn reopen(&mut self) -> Result<(), StoreError> {
        let (path, _) = data_dir::database(&self.folder)?;
        let database = schema::open(&path, false)?;
        let parts = recover::parts(&database)?;
        let needed = recover::needed(&database)?;
        *self = Self::new(self.environment.clone(), database, self.folder.clone(), parts, needed);
        Ok(())
    }

    /// Writes a group in one transaction, and returns how many bytes it had.
    pub(super) fn commit(
        &mut self,
        batches: &[Batch],
        clock: ServerInstant,
    ) -> Result<u64, StoreError> {
        let number = self.next_part;
        let floor = self.floor();
        let group = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut entries = Vec::new();
        let mut bytes = 0;
        for Batch { log, changes, .. } in batches {
            for change in changes {
                bytes += write(&group, log.id, change, number, &mut entries)?;
            }
        }
        if !entries.is_empty() {
            group
                .prepare_cached("INSERT INTO journal (part, entries) VALUES (?1, ?2)")?
                .execute(params![number, entries])?;
        }
        let outlived = self.parts.front().is_some_and(|&(part, _)| part < floor);
        if outlived {
            group.prepare_cached("DELETE FROM journal WHERE part < ?1")?.execute([floor])?;
        }
        note(&group, clock, self.environment.calendar())?;
        if self.environment.disk() == Disk::Full {
            return Err(StoreError::Full); // and whatever was written is taken back
        }
        group.commit()?;
        self.committed(batches, entries.len() as u64, floor);
        Ok(bytes)
    }

    /// Takes a group that is on the disk into account.
    fn committed(&mut self, batches: &[Batch], length: u64, floor: i64) {
        for Batch { log, changes, .. } in batches {
            for change in changes {
                match change {
                    Change::Open { .. } | Change::Stands(_) | Change::Lasting(_) => {}
                    Change::Entries(_) => {
                        let first = || (self.next_part, Arc::downgrade(log));
                        self.first.entry(log.id).or_insert_with(first);
                    }
                    Change::Checkpoint(_) | Change::Close => {
                        self.first.remove(&log.id);
                    }
                    Change::Sweep => self.first.retain(|&heat, _| heat >= log.id),
                }
            }
        }
        while let Some(&(part, length)) = self.parts.front()
            && part < floor
        {
            self.parts.pop_front();
            self.length -= length;
        }
        if length > 0 {
            self.parts.push_back((self.next_part, length));
            self.length += length;
            self.next_part += 1;
        }
        if self.length > LONG {
            self.shorten();
        }
    }

    /// Asks whoever holds on to the older half of the journal for checkpoints.
    fn shorten(&self) {
        let Some(&(middle, _)) = self.parts.get(self.parts.len() / 2) else {
            return;
        };
        let old = self.first.values().filter(|(first, _)| *first < middle);
        old.filter_map(|(_, log)| log.upgrade()).for_each(|log| log.want_checkpoint());
    }

    /// Returns the first row that some heat needs.
    fn floor(&self) -> i64 {
        let needed = self.first.values().map(|(first, _)| *first).min();
        needed.unwrap_or(self.next_part)
    }
}

/// Notes the clocks: whoever comes after a crash goes on from here.
pub(super) fn note(
    group: &Transaction<'_>,
    clock: ServerInstant,
    wall: Millis,
) -> Result<(), StoreError> {
    group
        .prepare_cached(
            "INSERT INTO server (one, clock, wall) VALUES (1, ?1, ?2)
             ON CONFLICT DO UPDATE SET clock = excluded.clock, wall = excluded.wall",
        )?
        .execute(params![clock.0 as i64, wall.0 as i64])?;
    Ok(())
}

fn write(
    group: &Transaction<'_>,
    heat: i64,
    change: &Change,
    part: i64,
    entries: &mut Vec<u8>,
) -> Result<u64, StoreError> {
    Ok(match change {
        Change::Open { code, checkpoint, again } => {
            if *again {
                group
                    .prepare_cached("DELETE FROM heats WHERE code = ?1")?
                    .execute([code.to_string()])?;
            }
            let sql = "INSERT INTO heats (id, code, version, checkpoint, since)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            group.prepare_cached(sql)?.execute(params![
                heat,
                code.to_string(),
                VERSION,
                checkpoint,
                part
            ])?;
            checkpoint.len() as u64
        }
        Change::Stands(standing) => {
            group
                .prepare_cached("UPDATE heats SET standing = ?2 WHERE id = ?1")?
                .execute(params![heat, standing])?;
            standing.len() as u64
        }
        Change::Sweep => {
            group.prepare_cached("DELETE FROM heats WHERE id < ?1")?.execute([heat])?;
            0
        }
        Change::Entries(bytes) => {
            journal_row::append(entries, heat, bytes);
            bytes.len() as u64
        }
        Change::Checkpoint(checkpoint) => {
            let sql = "UPDATE heats SET version = ?2, checkpoint = ?3, since = ?4 WHERE id = ?1";
            group.prepare_cached(sql)?.execute(params![heat, VERSION, checkpoint, part])?;
            checkpoint.len() as u64
        }
        Change::Lasting(lasting) => lasting.write(heat, group)?,
        Change::Close => {
            group.prepare_cached("DELETE FROM heats WHERE id = ?1")?.execute([heat])?;
            0
        }
    })
}
