//! The layout of the database, and migrations from older layouts.
//!
//! - `server`: one row, the server's clock and the calendar at the last commit.
//! - `heats`: the open rooms, each with its latest checkpoint; `heats.since` is the number of the
//!   first record of the journal log that may hold entries after it.
//! - `log`: one row, the random number of this database's journal log, and the number of a record
//!   that was on the disk at the last commit.
//! - `aside`: journals that could not be read, complete, with the reason.
//! - `finished`, `results`: finished heats; `finished.heat` is the number that the room has in
//!   `heats`, or had last; none is used again.

use crate::store::error::StoreError;
use crate::store::journal_log::{Durability, JournalLog, LogEnd};
use crate::store::journal_record::LogId;
use crate::store::journal_row;
use gridrace_shared::util::time::{ServerInstant, UnixMillis};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The application id of this program's databases: `GRID` in ASCII.
const APPLICATION: i32 = 0x4752_4944;
/// How long a statement waits for another program's lock on the database: as long as a query by
/// hand may take.
const BUSY_TIMEOUT: Duration = if cfg!(test) {
    Duration::from_millis(20) // tests retry
} else {
    Duration::from_secs(2)
};
/// The largest database, in bytes, that is checked completely at each start: a second's reading. A
/// larger one is checked only if it wasn't closed.
const MAX_ALWAYS_CHECKED: u64 = 256 * 1024 * 1024;

