//! The folder of a store: nobody else's to read, and one server's at a time.

use super::archive::Archive;
use crate::store::error::StoreError;
use etcetera::BaseStrategy;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The variable that names the folder; empty, it says to keep nothing.
pub const DATA_VARIABLE: &str = "GRIDRACE_DATA_DIR";

/// The folder is its owner's alone: it holds the secrets of running heats.
const FOLDER_MODE: u32 = 0o700;
/// So are its files.
const FILE_MODE: u32 = 0o600;
/// The database's name in the folder.
pub(super) const DATABASE: &str = "gridrace.db";
/// What SQLite keeps beside a database.
const COMPANIONS: [&str; 2] = ["gridrace.db-wal", "gridrace.db-shm"];
/// Whoever has this file locked has the folder.
const LOCK: &str = "lock";

/// Where heats are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Data {
    /// Nowhere: they end with the server.
    #[default]
    Ephemeral,
    /// In this folder, which is made where it isn't there.
    At(PathBuf),
}

impl Data {
    /// Chooses the folder: the one given, else [`DATA_VARIABLE`]'s, else `gridrace` where
    /// your programs' data belong (`$XDG_DATA_HOME`, or `~/.local/share`).
    ///
    /// # Errors
    /// [`StoreError::Unknown`].
    pub fn choose(given: Option<&Path>) -> Result<Self, StoreError> {
        let named = std::env::var_os(DATA_VARIABLE).map(PathBuf::from);
        match given.map(Path::to_owned).or(named) {
            Some(none) if none.as_os_str().is_empty() => Ok(Self::Ephemeral),
            Some(folder) => Ok(Self::At(folder)),
            None => etcetera::choose_base_strategy()
                .map(|base| Self::At(base.data_dir().join("gridrace")))
                .map_err(|_| StoreError::Unknown),
        }
    }
}

/// The right to a folder. The system takes it back from whoever is gone.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder where it isn't there, and takes it.
    pub(super) fn take(path: &Path) -> Result<Self, StoreError> {
        create(path).map_err(|error| StoreError::of_file(path, error))?;
        let lock = path.join(LOCK);
        let file = create_file(&lock).map_err(|error| StoreError::of_file(&lock, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
            // Two servers on one database would break each other's journals.
            Err(TryLockError::Error(error)) => return Err(StoreError::of_file(&lock, error)),
        }
        Ok(Self { path: path.to_owned(), _lock: file })
    }

    /// Returns what reads the database beside its writer.
    pub(super) fn archive(&self) -> Archive {
        Archive::at(&self.path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns where a folder's database is, which is an empty file if it wasn't there; and
/// whether who had it last closed it.
pub(super) fn database(folder: &Path) -> Result<(PathBuf, bool), StoreError> {
    let path = folder.join(DATABASE);
    // SQLite would make it for everybody to read, and its companions like it.
    create_file(&path).map_err(|error| StoreError::of_file(&path, error))?;
    let mut closed = true;
    for name in COMPANIONS {
        let companion = folder.join(name);
        let left = companion.exists();
        closed &= !left;
        if left {
            narrow(&companion).map_err(|error| StoreError::of_file(&companion, error))?;
        }
    }
    Ok((path, closed))
}

/// Says whether somebody has a database open, or had it and didn't close it.
pub(super) fn has_companions(database: &Path) -> bool {
    let beside = |name| database.with_file_name(name).exists();
    COMPANIONS.into_iter().any(beside)
}

fn create(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
        }
        Err(error) => Err(error),
    }
}

/// Opens a file for writing, and makes it where it isn't there; a pipe or a folder is none.
fn create_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => return Err(ErrorKind::InvalidInput.into()),
        Ok(_) | Err(_) => {}
    }
    let mut options = File::options();
    let file =
        options.create(true).truncate(false).read(true).write(true).mode(FILE_MODE).open(path)?;
    narrow(path)?;
    Ok(file)
}

/// Takes away what others might do with a file.
fn narrow(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(FILE_MODE))
}
