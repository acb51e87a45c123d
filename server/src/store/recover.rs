//! Recovery of the rooms of the last server.

use crate::platform::environment::Environment;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::store::error::StoreError;
use crate::store::journal_row;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::util::time::{Millis, ServerInstant, UnixMillis};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::{error, warn};

/// A room as its journal leaves it.
pub(crate) struct RecoveredRoom {
    pub(super) id: i64,
    pub(crate) code: RoomCode,
    pub(crate) standing: Option<String>,
    pub(crate) persisted: PersistedRoom,
    /// The first row of the journal that it needs.
    pub(super) since: i64,
}

pub(crate) struct Recovery {
    pub(super) rooms: Vec<RecoveredRoom>,
    /// The last reading of the server's clock, from which it continues.
    pub(crate) clock: ServerInstant,
    /// The time since then, by the calendar.
    pub(crate) away: Millis,
    /// The rows of the journal, with their lengths in bytes.
    pub(super) rows: Vec<(i64, u64)>,
    /// The first number that no room has had.
    pub(super) next_journal: i64,
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
}

/// Why a journal is set aside in the table `aside`.
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

/// Reads all journals. Those that can't be read are set aside, and the others recovered.
pub(super) fn recover(
    database: &mut Connection,
    environment: &Environment,
) -> Result<Recovery, StoreError> {
    let wall = environment.calendar();
    let (clock, away) = clocks(database, wall)?;
    let mut rooms = BTreeMap::new();
    for saved in saved(database)? {
        match restore(&saved) {
            Ok(room) if rooms.contains_key(&room.code) => {
                aside(database, wall, &saved, &UnreadableJournal::DuplicateCode)?;
            }
            Ok(room) => drop(rooms.insert(room.code, room)),
            Err(why) => aside(database, wall, &saved, &why)?,
        }
    }
    let rows = rows(database)?;
    let next_journal = database.query_row(
        "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM heats),
                        (SELECT coalesce(max(id), 0) FROM aside),
                        (SELECT coalesce(max(heat), 0) FROM finished))",
        (),
        |row| row.get(0),
    )?;
    Ok(Recovery { rooms: rooms.into_values().collect(), clock, away, rows, next_journal })
}

/// Returns the rows of the journal, with their lengths in bytes.
pub(super) fn rows(database: &Connection) -> Result<Vec<(i64, u64)>, StoreError> {
    let rows = database
        .prepare("SELECT part, length(entries) FROM journal ORDER BY part")?
        .query_map((), |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Returns the number of each room with the first row of the journal that it needs.
pub(super) fn needed(database: &Connection) -> Result<Vec<(i64, i64)>, StoreError> {
    let needed = database
        .prepare("SELECT id, since FROM heats")?
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    Ok(needed)
}

/// Returns the last reading of the server's clock, and the time since then by the calendar: zero
/// if the calendar was set back.
fn clocks(database: &Connection, now: UnixMillis) -> Result<(ServerInstant, Millis), StoreError> {
    let row = database
        .query_row("SELECT clock, wall FROM server", (), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let (clock, wall) = row.unwrap_or((0, i64::MAX));
    let away = now.since(UnixMillis(wall.unsigned_abs()));
    Ok((ServerInstant(clock.unsigned_abs()), away))
}

fn saved(database: &Connection) -> Result<Vec<SavedRoom>, StoreError> {
    let mut heats = database
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
            };
            Ok((id, saved))
        })?
        .collect::<Result<BTreeMap<_, _>, _>>()?;
    let since = heats.values().map(|heat| heat.since).min().unwrap_or(0);
    let mut journal =
        database.prepare("SELECT part, entries FROM journal WHERE part >= ?1 ORDER BY part")?;
    let mut rows = journal.query([since])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let entries: Vec<u8> = row.get(1)?;
        let broken = || StoreError::Corrupt(format!("row {number} of the journal is truncated"));
        for (heat, entries) in journal_row::read(&entries).ok_or_else(broken)? {
            if let Some(saved) = heats.get_mut(&heat)
                && saved.since <= number
            {
                saved.entries.extend(entries);
            }
        }
    }
    Ok(heats.into_values().collect())
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
        since: saved.since,
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
            warn!(room = %saved.code, %why, into, "journal set aside in the table aside");
        }
        UnreadableJournal::Journal(_)
        | UnreadableJournal::Panics
        | UnreadableJournal::Code(_)
        | UnreadableJournal::DuplicateCode => {
            error!(room = ?saved.code, %why, into, "journal set aside in the table aside");
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
