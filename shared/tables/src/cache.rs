//! The cache directory: a file for each table, written atomically.

use super::file::{self, FileError};
use etcetera::BaseStrategy;
use gridrace_shared::puzzle::tables::{LAYOUT_VERSION, Table, TableGrade, TableSpec};
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The environment variable that names the directory; if it is empty nothing is cached.
pub const CACHE_VARIABLE: &str = "GRIDRACE_CACHE_DIR";

/// The time between two attempts to take a lock that another process holds.
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// Attempts before the holder counts as stuck: some ten seconds, ten times what a default table
/// may take.
const DEFAULT_ATTEMPTS: u32 = 200;
/// The same for a large table or one for multi-tile moves: some two minutes, twice what the
/// largest may take.
const LARGE_ATTEMPTS: u32 = 2_400;

/// The mode of a file before the umask: users may share a cache directory.
const FILE_MODE: u32 = 0o666;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cache {
    /// In this directory, which is created with the first file.
    At(PathBuf),
    Off,
    /// Nowhere: the system names no directory for caches.
    Unknown,
}

/// Why a table can't be cached. It is still usable until the program ends.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("no cache directory: set {CACHE_VARIABLE} to one")]
    Unknown,
    #[error("can't use the cache directory {}: {error}", directory.display())]
    Directory { directory: PathBuf, error: io::Error },
    /// Another program holds the lock on the table for longer than building it takes.
    #[error("another program has held the lock on this table for too long")]
    Locked,
}

/// A file of this program in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFile {
    pub path: PathBuf,
    pub bytes: u64,
    pub spec: TableSpec,
    pub version: u32,
    pub role: FileRole,
}

/// The purpose of a file in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    Table,
    /// The program that locks it builds the table.
    Lock,
    /// A table that is being written, or was when its program was killed.
    Part,
}

/// The lock on a table: its holder may build the table and remove partial files of others. The
/// system releases it when the process ends.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

/// How many attempts to take a lock are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) default: u32,
    pub(super) large: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { default: DEFAULT_ATTEMPTS, large: LARGE_ATTEMPTS }
    }
}

impl Cache {
    /// Chooses the directory: the one given, else [`CACHE_VARIABLE`]'s, else `gridrace` in the
    /// user's caches (`$XDG_CACHE_HOME`, or `~/.cache`).
    pub fn choose(given: Option<&Path>) -> Self {
        let named = std::env::var_os(CACHE_VARIABLE).map(PathBuf::from);
        match given.map(Path::to_owned).or(named) {
            Some(none) if none.as_os_str().is_empty() => Self::Off,
            Some(directory) => Self::At(directory),
            None => etcetera::choose_base_strategy()
                .map_or(Self::Unknown, |base| Self::At(base.cache_dir().join("gridrace"))),
        }
    }

    /// Returns the directory, if tables are cached.
    pub fn directory(&self) -> Result<Option<&Path>, CacheError> {
        match self {
            Self::At(directory) => Ok(Some(directory)),
            Self::Off => Ok(None),
            Self::Unknown => Err(CacheError::Unknown),
        }
    }

    /// Lists the files of this program by name, and no others.
    pub fn files(&self) -> Result<Vec<CacheFile>, CacheError> {
        match self.directory()? {
            Some(directory) => list(directory).map_err(|error| failed(directory, error)),
            None => Ok(Vec::new()),
        }
    }

    /// Removes the files of the tables that `meant` selects, of every version, and returns them.
    /// Maps of them stay valid.
    pub fn remove(&self, meant: &dyn Fn(TableSpec) -> bool) -> Result<Vec<CacheFile>, CacheError> {
        let mut files = self.files()?;
        // What a program that builds a table writes stays, and its lock: beside that another would
        // make one of its own.
        let built: Vec<TableSpec> =
            files.iter().filter(|file| is_held(file)).map(|file| file.spec).collect();
        files.retain(|file| {
            meant(file.spec) && (file.role == FileRole::Table || !built.contains(&file.spec))
        });
        for file in &files {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    let directory = file.path.parent().unwrap_or(&file.path);
                    return Err(failed(directory, error));
                }
                // Removed by another process.
                Ok(()) | Err(_) => {}
            }
        }
        Ok(files)
    }
}

impl CacheFile {
    /// Checks a table's whole file.
    pub fn check(&self) -> Result<(), FileError> {
        if self.version == LAYOUT_VERSION {
            file::check(&self.path, self.spec)
        } else {
            Err(FileError::OtherVersion)
        }
    }
}

/// Reads a table, or nothing if it has no file.
pub(super) fn load(directory: &Path, spec: TableSpec) -> Result<Option<Table>, FileError> {
    file::read(&directory.join(name(spec, "table")), spec)
}

