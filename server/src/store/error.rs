//! Errors of the store.

use rusqlite::ffi::{self, ErrorCode};
use std::io;
use std::path::{Path, PathBuf};

/// A store can't be opened or written. Nothing is overwritten.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no folder for data: name one with --data, or use --ephemeral")]
    Unknown,
    #[error("{} is not a folder", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is a folder, and should be a file", .0.display())]
    IsFolder(PathBuf),
    #[error("no permission for {}: {error}", path.display())]
    Permission { path: PathBuf, error: io::Error },
    #[error("can't use {}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("another server uses {}: stop it first", .0.display())]
    InUse(PathBuf),
    #[error("there is no database gridrace.db in {}: name the folder that has it", .0.display())]
    NoDatabase(PathBuf),
    #[error(
        "a restore was interrupted, and some of the data is in {}: run the restore again", .0.display()
    )]
    Restoring(PathBuf),
    #[error(
        "{} holds no key: 64 hexadecimal digits are expected; restore the file, or move it away to have a new key drawn",
        .0.display()
    )]
    NoKey(PathBuf),
    #[error("{} was removed or replaced while the server ran", .0.display())]
    Removed(PathBuf),
    #[error("another program locks the database")]
    Locked,
    #[error(
        "the database has layout {found}, and this program knows up to {known}: it comes from a newer version"
    )]
    Newer { found: u32, known: u32 },
    #[error("the database belongs to another program")]
    Foreign,
    #[error(
        "{0} heats of the tournament were deleted from the database: without their replays it has no record"
    )]
    DeletedHeats(usize),
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    #[error("the disk is full")]
    Full,
    #[error("the disk failed: {0}")]
    Disk(String),
    #[error(
        "this account may not write it, its folder, or the files gridrace.db-wal and gridrace.db-shm beside it"
    )]
    ReadOnly,
    #[error("the disk doesn't respond")]
    Stalled,
    #[error("{}: {error}", path.display())]
    Of { path: PathBuf, error: Box<StoreError> },
    #[error("database error: {0}")]
    Database(String),
}

impl StoreError {
    /// Adds the path of the database, unless the error names a path already.
    pub fn of_database(self, database: &Path) -> Self {
        match self {
            Self::Unknown
            | Self::NoFolder(_)
            | Self::IsFolder(_)
            | Self::Permission { .. }
            | Self::Folder { .. }
            | Self::InUse(_)
            | Self::NoDatabase(_)
            | Self::Restoring(_)
            | Self::NoKey(_)
            | Self::Removed(_)
            | Self::Of { .. } => self,
            Self::Locked
            | Self::Newer { .. }
            | Self::Foreign
            | Self::DeletedHeats(_)
            | Self::Corrupt(_)
            | Self::Full
            | Self::Disk(_)
            | Self::ReadOnly
            | Self::Stalled
            | Self::Database(_) => Self::Of { path: database.to_owned(), error: Box::new(self) },
        }
    }

    pub(super) fn of_file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        #[expect(clippy::wildcard_enum_match_arm, reason = "there are many kinds")]
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Permission { path, error }
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::NotADirectory => Self::NoFolder(path),
            io::ErrorKind::IsADirectory => Self::IsFolder(path),
            _ => Self::Folder { path, error },
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        let Some(code) = error.sqlite_error().copied() else {
            return Self::Database(text);
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "SQLite's codes are many")]
        match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt(text),
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::SystemIoFailure if code.extended_code == ffi::SQLITE_IOERR_SHORT_READ => {
                Self::Corrupt(text)
            }
            ErrorCode::SystemIoFailure | ErrorCode::CannotOpen => Self::Disk(text),
            ErrorCode::ReadOnly if code.extended_code != ffi::SQLITE_READONLY_DBMOVED => {
                Self::ReadOnly
            }
            ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied => Self::Disk(text),
            _ => Self::Database(text),
        }
    }
}
