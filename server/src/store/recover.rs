//! Recovery of the rooms of the last server.

use crate::platform::environment::Environment;
use crate::race::Event;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::store::error::StoreError;
use crate::store::journal_log::{self, LogEnd, Missing};
use crate::store::journal_record::LogId;
use crate::store::journal_row;
use crate::store::tournaments::{self, RecoveredTournament};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant, UnixMillis};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tracing::{error, warn};

/// A room as its journal leaves it.
pub(crate) struct RecoveredRoom {
    pub(super) id: i64,
    pub(crate) code: RoomCode,
    pub(crate) standing: Option<String>,
    pub(crate) persisted: PersistedRoom,
    /// Whether entries after these may have been acknowledged, and are damaged or gone.
    pub(crate) is_damaged: bool,
    pub(super) records: Option<RoomRecords>,
}

/// The records of the log with entries of a room after its checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoomRecords {
    pub(super) first: i64,
    pub(super) last: i64,
}

pub(crate) struct Recovery {
    pub(super) rooms: Vec<RecoveredRoom>,
    /// The last reading of the server's clock, from which it continues.
    pub(crate) clock: ServerInstant,
    /// The time since then, by the calendar.
    pub(crate) away: Millis,
    pub(super) log: LogEnd,
    /// The number of the next record.
    pub(super) next_record: i64,
    /// The first number that no room has had.
    pub(super) next_journal: i64,
    pub(crate) tournaments: Vec<RecoveredTournament>,
    /// The first number that no tournament has had.
    pub(crate) next_tournament: i64,
}

/// A room's rows, not decoded yet.
struct SavedRoom {
    id: i64,
    code: String,
    version: u16,
    standing: Option<String>,
    checkpoint: Vec<u8>,
    since: i64,
    entries: Vec<u8>,
    records: Option<RoomRecords>,
    /// Whether the log holds entries that don't follow these.
    is_cut: bool,
}

/// The number of a log's first record.
const FIRST_RECORD: i64 = 1;

impl SavedRoom {
    /// Takes the entries of a record, if they follow the ones so far.
    fn take(&mut self, number: i64, before: i64, entries: &[u8]) {
        if number < self.since {
            return;
        }
        let expected = self.records.map(|records| records.last);
        if expected == (before >= self.since).then_some(before) {
            self.entries.extend(entries);
            let first = self.records.map_or(number, |records| records.first);
            self.records = Some(RoomRecords { first, last: number });
        } else {
            self.is_cut = true;
        }
    }

    /// Returns whether the room may have had entries in these records, which are missing.
    fn may_miss(&self, missing: &RangeInclusive<i64>) -> bool {
        let known = self.records.map_or(self.since - 1, |records| records.last);
        known < *missing.end()
    }
}

/// The reason to set a journal aside in the table `aside`.
#[derive(Debug, thiserror::Error)]
enum UnreadableJournal {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the race panics on it")]
    Panics,
    #[error("{0:?} is not a room code")]
    Code(String),
    #[error("another room has its code")]
    DuplicateCode,
}

/// Reads all journals. Those that can't be read are set aside, and the others recovered. If
/// transactions of the database are lost, any room may be older than its members know.
pub(super) fn recover(
    database: &mut Connection,
    folder: &Path,
    environment: &Environment,
    is_database_damaged: bool,
) -> Result<Recovery, StoreError> {
    let wall = environment.calendar();
    let id = log_id(database)?;
    let last_known = database.query_row("SELECT last FROM log", (), |row| row.get(0))?;
    let mut saved = saved(database)?;
    let scan = journal_log::scan(folder, id, |record| {
        for (room, chained) in journal_row::read(record.row).unwrap_or_default() {
            if let (Some(saved), Some((before, entries))) =
                (saved.get_mut(&room), journal_row::unchain(chained))
            {
                saved.take(record.number, before, entries);
            }
        }
    })?;
    let last = scan.last.map_or(0, |(number, ..)| number);
    let mut missing = scan.missing;
    if last < last_known {
        let segment = scan.segments.last().copied();
        missing.push(Missing { numbers: last + 1..=last_known, segment });
    }
    let next_record = saved.values().map(|room| room.since).chain([last + 1, last_known + 1]);
    let next_record = next_record.max().unwrap_or(FIRST_RECORD);
    let clocks = latest_clocks(database, scan.last)?;
    // A server that runs has a segment, so without one the database is a backup, or they were removed.
    let is_without_log = scan.segments.is_empty();
    let is_damaged = |saved: &SavedRoom| {
        is_database_damaged
            || saved.is_cut
            || is_without_log && saved.since > FIRST_RECORD
            || missing.iter().any(|missing| saved.may_miss(&missing.numbers))
    };
    let (damaged, mut rooms) = restore_rooms(database, wall, saved, is_damaged)?;
    if is_without_log && !is_database_damaged {
        report_backup(&damaged);
    } else {
        report_damage(folder, &missing, &damaged)?;
    }
    save_recovered(database, rooms.values_mut(), next_record)?;
    let (clock, then) = clocks.unwrap_or((ServerInstant(0), wall));
    let mut rooms: Vec<RecoveredRoom> = rooms.into_values().collect();
    // In the order in which they were opened: standing rooms that are alike are told apart by it.
    rooms.sort_by_key(|room| room.id);
    Ok(Recovery {
        rooms,
        clock,
        away: wall.since(then),
        log: LogEnd { id, last, segments: scan.segments },
        next_record,
        next_journal: next_journal(database)?,
        tournaments: tournaments::recover(database)?,
        next_tournament: tournaments::next_id(database)?,
    })
}