/// The migrations: the version of a layout is the number of migrations that led to it.
pub(super) const MIGRATIONS: [&str; 7] = [
    "
    CREATE TABLE server (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        clock INTEGER NOT NULL,
        wall INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE heats (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        version INTEGER NOT NULL,
        standing TEXT,
        checkpoint BLOB NOT NULL,
        since INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE journal (
        part INTEGER PRIMARY KEY,
        entries BLOB NOT NULL
    ) STRICT;
    CREATE TABLE aside (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        version INTEGER NOT NULL,
        wall INTEGER NOT NULL,
        why TEXT NOT NULL,
        checkpoint BLOB NOT NULL,
        entries BLOB NOT NULL
    ) STRICT;
    CREATE TABLE finished (
        id TEXT PRIMARY KEY,
        code TEXT NOT NULL,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        puzzle TEXT NOT NULL,
        options TEXT NOT NULL,
        result TEXT NOT NULL,
        replay BLOB
    ) STRICT;
    CREATE INDEX finished_by_end ON finished (ended);
    ",
    "
    CREATE TABLE results (
        finished TEXT NOT NULL REFERENCES finished (id) ON DELETE CASCADE,
        player INTEGER NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        fingerprint TEXT,
        place INTEGER NOT NULL,
        time INTEGER,
        moves INTEGER NOT NULL,
        hints INTEGER NOT NULL,
        penalty INTEGER NOT NULL,
        PRIMARY KEY (finished, player)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX results_by_fingerprint ON results (fingerprint) WHERE fingerprint IS NOT NULL;
",
    // Finds the latest results of a player without reading all of them.
    "
    ALTER TABLE results ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
    UPDATE results SET ended = (SELECT ended FROM finished WHERE id = results.finished);
    DROP INDEX results_by_fingerprint;
    CREATE INDEX results_by_fingerprint ON results (fingerprint, ended DESC)
        WHERE fingerprint IS NOT NULL;
",
    // Finds the heat of a late rating.
    "
    ALTER TABLE finished ADD COLUMN heat INTEGER;
    CREATE INDEX finished_by_heat ON finished (heat, number) WHERE heat IS NOT NULL;
",
    // The entries are in separate files; [`LOG_LAYOUT`] moves them there.
    "
    CREATE TABLE log (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        id INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT;
    INSERT INTO log (one, id, last) VALUES (1, random(), 0);
    DROP TABLE journal;
",
    // Tournaments: `saved` and `line` are JSON, `place` is the number of the table.
    "
    CREATE TABLE tournaments (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        opened INTEGER NOT NULL,
        ended INTEGER,
        saved TEXT NOT NULL
    ) STRICT;
    CREATE INDEX tournaments_by_name ON tournaments (name);
    CREATE TABLE tournament_lines (
        tournament INTEGER NOT NULL REFERENCES tournaments ON DELETE CASCADE,
        number INTEGER NOT NULL,
        line TEXT NOT NULL,
        PRIMARY KEY (tournament, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tournament_results (
        tournament INTEGER NOT NULL REFERENCES tournaments ON DELETE CASCADE,
        stage INTEGER NOT NULL,
        round INTEGER NOT NULL,
        place INTEGER NOT NULL,
        board INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        result TEXT NOT NULL,
        finished TEXT NOT NULL,
        PRIMARY KEY (tournament, stage, round, place, board, attempt)
    ) STRICT, WITHOUT ROWID;
",
    // Lists past tournaments: `outcome` is JSON, null if this layout's server didn't close it.
    "
    ALTER TABLE tournaments ADD COLUMN outcome TEXT;
    CREATE INDEX past_tournaments ON tournaments (ended, id)
        WHERE ended IS NOT NULL AND saved ->> '$.pin' IS NULL
            AND NOT saved ->> '$.settings.options.private';
",
];

/// The layout from which on the entries are in the journal log. Before it they were in the table
/// `journal`, a row for each group.
pub(super) const LOG_LAYOUT: i32 = 5;

/// Opens a database, and migrates it to the present layout. An empty file becomes a database.
pub(super) fn open(path: &Path, was_closed: bool) -> Result<Connection, StoreError> {
    let length = std::fs::metadata(path).map_err(|error| StoreError::of_file(path, error))?.len();
    let mut database = Connection::open(path)?;
    database.busy_timeout(BUSY_TIMEOUT)?;
    // Until it is identified and checked, its log is left as it is.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let layout = identify(&database)?;
    if layout > 0 && (!was_closed || length <= MAX_ALWAYS_CHECKED) {
        check(&database)?;
    }
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // Readers, such as a backup, don't block the writer; a commit writes one file.
    database.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // A commit survives a power cut.
    database.pragma_update(None, "synchronous", "full")?;
    database.pragma_update(None, "foreign_keys", true)?;
    migrate(&mut database, layout, path.parent().unwrap_or(path))?;
    Ok(database)
}

/// Returns the version of a database's layout, 0 for an empty database.
pub(super) fn identify(database: &Connection) -> Result<usize, StoreError> {
    let number = |name| database.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let application = number("application_id")?;
    let tables: u32 =
        database.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    if application != APPLICATION {
        return if application == 0 && tables == 0 { Ok(0) } else { Err(StoreError::Foreign) };
    }
    let found = u32::try_from(number("user_version")?).unwrap_or(0);
    match usize::try_from(found) {
        Ok(layout) if layout <= MIGRATIONS.len() => Ok(layout),
        Ok(_) | Err(_) => Err(StoreError::Newer { found, known: MIGRATIONS.len() as u32 }),
    }
}

pub(super) fn check(database: &Connection) -> Result<(), StoreError> {
    let said: String = database.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    match said.as_str() {
        "ok" => Ok(()),
        // The last line has the first error; those before say where it was looked for.
        _ => Err(StoreError::Corrupt(said.lines().last().unwrap_or_default().to_owned())),
    }
}

fn migrate(database: &mut Connection, layout: usize, folder: &Path) -> Result<(), StoreError> {
    for (step, sql) in (1i32..).zip(MIGRATIONS).skip(layout) {
        let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let moved = if step == LOG_LAYOUT { move_journal(&change, folder)? } else { None };
        change.execute_batch(sql)?;
        if let Some(LogEnd { id, last, .. }) = moved {
            change.execute("UPDATE log SET id = ?1, last = ?2", (id.0 as i64, last))?;
        }
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", step)?;
        change.commit()?;
    }
    Ok(())
}

/// Writes the rows of the table `journal` into a journal log, which belongs to the database once
/// the migration is committed.
fn move_journal(change: &Transaction<'_>, folder: &Path) -> Result<Option<LogEnd>, StoreError> {
    let rows = change
        .prepare("SELECT part, entries FROM journal ORDER BY part")?
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, Vec<u8>)>, _>>()?;
    let Some(&(first, _)) = rows.first() else {
        return Ok(None);
    };
    let id = change.query_row("SELECT random()", (), |row| row.get::<_, i64>(0))?;
    let none = LogEnd { id: LogId(id as u64), last: 0, segments: Vec::new() };
    let mut log = JournalLog::begin(folder, Durability::Crash, none, first, first)?;
    let mut latest = BTreeMap::new();
    for (number, old) in &rows {
        let truncated = || StoreError::Corrupt(format!("row {number} of the journal is truncated"));
        let mut row = Vec::new();
        for (room, entries) in journal_row::read(old).ok_or_else(truncated)? {
            let before = latest.insert(room, *number).unwrap_or(0);
            journal_row::append(&mut row, room, &journal_row::chain(before, entries));
        }
        // The clocks are in the table `server`.
        let clocks = (ServerInstant(0), UnixMillis(0));
        let is_last = rows.last().is_some_and(|(last, _)| last == number);
        log.append(*number, clocks, &row, first, is_last)?;
    }
    log.end(LogId(id as u64)).map(Some)
}
