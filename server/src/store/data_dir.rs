//! The data folder: readable by its owner only, and locked by one server at a time.

use crate::store::error::StoreError;
use etcetera::BaseStrategy;
use std::fs::{self, DirBuilder, File, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tracing::warn;

/// The environment variable that names the folder; if it is empty nothing is recorded.
const DATA_VARIABLE: &str = "GRIDRACE_DATA_DIR";

/// The mode of the folder, which holds the secrets of running heats.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const DATABASE: &str = "gridrace.db";
/// The files of SQLite beside a database.
const COMPANIONS: [&str; 2] = [WAL, INDEX];
const WAL: &str = "gridrace.db-wal";
/// Which page is where in the log, shared by all programs that use the database.
const INDEX: &str = "gridrace.db-shm";
const LOCK: &str = "lock";
/// The prefix of files that the server doesn't use any more, kept for its operator.
const ASIDE: &str = "aside-";
/// Copies of one file that are kept; a further one replaces the first.
const MAX_ASIDE: u32 = 9;
/// The folder into which a restore moves what it replaces, while it does.
const REPLACING: &str = "replacing";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Data {
    /// Nowhere: rooms end with the server.
    #[default]
    Ephemeral,
    /// In this folder, which is created if it doesn't exist.
    At(PathBuf),
}

impl Data {
    /// Chooses the folder: the one given, else `DATA_VARIABLE`'s, else `gridrace` in the user's
    /// data folder (`$XDG_DATA_HOME`, or `~/.local/share`).
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

/// A locked data folder. The system releases the lock when the process ends.
#[derive(Debug)]
pub(super) struct DataDir {
    path: PathBuf,
    lock: File,
}

impl DataDir {
    /// Creates the folder if necessary, and locks it.
    pub(super) fn lock(path: &Path) -> Result<Self, StoreError> {
        create(path).map_err(|error| StoreError::of_file(path, error))?;
        let mode = fs::metadata(path).map_or(0, |about| about.permissions().mode());
        if mode & 0o022 != 0 {
            let (folder, mode) = (path.display(), format!("{:o}", mode & 0o777));
            warn!(%folder, mode, "others may replace the files of the data folder; chmod 700 it");
        }
        let lock = path.join(LOCK);
        let file = create_file(&lock).map_err(|error| StoreError::of_file(&lock, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
            // Without a lock a second server could corrupt the journals.
            Err(TryLockError::Error(error)) => return Err(StoreError::of_file(&lock, error)),
        }
        Ok(Self { path: path.to_owned(), lock: file })
    }

    /// Checks that the lock is still in the folder: without it another server can lock the folder.
    pub(super) fn check_lock(&self) -> Result<(), StoreError> {
        let lock = self.path.join(LOCK);
        let about = self.lock.metadata().map_err(|error| StoreError::of_file(&lock, error))?;
        FileId::from(&about).check(&lock)
    }

    /// Creates and locks the folder again if it or its lock was removed or renamed. Where another
    /// lock is, the folder is another server's, even if that has ended: its records would be
    /// overwritten.
    pub(super) fn lock_again(&mut self) -> Result<(), StoreError> {
        if self.check_lock().is_ok() {
            return Ok(());
        }
        if self.path.join(LOCK).exists() {
            return Err(StoreError::InUse(self.path.clone()));
        }
        *self = Self::lock(&self.path)?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// What tells a file from another one of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let about = fs::metadata(path).map_err(|error| StoreError::of_file(path, error))?;
        Ok(Self::from(&about))
    }

    /// Checks that this file has that path.
    pub(super) fn check(self, path: &Path) -> Result<(), StoreError> {
        match fs::metadata(path) {
            Ok(about) if Self::from(&about) == self => Ok(()),
            Ok(_) | Err(_) => Err(StoreError::Removed(path.to_owned())),
        }
    }
}

impl From<&Metadata> for FileId {
    fn from(about: &Metadata) -> Self {
        Self { device: about.dev(), inode: about.ino() }
    }
}

pub(super) fn database_path(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

pub(super) fn wal_path(database: &Path) -> PathBuf {
    database.with_file_name(WAL)
}

pub(super) fn index_path(database: &Path) -> PathBuf {
    database.with_file_name(INDEX)
}

pub(super) fn replacing_path(folder: &Path) -> PathBuf {
    folder.join(REPLACING)
}

/// Creates an empty database file if there is none, and restricts the files' modes. Returns whether
/// the last server closed the database.
///
/// # Errors
/// A file can't be used, or a restore was interrupted.
pub(super) fn prepare_database(path: &Path) -> Result<bool, StoreError> {
    let replacing = path.with_file_name(REPLACING);
    if replacing.exists() {
        return Err(StoreError::Restoring(replacing));
    }
    // SQLite would create a file that everyone can read, and the files beside it likewise.
    create_file(path).map_err(|error| StoreError::of_file(path, error))?;
    let mut closed = true;
    for name in COMPANIONS {
        let companion = path.with_file_name(name);
        let left = companion.exists();
        closed &= !left;
        if left {
            restrict_mode(&companion).map_err(|error| StoreError::of_file(&companion, error))?;
        }
    }
    Ok(closed)
}

/// Removes what SQLite leaves beside a database that was renamed while it was open, for another one
/// of the old name would use it. A log that holds anything is left.
pub(super) fn remove_companions(database: &Path) -> Result<(), StoreError> {
    let is_empty = fs::metadata(wal_path(database)).is_ok_and(|about| about.len() == 0);
    for name in if is_empty { &COMPANIONS[..] } else { &[INDEX] } {
        let companion = database.with_file_name(name);
        match fs::remove_file(&companion) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(StoreError::of_file(&companion, error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Returns whether a database is open, or wasn't closed.
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

/// Creates a folder that isn't there yet.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    let created = DirBuilder::new().mode(FOLDER_MODE).create(path);
    created.map_err(|error| StoreError::of_file(path, error))
}

/// Opens a file for writing, and creates it if necessary. Rejects pipes and folders.
pub(super) fn create_file(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => return Err(ErrorKind::InvalidInput.into()),
        Ok(_) | Err(_) => {}
    }
    let mut options = File::options();
    let file =
        options.create(true).truncate(false).read(true).write(true).mode(FILE_MODE).open(path)?;
    restrict_mode(path)?;
    Ok(file)
}

/// Removes other users' permissions on a file.
pub(super) fn restrict_mode(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let mode = about.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(FILE_MODE))
}

/// Syncs a folder, so that new names in it survive a power cut.
pub(super) fn sync(folder: &Path) -> Result<(), StoreError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| StoreError::of_file(folder, error))
}

/// Returns a free path for a copy of a file that is damaged or of another database:
/// `aside-NAME`, or `aside-NAME.2` and so on where earlier copies are.
pub(super) fn aside_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let first = path.with_file_name(format!("{ASIDE}{}", name.to_string_lossy()));
    let later = (2..=MAX_ASIDE).map(|copy| first.with_added_extension(copy.to_string()));
    let mut paths = std::iter::once(first.clone()).chain(later);
    paths.find(|path| !path.exists()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_copies_of_a_damaged_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let damaged = folder.path().join("gridrace.db-wal");
        for name in ["aside-gridrace.db-wal", "aside-gridrace.db-wal.2", "aside-gridrace.db-wal.3"]
        {
            let copy = aside_path(&damaged);
            assert_eq!(copy, folder.path().join(name));
            fs::write(copy, name).unwrap();
        }
    }

    #[test]
    fn a_folder_with_the_lock_of_another_server_is_not_locked_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join(LOCK);
        let mut first = DataDir::lock(folder.path()).unwrap();
        fs::remove_file(&lock).unwrap();
        assert!(matches!(first.check_lock(), Err(StoreError::Removed(path)) if path == lock));
        let second = DataDir::lock(folder.path()).unwrap();
        assert!(matches!(first.lock_again(), Err(StoreError::InUse(_))));
        drop(second);
        assert!(matches!(first.lock_again(), Err(StoreError::InUse(_))));
        fs::remove_file(&lock).unwrap();
        first.lock_again().unwrap();
        assert!(matches!(DataDir::lock(folder.path()), Err(StoreError::InUse(_))));
    }
}