/// Restores the rooms, and sets aside what can't be read. Returns the codes of those that are damaged, too.
fn restore_rooms(
    database: &mut Connection,
    wall: UnixMillis,
    saved: BTreeMap<i64, SavedRoom>,
    is_damaged: impl Fn(&SavedRoom) -> bool,
) -> Result<(Vec<String>, BTreeMap<RoomCode, RecoveredRoom>), StoreError> {
    let mut damaged = Vec::new();
    let mut rooms = BTreeMap::new();
    for saved in saved.into_values() {
        let is_damaged = is_damaged(&saved);
        if is_damaged {
            damaged.push(saved.code.clone());
        }
        match restore(&saved) {
            Ok(room) if rooms.contains_key(&room.code) => {
                aside(database, wall, &saved, &UnreadableJournal::DuplicateCode)?;
            }
            Ok(room) => drop(rooms.insert(room.code, RecoveredRoom { is_damaged, ..room })),
            Err(why) => aside(database, wall, &saved, &why)?,
        }
    }
    Ok((damaged, rooms))
}

/// Returns the first number that no room has had.
fn next_journal(database: &Connection) -> Result<i64, StoreError> {
    let next = database.query_row(
        "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM heats),
                        (SELECT coalesce(max(id), 0) FROM aside),
                        (SELECT coalesce(max(heat), 0) FROM finished))",
        (),
        |row| row.get(0),
    )?;
    Ok(next)
}

/// Returns the number that the records of this database's log carry.
pub(super) fn log_id(database: &Connection) -> Result<LogId, StoreError> {
    let id = database.query_row("SELECT id FROM log", (), |row| row.get::<_, i64>(0))?;
    Ok(LogId(id as u64))
}

/// Says in the log which rooms had entries in a log of which there is nothing: a restored backup is the
/// database alone.
fn report_backup(rooms: &[String]) {
    if !rooms.is_empty() {
        let rooms = rooms.join(", ");
        warn!(
            rooms,
            "the database is a backup without its journal; these rooms continue from their last checkpoints"
        );
    }
}

/// Says in the log which records are missing and which rooms may need them. Damage that no room
/// needs was reported by the server before.
fn report_damage(folder: &Path, missing: &[Missing], rooms: &[String]) -> Result<(), StoreError> {
    if rooms.is_empty() {
        return Ok(());
    }
    let rooms = rooms.join(", ");
    if missing.is_empty() {
        error!(rooms, "these rooms may have lost their last moves");
    }
    for Missing { numbers, segment } in missing {
        let (first, last) = (numbers.start(), numbers.end());
        let copy = segment.map(|segment| journal_log::copy_aside(folder, segment)).transpose()?;
        let copy = copy.as_ref().map(|copy| tracing::field::display(copy.display()));
        error!(
            first,
            last,
            copy,
            rooms,
            "records of the journal are damaged; these rooms may have lost their last moves"
        );
    }
    Ok(())
}

