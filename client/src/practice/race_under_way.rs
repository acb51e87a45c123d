//! The race that is under way, in a file of its own, so that it isn't lost with a program that is
//! killed.
//!
//! The program holds a lock on its file while it runs. A file without one is abandoned: its race is
//! kept when the races are next read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many programs save races at once; those beyond save none.
const MAX_FILES: u32 = 16;
/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 4 * 1024;
/// Since when a file is left alone by its program before its race is taken for over: the player may
/// have come back to it in another program, which then keeps it.
const LEAST_AGE: Duration = Duration::from_secs(600);

/// The file of this program's race.
#[derive(Debug)]
pub struct RaceFile {
    file: File,
    path: PathBuf,
}

/// A file whose program ended without keeping the race. Its lock is held until it is dropped.
#[derive(Debug)]
pub struct AbandonedFile {
    /// What was saved last.
    pub line: String,
    /// Whether the player won't come back to the race.
    pub is_old: bool,
    file: RaceFile,
}

impl RaceFile {
    /// Creates a file in a folder.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        for path in paths(folder) {
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            file.try_lock()?;
            return Ok(Self { file, path });
        }
        Err(io::Error::from(io::ErrorKind::QuotaExceeded))
    }

    /// Replaces what is saved. A program that is killed meanwhile leaves the line before or this one.
    pub fn save(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(line)?;
        self.file.set_len(line.len() as u64)
    }

    /// Removes the file: the race is kept, or not to be kept.
    pub fn remove(self) {
        // What remains would be kept once more.
        fs::remove_file(&self.path).ok();
    }
}

impl AbandonedFile {
    pub fn remove(self) {
        self.file.remove();
    }
}

/// Returns the files in a folder whose programs ended without keeping their race.
pub fn abandoned(folder: &Path) -> Vec<AbandonedFile> {
    paths(folder).filter_map(open_abandoned).collect()
}

fn open_abandoned(path: PathBuf) -> Option<AbandonedFile> {
    let file = OpenOptions::new().read(true).write(true).open(&path).ok()?;
    file.try_lock().ok()?;
    let age = file.metadata().ok()?.modified().ok()?.elapsed();
    // A clock that was set back makes it as old as need be.
    let is_old = age.is_ok_and(|age| age >= LEAST_AGE);
    let mut line = String::new();
    BufReader::new((&file).take(MAX_LINE_BYTES)).read_line(&mut line).ok()?;
    Some(AbandonedFile { line, is_old, file: RaceFile { file, path } })
}

fn paths(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let folder = folder.to_owned();
    (0..MAX_FILES).map(move |number| folder.join(format!("under-way-{number}.json")))
}
