//! Deletes finished heats and tournaments of long ago, and gives their space back to the disk.

use crate::platform::environment::Environment;
use crate::store::archive::Archive;
use crate::store::data_dir::{self, DataDir};
use crate::store::error::StoreError;
use crate::store::schema::{self, MIGRATIONS};
use crate::store::wal_check;
use gridrace_shared::util::time::UnixMillis;
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::{Path, PathBuf};

const DAY: u64 = 24 * 60 * 60 * 1_000;
/// The tournaments that end before `?1`, none if that is NULL.
const TOURNAMENTS: &str = "FROM tournaments WHERE ended < ?1";
/// The heats that ended before `?1`, except those of tournaments that don't end before `?2`.
const HEATS: &str = "FROM finished WHERE ended < ?1 AND id NOT IN (
    SELECT finished FROM tournament_results
    WHERE tournament NOT IN (SELECT id FROM tournaments WHERE ended < ?2))";

/// What is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneRange {
    /// Heats and tournaments that ended before it.
    pub before: UnixMillis,
    /// Whether whole tournaments are deleted.
    pub tournaments: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    pub heats: u64,
    pub tournaments: u64,
    /// How much smaller the database is.
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "SQLite's log beside {} is damaged: start a server on it once, which logs what may be lost",
        .0.display()
    )]
    DamagedLog(PathBuf),
    #[error("{} has an older layout: start a server of this version on it once", .0.display())]
    OlderLayout(PathBuf),
    #[error(
        "{} heats and {} tournaments are deleted, but the file is as large as before: {error}; new heats use its free space, and the next prune shrinks it once the disk has space for a copy",
        deleted.heats,
        deleted.tournaments
    )]
    NotShrunk { deleted: Pruned, error: StoreError },
}

impl PruneRange {
    /// Returns the range of what ended more than this many days ago.
    pub fn older_than(days: u32, tournaments: bool, environment: &Environment) -> Self {
        let before = environment.calendar().0.saturating_sub(u64::from(days) * DAY);
        Self { before: UnixMillis(before), tournaments }
    }

    fn heats_before(self) -> i64 {
        self.before.0 as i64
    }

    fn tournaments_before(self) -> Option<i64> {
        self.tournaments.then(|| self.heats_before())
    }
}

/// Deletes heats and tournaments in the data folder of a server that doesn't run.
pub fn prune(folder: &Path, range: PruneRange) -> Result<Pruned, PruneError> {
    Archive::existing(folder)?;
    let data_dir = DataDir::lock(folder)?;
    let path = data_dir::database_path(data_dir.path());
    let was_closed = data_dir::prepare_database(&path)?;
    if wal_check::check(&path)? {
        return Err(PruneError::DamagedLog(path));
    }
    let of_database = |error: StoreError| error.of_database(&path);
    let mut database = schema::open(&path, was_closed).map_err(of_database)?;
    let before = size(&database).map_err(of_database)?;
    let deleted = delete(&mut database, range).map_err(of_database)?;
    let shrunk = || -> Result<u64, StoreError> {
        database.execute_batch("VACUUM")?;
        Ok(before.saturating_sub(size(&database)?))
    };
    match shrunk() {
        Ok(bytes) => Ok(Pruned { bytes, ..deleted }),
        Err(error) => Err(PruneError::NotShrunk { deleted, error: error.of_database(&path) }),
    }
}

/// Counts what [`prune`] would delete, and its bytes, roughly. A server may use the folder.
pub fn preview_prune(folder: &Path, range: PruneRange) -> Result<Pruned, PruneError> {
    let path = data_dir::database_path(folder);
    let database = Archive::existing(folder)?.open()?;
    let of_database = |error: StoreError| error.of_database(&path);
    if schema::identify(&database).map_err(of_database)? != MIGRATIONS.len() {
        return Err(PruneError::OlderLayout(path));
    }
    schema::check(&database).map_err(of_database)?;
    count(&database, range).map_err(|error| of_database(error.into()).into())
}

fn count(database: &Connection, range: PruneRange) -> rusqlite::Result<Pruned> {
    let number = |sql: String, params: &[Option<i64>]| {
        let params = rusqlite::params_from_iter(params);
        database.query_row(&sql, params, |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
    };
    let (heats, tournaments) = (Some(range.heats_before()), range.tournaments_before());
    let bytes = "coalesce(sum(octet_length(options) + octet_length(result)
        + coalesce(octet_length(replay), 0)), 0)";
    Ok(Pruned {
        heats: number(format!("SELECT count(*) {HEATS}"), &[heats, tournaments])?,
        tournaments: number(format!("SELECT count(*) {TOURNAMENTS}"), &[tournaments])?,
        bytes: number(format!("SELECT {bytes} {HEATS}"), &[heats, tournaments])?,
    })
}

fn delete(database: &mut Connection, range: PruneRange) -> Result<Pruned, StoreError> {
    let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (heats, tournaments) = (range.heats_before(), range.tournaments_before());
    // The heats first: which of them the tournaments need is found from these.
    let heats = change.execute(&format!("DELETE {HEATS}"), params![heats, tournaments])?;
    let tournaments = change.execute(&format!("DELETE {TOURNAMENTS}"), [tournaments])?;
    change.commit()?;
    Ok(Pruned { heats: heats as u64, tournaments: tournaments as u64, bytes: 0 })
}

/// Returns the bytes of a database, without the log beside it.
fn size(database: &Connection) -> Result<u64, StoreError> {
    let number = |name| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((number("page_count")? * number("page_size")?).unsigned_abs())
}
