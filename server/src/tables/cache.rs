//! The cache directory: a file for each table, written whole or not at all.

use super::file::{self, FileError};
use etcetera::BaseStrategy;
use gridrace_shared::puzzle::tables::{Grade, LAYOUT_VERSION, Table, TableSpec};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that names the directory; empty, it says to keep nothing.
pub const CACHE_VARIABLE: &str = "GRIDRACE_CACHE_DIR";

/// How long to wait between two looks at a lock that another process holds.
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// Looks at such a lock before its holder counts as stuck: some ten seconds, ten times what
/// a default table may take.
const DEFAULT_LOOKS: u32 = 200;
/// The same for a large table: some two minutes, twice what the largest may take.
const LARGE_LOOKS: u32 = 2_400;

/// Files on their way to the disk that one process has for one table at most.
const PARTS: u32 = 16;

/// Where tables are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cache {
    /// In this directory, made when there is something to keep.
    At(PathBuf),
    /// Nowhere, as was asked for.
    Off,
    /// Nowhere: the system doesn't say where caches belong.
    Unknown,
}

/// Why a table can't be kept. It works all the same, until the program ends.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// [`Cache::Unknown`].
    #[error("there is no cache directory: {CACHE_VARIABLE} can name one")]
    Unknown,
    /// The directory, or a file in it, can't be made, written, or read through.
    #[error("the cache directory {} is of no use: {error}", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Somebody has the lock on the table's file for longer than a table takes.
    #[error("another program is at the same table and doesn't get on")]
    Locked,
}

/// A file of ours in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Which table it is about.
    pub spec: TableSpec,
    /// Its layout's version.
    pub version: u32,
    /// What it is.
    pub role: FileRole,
}

/// What a file of ours is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// It holds a table.
    Table,
    /// Who has it locked builds the table.
    Lock,
    /// A table on its way to the disk, or what somebody left who was ended on it.
    Part,
}

/// The right to build a table and to tidy up after others who did. The system takes it
/// back from whoever is gone.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

/// How many looks at a lock that another has are enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For a default table.
    pub(super) default: u32,
    /// For a large one.
    pub(super) large: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { default: DEFAULT_LOOKS, large: LARGE_LOOKS }
    }
}

impl Cache {
    /// Chooses the directory: the one given, else [`CACHE_VARIABLE`]'s, else `gridrace` in
    /// your caches (`$XDG_CACHE_HOME`, or `~/.cache`).
    #[must_use]
    pub fn choose(given: Option<&Path>) -> Self {
        let named = std::env::var_os(CACHE_VARIABLE).map(PathBuf::from);
        match given.map(Path::to_owned).or(named) {
            Some(none) if none.as_os_str().is_empty() => Self::Off,
            Some(directory) => Self::At(directory),
            None => etcetera::choose_base_strategy()
                .map_or(Self::Unknown, |base| Self::At(base.cache_dir().join("gridrace"))),
        }
    }

    /// Returns the directory, where there is one.
    ///
    /// # Errors
    /// [`CacheError::Unknown`].
    pub fn directory(&self) -> Result<Option<&Path>, CacheError> {
        match self {
            Self::At(directory) => Ok(Some(directory)),
            Self::Off => Ok(None),
            Self::Unknown => Err(CacheError::Unknown),
        }
    }

    /// Lists the files of ours, by name. What isn't ours is left out.
    ///
    /// # Errors
    /// [`CacheError`] for a directory that can't be read; one that isn't there is empty.
    pub fn files(&self) -> Result<Vec<CacheFile>, CacheError> {
        match self.directory()? {
            Some(directory) => list(directory).map_err(|error| failed(directory, error)),
            None => Ok(Vec::new()),
        }
    }

    /// Removes the files of the tables that are meant, of every version, and returns them.
    /// Whoever has one of them mapped keeps what they have.
    ///
    /// # Errors
    /// [`CacheError`].
    pub fn remove(&self, meant: &dyn Fn(TableSpec) -> bool) -> Result<Vec<CacheFile>, CacheError> {
        let mut files = self.files()?;
        files.retain(|file| meant(file.spec));
        for file in &files {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    let directory = file.path.parent().unwrap_or(&file.path);
                    return Err(failed(directory, error));
                }
                // Somebody else was quicker.
                Ok(()) | Err(_) => {}
            }
        }
        Ok(files)
    }
}