/// Saves in one transaction that the rooms need no more of the log than was found, and the damage of
/// those that need more. The log's segments may be used again before the rooms write anything, and
/// then nothing shows what they held.
fn save_recovered<'a>(
    database: &mut Connection,
    rooms: impl Iterator<Item = &'a mut RecoveredRoom>,
    next_record: i64,
) -> Result<(), StoreError> {
    // Without a change it takes no lock.
    let change = database.transaction()?;
    for room in rooms {
        if room.is_damaged {
            // No effect leaves the server: no client is connected.
            drop(room.persisted.apply(HeatInstant(0), Event::JournalDamaged));
            // A room that can't be encoded goes on unrecorded.
            if let Ok(checkpoint) = journal::checkpoint(&room.persisted) {
                change.execute(
                    "UPDATE heats SET version = ?2, checkpoint = ?3, since = ?4 WHERE id = ?1",
                    params![room.id, journal::VERSION, checkpoint, next_record],
                )?;
                room.records = None;
            }
        } else if room.records.is_none() {
            change.execute(
                "UPDATE heats SET since = ?2 WHERE id = ?1",
                params![room.id, next_record],
            )?;
        }
    }
    change.commit()?;
    Ok(())
}

/// Returns the last reading of the server's clock, in the database or in the last record, and the
/// calendar's then.
fn latest_clocks(
    database: &Connection,
    last: Option<(i64, ServerInstant, UnixMillis)>,
) -> Result<Option<(ServerInstant, UnixMillis)>, StoreError> {
    let saved = database
        .query_row("SELECT clock, wall FROM server", (), |row| {
            let (clock, wall): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((ServerInstant(clock.unsigned_abs()), UnixMillis(wall.unsigned_abs())))
        })
        .optional()?;
    let logged = last.map(|(_, clock, wall)| (clock, wall));
    Ok(saved.into_iter().chain(logged).max_by_key(|(clock, _)| *clock))
}

/// Reads the checkpoints of the open rooms.
fn saved(database: &Connection) -> Result<BTreeMap<i64, SavedRoom>, StoreError> {
    let rooms = database
        .prepare("SELECT id, code, version, standing, checkpoint, since FROM heats ORDER BY id")?
        .query_map((), |row| {
            let id: i64 = row.get(0)?;
            let saved = SavedRoom {
                id,
                code: row.get(1)?,
                version: row.get(2)?,
                standing: row.get(3)?,
                checkpoint: row.get(4)?,
                since: row.get(5)?,
                entries: Vec::new(),
                records: None,
                is_cut: false,
            };
            Ok((id, saved))
        })?
        .collect::<Result<_, _>>()?;
    Ok(rooms)
}

fn restore(saved: &SavedRoom) -> Result<RecoveredRoom, UnreadableJournal> {
    let code = saved.code.parse().map_err(|_| UnreadableJournal::Code(saved.code.clone()))?;
    // The effects were executed before, or concern connections that are gone.
    let recover = || journal::recover(saved.version, &saved.checkpoint, &saved.entries);
    let persisted =
        catch_unwind(AssertUnwindSafe(recover)).map_err(|_| UnreadableJournal::Panics)??;
    Ok(RecoveredRoom {
        id: saved.id,
        code,
        standing: saved.standing.clone(),
        persisted,
        is_damaged: false,
        records: saved.records,
    })
}

fn aside(
    database: &mut Connection,
    wall: UnixMillis,
    saved: &SavedRoom,
    why: &UnreadableJournal,
) -> Result<(), StoreError> {
    let into = database.path().map(ToOwned::to_owned);
    let into = into.as_deref().unwrap_or_default();
    match why {
        UnreadableJournal::Journal(JournalError::Version(_)) => {
            warn!(room = %saved.code, %why, into, "journal moved to table `aside`");
        }
        UnreadableJournal::Journal(_)
        | UnreadableJournal::Panics
        | UnreadableJournal::Code(_)
        | UnreadableJournal::DuplicateCode => {
            error!(room = ?saved.code, %why, into, "journal moved to table `aside`");
        }
    }
    let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    change.execute(
        "INSERT INTO aside (id, code, version, wall, why, checkpoint, entries)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            saved.id,
            saved.code,
            saved.version,
            wall.0 as i64,
            why.to_string(),
            saved.checkpoint,
            saved.entries
        ],
    )?;
    change.execute("DELETE FROM heats WHERE id = ?1", [saved.id])?;
    change.commit()?;
    Ok(())
}
