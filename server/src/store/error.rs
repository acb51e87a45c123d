//! What can go wrong with a store, so that whoever reads it knows what to do.

use crate::store::data_dir::DATABASE;
use rusqlite::ffi::{self, ErrorCode};
use std::io;
use std::path::{Path, PathBuf};

/// Why a store can't be opened, or can't go on. In no case is anything overwritten.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system doesn't say where a program's data belong.
    #[error("there is no folder for data: --data can name one, and --ephemeral does without")]
    Unknown,
    /// The path leads to something that is no folder.
    #[error("{} is no folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder, or a file in it, can't be made, read or written.
    #[error("no permission for {}: {error}", path.display())]
    Permission {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The folder can't be used for another reason.
    #[error("the data folder {} is of no use: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another server has the folder.
    #[error("another server uses {}", .0.display())]
    InUse(PathBuf),
    /// Another program holds a lock on the database.
    #[error("another program holds the database locked")]
    Locked,
    /// The database comes from a newer version of this program.
    #[error(
        "the database has layout {found}, and this program knows up to {known}: it comes from a newer version"
    )]
    Newer {
        /// Its layout.
        found: u32,
        /// The newest layout that is known here.
        known: u32,
    },
    /// A database, but of another program.
    #[error("the database belongs to another program")]
    Foreign,
    /// No database, or one that is damaged.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// The disk, or what this program may take of it, is full.
    #[error("the disk is full")]
    Full,
    /// The disk fails.
    #[error("the disk fails: {0}")]
    Disk(String),
    /// A group of entries took longer to reach the disk than anybody waits.
    #[error("the disk doesn't answer")]
    Stalled,
    /// Any of these, of the database in a folder.
    #[error("{}: {fault}", path.display())]
    Of {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        fault: Box<StoreError>,
    },
    /// Anything else that SQLite says.
    #[error("the database: {0}")]
    Database(String),
}

impl StoreError {
    /// Says of which folder's database it is, unless it says of which file it is already.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        match self {
            Self::Unknown
            | Self::NoFolder(_)
            | Self::Permission { .. }
            | Self::Folder { .. }
            | Self::InUse(_)
            | Self::Of { .. } => self,
            Self::Locked
            | Self::Newer { .. }
            | Self::Foreign
            | Self::Corrupt(_)
            | Self::Full
            | Self::Disk(_)
            | Self::Stalled
            | Self::Database(_) => Self::Of { path: folder.join(DATABASE), fault: Box::new(self) },
        }
    }

    /// Tells what the system says about a path.
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
            io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => Self::NoFolder(path),
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
        // SQLite tells a limit on the size of files as any other failed writing.
        #[expect(clippy::wildcard_enum_match_arm, reason = "SQLite's codes are many")]
        match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt(text),
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::SystemIoFailure if code.extended_code == ffi::SQLITE_IOERR_SHORT_READ => {
                Self::Corrupt(text)
            }
            ErrorCode::SystemIoFailure | ErrorCode::CannotOpen => Self::Disk(text),
            ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied => Self::Disk(text),
            _ => Self::Database(text),
        }
    }
}