impl CacheFile {
    /// Checks a table's file from its first byte to its last.
    ///
    /// # Errors
    /// [`FileError`]: it will be built anew when it is wanted.
    pub fn check(&self) -> Result<(), FileError> {
        if self.version == LAYOUT_VERSION {
            file::check(&self.path, self.spec)
        } else {
            Err(FileError::OtherVersion)
        }
    }
}

/// Reads a table, or nothing where none is kept.
pub(super) fn load(directory: &Path, spec: TableSpec) -> Result<Option<Table>, FileError> {
    file::read(&directory.join(name(spec, "table")), spec)
}

/// Takes the lock on a table's file; `waiting` is called for every look while another has
/// it. Nothing where the file system has no locks: then two may build the same table at
/// once, which costs time and no more.
///
/// # Errors
/// [`CacheError`] where the directory can't be written in, or who has the lock is stuck:
/// the table's file is theirs.
pub(super) fn lock(
    directory: &Path,
    spec: TableSpec,
    patience: Patience,
    waiting: &dyn Fn(),
) -> Result<Option<Lock>, CacheError> {
    let open = || {
        fs::create_dir_all(directory)?;
        let path = directory.join(name(spec, "lock"));
        // A pipe would be opened when somebody reads from it, and not before.
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut options = File::options();
        options.create(true).truncate(false).write(true).open(path)
    };
    let file = open().map_err(|error| failed(directory, error))?;
    let looks = match spec.grade() {
        Grade::Default => patience.default,
        Grade::Large => patience.large,
    };
    for _ in 0..looks {
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

/// Writes a table beside its place, and puts it there when all of it is on the disk.
///
/// # Errors
/// [`CacheError`]; the file that was there before still is.
pub(super) fn keep(directory: &Path, table: &Table, lock: Option<&Lock>) -> Result<(), CacheError> {
    if lock.is_some() {
        sweep(directory, table.spec());
    }
    Part::create(directory, table.spec())
        .and_then(|part| part.fill(table, &directory.join(name(table.spec(), "table"))))
        .and_then(|()| File::open(directory)?.sync_all())
        .map_err(|error| failed(directory, error))
}

/// Removes what builders of this table have left who were ended at it: whoever has the
/// lock is the only one left.
fn sweep(directory: &Path, spec: TableSpec) {
    let files = list(directory).unwrap_or_default();
    let left = files.iter().filter(|file| file.spec == spec && file.role == FileRole::Part);
    for part in left {
        fs::remove_file(&part.path).ok(); // it takes room, and does no other harm
    }
}

/// A file that isn't in its place yet; dropped, it is gone.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    /// Makes a file that wasn't there before, whatever a process of the same number in
    /// another container has made or left.
    fn create(directory: &Path, spec: TableSpec) -> io::Result<Self> {
        let mut number = 0;
        loop {
            let ending = format!("{}-{number}.part", std::process::id());
            let path = directory.join(name(spec, &ending));
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < PARTS => {
                    number += 1;
                }
                file => return Ok(Self { file: file?, path }),
            }
        }
    }

    fn fill(mut self, table: &Table, place: &Path) -> io::Result<()> {
        file::write(&mut self.file, table)?;
        // A name that points to what isn't on the disk yet would survive a power cut.
        self.file.sync_all()?;
        fs::rename(&self.path, place)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok(); // in its place, it has this name no more
    }
}

fn name(spec: TableSpec, ending: &str) -> String {
    format!("{spec}.v{LAYOUT_VERSION}.{ending}")
}

/// Reads a file's name: `4x4-default.v1.table`. One that nobody here writes is somebody
/// else's file, even where it could be understood.
pub(crate) fn read_name(name: &str) -> Option<(TableSpec, u32, FileRole)> {
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
        let Some((spec, version, role)) = name.to_str().and_then(read_name) else {
            continue;
        };
        // One that is gone by now is as good as never listed.
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
        let role = |name| read_name(name).map(|(_, _, role)| role);
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