/// Takes the lock on a table; `waiting` is called for each attempt while another process holds it.
/// Returns nothing if the file system has no locks: then two processes may build the same table,
/// which only costs time.
///
/// # Errors
/// [`CacheError`] if the directory can't be written, or the holder of the lock is stuck.
pub(super) fn lock(
    directory: &Path,
    spec: TableSpec,
    patience: Patience,
    waiting: &dyn Fn(),
) -> Result<Option<Lock>, CacheError> {
    let open = || {
        fs::create_dir_all(directory)?;
        let path = directory.join(name(spec, "lock"));
        // Opening a pipe blocks until it has a reader.
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut options = File::options();
        options.create(true).truncate(false).write(true).open(path)
    };
    let file = open().map_err(|error| failed(directory, error))?;
    let attempts = match spec.grade() {
        TableGrade::Default => patience.default,
        TableGrade::Large | TableGrade::Mtm => patience.large,
    };
    for _ in 0..attempts {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock(file))),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) => {
                waiting();
                std::thread::sleep(LOCK_PAUSE);
            }
        }
    }
    Err(CacheError::Locked)
}

/// Writes a table beside its place, and renames the file once all of it is on the disk.
pub(super) fn write(
    directory: &Path,
    table: &Table,
    lock: Option<&Lock>,
) -> Result<(), CacheError> {
    if lock.is_some() {
        remove_parts(directory, table.spec());
    }
    let write = || {
        let mut part = tempfile::Builder::new()
            .prefix(&name(table.spec(), ""))
            .suffix(".part")
            .permissions(Permissions::from_mode(FILE_MODE))
            .tempfile_in(directory)?;
        file::write(&mut part, table)?;
        // Otherwise a power cut could leave the name on a file without its content.
        part.as_file().sync_all()?;
        part.persist(directory.join(name(table.spec(), "table")))?;
        File::open(directory)?.sync_all()
    };
    write().map_err(|error: io::Error| failed(directory, error))
}

/// Says whether a file is the lock of a program that builds the table now.
fn is_held(file: &CacheFile) -> bool {
    file.role == FileRole::Lock
        && File::open(&file.path)
            .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Removes partial files of this table: as the caller holds the lock, no process writes them.
fn remove_parts(directory: &Path, spec: TableSpec) {
    let files = list(directory).unwrap_or_default();
    let left = files.iter().filter(|file| file.spec == spec && file.role == FileRole::Part);
    for part in left {
        fs::remove_file(&part.path).ok(); // it only takes disk space
    }
}

fn name(spec: TableSpec, ending: &str) -> String {
    format!("{spec}.v{LAYOUT_VERSION}.{ending}")
}

/// Parses the name of a cache file, such as `4x4-default.v1.table`: its table, the version of its
/// layout and its purpose. Accepts only the exact spelling that this program writes.
pub fn parse_file_name(name: &str) -> Option<(TableSpec, u32, FileRole)> {
    let (spec, rest) = name.split_once(".v")?;
    let (version, rest) = rest.split_once('.')?;
    let role = match rest {
        "table" => FileRole::Table,
        "lock" => FileRole::Lock,
        part if part.ends_with(".part") => FileRole::Part,
        _ => return None,
    };
    let (spec, version): (TableSpec, u32) = (spec.parse().ok()?, version.parse().ok()?);
    let is_ours = name.starts_with(&format!("{spec}.v{version}."));
    is_ours.then_some((spec, version, role))
}

fn list(directory: &Path) -> io::Result<Vec<CacheFile>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some((spec, version, role)) = name.to_str().and_then(parse_file_name) else {
            continue;
        };
        // A file that was removed meanwhile is not listed.
        if let Ok(about) = entry.metadata()
            && about.is_file()
        {
            files.push(CacheFile { path: entry.path(), bytes: about.len(), spec, version, role });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn failed(directory: &Path, error: io::Error) -> CacheError {
    CacheError::Directory { directory: directory.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_only_looks_like_one_of_ours_is_none() {
        let role = |name| parse_file_name(name).map(|(_, _, role)| role);
        assert_eq!(role("4x4-default.v1.table"), Some(FileRole::Table));
        assert_eq!(role("4x4-large.v2.lock"), Some(FileRole::Lock));
        assert_eq!(role("3x4-default.v1.4711-0.part"), Some(FileRole::Part));
        for other in [
            "04x4-default.v1.table",
            "4x4-default.v+1.table",
            "4x4-default.v01.lock",
            "4x4-default.v1.mine.table",
            "4x4-default.v1.part",
            "my-4x4-default.v1.table",
        ] {
            assert_eq!(role(other), None, "{other}");
        }
    }
}
