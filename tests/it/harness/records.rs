//! The heats that a test's server stores: every replay must verify.

use gridrace_server::ServerConfig;
use gridrace_server::store::{Archive, Data};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::replay::{Replay, SignatureCheck, verify};
use gridrace_tests::scratch_folder;
use std::path::PathBuf;
use tempfile::TempDir;

/// More heats than any test has.
const MAX_HEATS: u32 = 1_000;

/// A server's data, of which each heat is verified when the test ends.
pub(crate) struct Records {
    /// The folder, unless the test has chosen one.
    _folder: Option<TempDir>,
    data: Option<PathBuf>,
}

impl Records {
    /// Gives a server a store, unless the test has chosen one.
    pub(super) fn of(config: &mut ServerConfig) -> Self {
        match &config.data {
            Data::At(data) => Self { _folder: None, data: Some(data.clone()) },
            Data::Ephemeral => {
                let folder = scratch_folder();
                let data = folder.path().to_owned();
                config.data = Data::At(data.clone());
                Self { _folder: Some(folder), data: Some(data) }
            }
        }
    }

    /// Returns those of a server without a store.
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
        let heats = archive.latest(MAX_HEATS).unwrap();
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
            assert_eq!((verdict.count, verdict.errors), (0, Vec::new()));
            assert!(matches!(verdict.signature, SignatureCheck::Valid(_)));
            let Replay { events, outcome, .. } = verdict.replay;
            assert_eq!(outcome.standings, result.standings);
            assert_eq!(*events.start(), result.start);
        }
    }
}
