//! What a server finds that was ended in the midst of its heats.

use crate::platform::environment::Environment;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::store::error::StoreError;
use crate::store::journal_row;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::util::time::{Millis, ServerInstant};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tracing::{error, warn};

/// A heat as its journal leaves it.
pub(crate) struct Recovered {
    /// Its number in the store.
    pub(super) id: i64,
    /// The code by which it is joined.
    pub(crate) code: RoomCode,
    /// What the server's command line said of it, where that opened it.
    pub(crate) standing: Option<String>,
    /// What it has come to.
    pub(crate) persisted: PersistedRoom,
    /// Its first row in the journal.
    pub(super) since: i64,
}

/// What was found.
pub(super) struct Found {
    pub(super) heats: Vec<Recovered>,
    /// The server's clock when it was last heard of.
    pub(super) clock: ServerInstant,
    /// How long ago that is.
    pub(super) away: Millis,
    /// The journal's rows, with their lengths.
    pub(super) parts: Vec<(i64, u64)>,
    /// The first number that no heat had.
    pub(super) next_heat: i64,
}

/// A heat's rows, before they are understood.
struct Saved {
    id: i64,
    code: String,
    version: u16,
    standing: Option<String>,
    checkpoint: Vec<u8>,
    since: i64,
    entries: Vec<u8>,
}

/// Why a journal is set aside.
#[derive(Debug, thiserror::Error)]
enum Aside {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the race breaks on it")]
    Breaks,
    #[error("{0:?} is no code of a heat")]
    Code(String),
    #[error("another heat has its code")]
    Twice,
}

/// Reads every journal. One that can't be read is set aside, and the others go on.
pub(super) fn recover(
    database: &mut Connection,
    environment: &Environment,
) -> Result<Found, StoreError> {
    let wall = environment.calendar();
    let (clock, away) = clocks(database, wall)?;
    let mut heats = BTreeMap::new();
    for saved in saved(database)? {
        match restore(&saved) {
            Ok(heat) if heats.contains_key(&heat.code) => {
                aside(database, wall, &saved, &Aside::Twice)?
            }
            Ok(heat) => drop(heats.insert(heat.code, heat)),
            Err(why) => aside(database, wall, &saved, &why)?,
        }
    }
    let parts = parts(database)?;
    let next_heat = database.query_row(
        "SELECT 1 + max((SELECT coalesce(max(id), 0) FROM heats),
                        (SELECT coalesce(max(id), 0) FROM aside),
                        (SELECT coalesce(max(heat), 0) FROM finished))",
        (),
        |row| row.get(0),
    )?;
    Ok(Found { heats: heats.into_values().collect(), clock, away, parts, next_heat })
}

/// Returns the journal's rows, with their lengths.
pub(super) fn parts(database: &Connection) -> Result<Vec<(i64, u64)>, StoreError> {
    let parts = database
        .prepare("SELECT part, length(entries) FROM journal ORDER BY part")?
        .query_map((), |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?
        .collect::<Result<_, _>>()?;
    Ok(parts)
}

/// Returns the heats, each with the first row of the journal that it needs.
pub(super) fn needed(database: &Connection) -> Result<Vec<(i64, i64)>, StoreError> {
    let needed = database
        .prepare("SELECT id, since FROM heats")?
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    Ok(needed)
}

/// Returns where the server's clock stood, and how long it has stood still by the wall's. A
/// wall clock that was set back counts as none.
fn clocks(database: &Connection, now: Millis) -> Result<(ServerInstant, Millis), StoreError> {
    let row = database
        .query_row("SELECT clock, wall FROM server", (), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let (clock, wall) = row.unwrap_or((0, i64::MAX));
    let away = now.0.saturating_sub(wall.unsigned_abs());
    Ok((ServerInstant(clock.unsigned_abs()), Millis(away)))
}

fn saved(database: &Connection) -> Result<Vec<Saved>, StoreError> {
    let mut heats = database
        .prepare("SELECT id, code, version, standing, checkpoint, since FROM heats ORDER BY id")?
        .query_map((), |row| {
            let id: i64 = row.get(0)?;
            let saved = Saved {
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
        let broken = || StoreError::Corrupt(format!("row {number} of the journal breaks off"));
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

fn restore(saved: &Saved) -> Result<Recovered, Aside> {
    let code = saved.code.parse().map_err(|_| Aside::Code(saved.code.clone()))?;
    // The effects are done, or forgotten with the clients that waited for them.
    let recover = || journal::recover(saved.version, &saved.checkpoint, &saved.entries);
    let persisted = catch_unwind(AssertUnwindSafe(recover)).map_err(|_| Aside::Breaks)??;
    Ok(Recovered {
        id: saved.id,
        code,
        standing: saved.standing.clone(),
        persisted,
        since: saved.since,
    })
}

fn aside(
    database: &mut Connection,
    wall: Millis,
    saved: &Saved,
    why: &Aside,
) -> Result<(), StoreError> {
    let into = database.path().map(ToOwned::to_owned);
    let into = into.as_deref().unwrap_or_default();
    match why {
        Aside::Journal(JournalError::Version(_)) => {
            warn!(heat = %saved.code, %why, into, "a heat is set aside in the table aside");
        }
        Aside::Journal(_) | Aside::Breaks | Aside::Code(_) | Aside::Twice => {
            error!(heat = ?saved.code, %why, into, "a heat is set aside in the table aside");
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
