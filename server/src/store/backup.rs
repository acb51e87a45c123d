//! Backups: a folder with a copy of the database and of the keys, made while a server uses them or not.

use crate::store::archive::Archive;
use crate::store::data_dir;
use crate::store::error::StoreError;
use crate::store::key_file;
use crate::store::schema;
use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, ValueRef};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The extension of a backup that isn't complete.
const UNFINISHED: &str = "unfinished";

/// What a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseContent {
    pub heats: u64,
    pub tournaments: u64,
    pub bytes: u64,
}

/// No backup was made; the data is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{} is there, and isn't an empty folder: name a new one", .0.display())]
    Exists(PathBuf),
    #[error(
        "{} is there: another backup is being written, or one was killed; remove it if none is",
        .0.display()
    )]
    Unfinished(PathBuf),
}

/// Copies the database and the keys of a data folder into a new folder that only its owner can read. A
/// server may use the folder; its commits do not wait. The copy shows one instant, without open journals.
pub fn backup(folder: &Path, to: &Path) -> Result<DatabaseContent, BackupError> {
    let to = &std::path::absolute(to).map_err(|error| StoreError::of_file(to, error))?;
    let is_free = match fs::read_dir(to) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if !is_free {
        return Err(BackupError::Exists(to.clone()));
    }
    let source = open_source(folder)?;
    let unfinished = to.with_added_extension(UNFINISHED);
    if unfinished.exists() {
        return Err(BackupError::Unfinished(unfinished));
    }
    data_dir::create_folder(&unfinished)?;
    let written = write(&source, folder, &unfinished).and_then(|content| {
        fs::rename(&unfinished, to).map_err(|error| StoreError::of_file(to, error))?;
        data_dir::sync(to.parent().unwrap_or(to))?;
        Ok(content)
    });
    if written.is_err() {
        fs::remove_dir_all(&unfinished).ok(); // the first error says more
    }
    Ok(written?)
}

fn write(
    source: &Connection,
    folder: &Path,
    unfinished: &Path,
) -> Result<DatabaseContent, StoreError> {
    let content = copy_database(source, &data_dir::database_path(unfinished))?;
    key_file::copy_missing(folder, unfinished)?;
    data_dir::sync(unfinished)?;
    Ok(content)
}

/// Opens the database in a folder for [`copy_database`], if this version can read it.
pub(super) fn open_source(folder: &Path) -> Result<Connection, StoreError> {
    let source = Archive::existing(folder)?.open()?;
    let checked = match schema::identify(&source) {
        Ok(0) => Err(StoreError::Corrupt("it is empty".to_owned())),
        Ok(_) => schema::check(&source),
        Err(error) => Err(error),
    };
    checked.map_err(|error| error.of_database(&data_dir::database_path(folder)))?;
    Ok(source)
}

/// Copies a database, and what the log beside it adds, into a new file that is on the disk then. The path
/// is absolute: SQLite takes some relative ones for addresses.
pub(super) fn copy_database(source: &Connection, to: &Path) -> Result<DatabaseContent, StoreError> {
    let copied = || -> Result<_, StoreError> {
        // SQLite would create a file that everyone can read.
        let file = data_dir::create_file(to).map_err(|error| StoreError::of_file(to, error))?;
        // It forbids writing to other databases, too.
        source.pragma_update(None, "query_only", false)?;
        let path = ToSqlOutput::Borrowed(ValueRef::Text(to.as_os_str().as_bytes()));
        source.execute("VACUUM INTO ?1", [path])?;
        file.sync_all().map_err(|error| StoreError::of_file(to, error))?;
        let copy = Connection::open(to)?;
        let count = |table| {
            let sql = format!("SELECT count(*) FROM {table}");
            copy.query_row(&sql, (), |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
        };
        // An older layout has no tournaments.
        let has_tournaments = copy.table_exists(None, "tournaments")?;
        Ok(DatabaseContent {
            heats: count("finished")?,
            tournaments: if has_tournaments { count("tournaments")? } else { 0 },
            bytes: file.metadata().map_err(|error| StoreError::of_file(to, error))?.len(),
        })
    };
    copied().map_err(|error| error.of_database(to))
}
