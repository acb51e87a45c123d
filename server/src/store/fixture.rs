//! Test stores, and copies of them as a crash leaves them.

use super::{Archive, RecoveredRoom, Store, StoreError, open};
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::store::retry::TRIAL_FILE;
use crate::telemetry::metrics::Metrics;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A data folder of one test; dropped, it is removed.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("gridrace-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::remove_dir_all(&path).ok(); // left by an older process with this number
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.join("gridrace.db")
    }

    pub(crate) fn archive(&self) -> Archive {
        Archive::at(&self.0)
    }

    pub(crate) fn open(&self) -> Result<(Arc<Store>, Vec<RecoveredRoom>), StoreError> {
        let opened = open(&self.0, Environment::default()).map_err(without_path)?.retrying_soon();
        let clock = Clock::resume(opened.clock);
        opened.start(clock, Metrics::new().commits())
    }

    pub(crate) fn store(&self) -> Arc<Store> {
        self.open().unwrap().0
    }

    /// Closes the store, and opens it again.
    pub(crate) fn reopen(&self, store: Arc<Store>) -> (Arc<Store>, Vec<RecoveredRoom>) {
        store.close();
        drop(store);
        self.open().unwrap()
    }

    /// Makes retries of a failed store fail.
    pub(crate) fn fill(&self) {
        fs::create_dir(self.0.join(TRIAL_FILE)).unwrap();
    }

    pub(crate) fn make_room(&self) {
        fs::remove_dir(self.0.join(TRIAL_FILE)).unwrap();
    }

    /// Copies the files as a kill of the server at this instant would leave them. No commit may be
    /// in progress.
    pub(crate) fn killed(&self) -> Self {
        let copy = Self::new();
        fs::create_dir_all(&copy.0).unwrap();
        for file in fs::read_dir(&self.0).unwrap() {
            let file = file.unwrap();
            if file.metadata().unwrap().is_file() {
                fs::copy(file.path(), copy.0.join(file.file_name())).unwrap();
            }
        }
        copy
    }

    /// Makes a store, and changes its database.
    pub(crate) fn change(&self, sql: &str) {
        self.store().close();
        Connection::open(self.database()).unwrap().execute_batch(sql).unwrap();
    }

    /// Returns why the store can't be opened, after checking that the database is unchanged.
    pub(crate) fn refuses(&self) -> StoreError {
        let before = fs::read(self.database()).unwrap();
        let error = self.open().err().unwrap();
        assert_eq!(fs::read(self.database()).unwrap(), before, "{error}");
        error
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok(); // the test is over
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only one variant has a path")]
/// Returns an error without the path of the database.
fn without_path(error: StoreError) -> StoreError {
    match error {
        StoreError::Of { error, .. } => *error,
        other => other,
    }
}
