//! Puts a backup in place of the data of a server that doesn't run.
//!
//! What it replaces is moved into the folder `replacing`, the database last. Then the copy of the
//! backup gets the database's name, and the folder is renamed to `replaced-1` or the next free number.
//! No server starts while `replacing` is there, so none begins with half of the data; the next restore
//! continues.

use crate::store::backup::{self, DatabaseContent};
use crate::store::data_dir::{self, DataDir};
use crate::store::error::StoreError;
use crate::store::{journal_log, key_file};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The copy of the backup until it gets the database's name.
const COPY: &str = "gridrace.db.new";
const REPLACED: &str = "replaced-";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub content: DatabaseContent,
    /// The folder with the data that was there before, if there was any.
    pub replaced: Option<PathBuf>,
    /// The names of the keys that the data folder has otherwise than the backup. They stay.
    pub other_keys: Vec<&'static str>,
}

#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("{0}; the data is as it was")]
    Unchanged(StoreError),
    #[error(
        "{error}; the restore stopped half-way, and some of the data is in {}: run it again once the cause is gone",
        replacing.display()
    )]
    Interrupted { replacing: PathBuf, error: StoreError },
}

// Not a source, as the text says it already.
impl From<StoreError> for RestoreError {
    fn from(error: StoreError) -> Self {
        Self::Unchanged(error)
    }
}

/// Restores the backup in a folder, and keeps what it replaces. Keys are copied if there are none.
pub fn restore(backup: &Path, folder: &Path) -> Result<Restored, RestoreError> {
    let source = backup::open_source(backup)?;
    let folder = std::path::absolute(folder).map_err(|error| StoreError::of_file(folder, error))?;
    let data_dir = DataDir::lock(&folder)?;
    let folder = data_dir.path();
    let replacing = data_dir::replacing_path(folder);
    // An earlier restore was killed before its last step.
    if data_dir::database_path(&replacing).exists() && data_dir::database_path(folder).exists() {
        finish(folder, &replacing).map_err(|error| interrupted(&replacing, error))?;
    }
    let copy = folder.join(COPY);
    remove(&copy)?;
    let restored = || -> Result<_, RestoreError> {
        let content = backup::copy_database(&source, &copy)?;
        let other_keys = key_file::copy_missing(backup, folder)?;
        let replaced = replace(folder, &copy)?;
        Ok(Restored { content, replaced, other_keys })
    };
    let restored = restored();
    if restored.is_err() {
        remove(&copy).ok(); // the first error says more
    }
    restored
}

/// Puts the copy in place of the data in a folder; returns where that is then, if there is any.
fn replace(folder: &Path, copy: &Path) -> Result<Option<PathBuf>, RestoreError> {
    let replacing = data_dir::replacing_path(folder);
    if data_files(folder)?.is_empty() && !replacing.exists() {
        put_in_place(folder, copy)?;
        return Ok(None);
    }
    let moved = move_data(folder, &replacing).and_then(|()| put_in_place(folder, copy));
    if let Err(error) = moved {
        return Err(match move_back(folder, &replacing) {
            Ok(()) => RestoreError::Unchanged(error),
            Err(_) => interrupted(&replacing, error),
        });
    }
    finish(folder, &replacing).map(Some).map_err(|error| interrupted(&replacing, error))
}

fn move_data(folder: &Path, replacing: &Path) -> Result<(), StoreError> {
    if !replacing.exists() {
        data_dir::create_folder(replacing)?;
        data_dir::sync(folder)?;
    }
    for path in data_files(folder)? {
        let to = replacing.join(path.file_name().unwrap_or_default());
        rename(&path, &to)?;
    }
    data_dir::sync(replacing)?;
    data_dir::sync(folder)
}

/// Moves the data back, the database first: while it is in `replacing`, a database in the folder is the
/// backup's.
fn move_back(folder: &Path, replacing: &Path) -> io::Result<()> {
    if !replacing.exists() {
        return Ok(());
    }
    let moved = fs::read_dir(replacing)?.map(|entry| entry.map(|entry| entry.file_name()));
    let mut moved: Vec<_> = moved.collect::<Result<_, _>>()?;
    // The names of the other files continue the database's, or come after it.
    moved.sort();
    for name in moved {
        fs::rename(replacing.join(&name), folder.join(&name))?;
    }
    fs::remove_dir(replacing)
}

fn put_in_place(folder: &Path, copy: &Path) -> Result<(), StoreError> {
    rename(copy, &data_dir::database_path(folder))?;
    data_dir::sync(folder)
}

/// Gives the folder with the replaced data its last name, which it returns.
fn finish(folder: &Path, replacing: &Path) -> Result<PathBuf, StoreError> {
    let mut paths = (1u32..).map(|number| folder.join(format!("{REPLACED}{number}")));
    let replaced = paths.find(|path| !path.exists()).unwrap_or_default();
    rename(replacing, &replaced)?;
    data_dir::sync(folder)?;
    Ok(replaced)
}

/// Returns the files of the journal and of the database that are in a folder, the database last.
fn data_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let database = data_dir::database_path(folder);
    let mut files = journal_log::segment_paths(folder)?;
    files.extend([data_dir::wal_path(&database), data_dir::index_path(&database), database]);
    files.retain(|path| path.exists());
    Ok(files)
}

fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|error| StoreError::of_file(to, error))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::of_file(path, error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn interrupted(replacing: &Path, error: StoreError) -> RestoreError {
    RestoreError::Interrupted { replacing: replacing.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_restore_that_fails_leaves_the_data_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in ["gridrace.db", "gridrace.db-wal", "journal-0000000000000001", "lock"] {
            fs::write(folder.join(name), name).unwrap();
        }
        let files = || -> BTreeMap<_, _> {
            let paths = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
            paths.map(|path| (path.clone(), fs::read(path).ok())).collect()
        };
        let before = files();
        // All files are moved before it turns out that there is no copy.
        let error = replace(folder, &folder.join(COPY)).unwrap_err();
        assert!(matches!(error, RestoreError::Unchanged(_)), "{error}");
        assert_eq!(files(), before);
    }
}
