//! Code that several test binaries share, and the fuzz targets of `tests/fuzz`.

#![forbid(unsafe_code)]

pub mod fuzz;

use std::path::Path;
use tempfile::TempDir;

/// Makes a temporary folder in memory, or on disk where the system has no such place.
pub fn scratch_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    #[expect(clippy::expect_used, reason = "no test can go on without it")]
    folder.expect("a temporary folder")
}
