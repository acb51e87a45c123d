//! What a test's server keeps of its heats: every replay must hold.

use gridrace_server::ServerConfig;
use gridrace_server::store::{Archive, Data};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::replay::{Replay, verify};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where there is no disk to wait for.
const MEMORY: &str = "/dev/shm";
/// More heats than any test has.
const MOST: u32 = 1_000;

/// A server's data, of which each heat is looked at when the test ends.
pub(crate) struct Records {
    /// The folder, where the test hasn't chosen one.
    _folder: Option<TempDir>,
    data: Option<PathBuf>,
}

impl Records {
    /// Lets a server keep its heats, where the test doesn't say otherwise.
    pub(super) fn of(config: &mut ServerConfig) -> Self {
        let folder = match &config.data {
            Data::At(_) => None,
            Data::Ephemeral => {
                let memory = Path::new(MEMORY);
                let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
                let folder = folder.unwrap();
                config.data = Data::At(folder.path().to_owned());
                Some(folder)
            }
        };
        let data = match &config.data {
            Data::At(data) => Some(data.clone()),
            Data::Ephemeral => None,
        };
        Self { _folder: folder, data }
    }

    /// Keeps nothing: for measurements, in which nobody waits for a disk.
    pub(super) const fn none() -> Self {
        Self { _folder: None, data: None }
    }

    /// Returns the replays of all heats that are over, the latest first, each with the result
    /// beside it.
    pub(crate) fn replays(&self) -> Vec<(Vec<u8>, HeatResult)> {
        let Some(data) = &self.data else {
            return Vec::new();
        };
        let archive = Archive::at(data);
        let heats = archive.latest(MOST).unwrap();
        let replay = |id: &str| archive.replay(id).unwrap().unwrap();
        heats
            .iter()
            .map(|heat| (replay(&heat.id), serde_json::from_str(&heat.result).unwrap()))
            .collect()
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for (file, result) in self.replays() {
            let verdict = verify(&file).unwrap();
            assert_eq!((verdict.count, verdict.faults), (0, Vec::new()));
            let Replay { course, outcome, .. } = verdict.replay;
            assert_eq!(outcome.standings, result.standings);
            assert_eq!(*course.start(), result.start);
        }
    }
}
