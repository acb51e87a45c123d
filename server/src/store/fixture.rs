//! Stores of tests, and copies of them as a crash would leave them.

use super::{Archive, Recovered, Store, StoreError, open};
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::store::retry::TRIAL;
use crate::telemetry::metrics::Metrics;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of one test, gone with it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("gridrace-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::remove_dir_all(&path).ok(); // an older process with this number may have left it
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

    pub(crate) fn open(&self) -> Result<(Arc<Store>, Vec<Recovered>), StoreError> {
        let opened = open(&self.0, Environment::default())?.in_a_hurry();
        let clock = Clock::resume(opened.clock);
        opened.start(clock, Metrics::new().commits())
    }

    pub(crate) fn store(&self) -> Arc<Store> {
        self.open().unwrap().0
    }

    /// Closes what is open, and opens it again.
    pub(crate) fn reopen(&self, store: Arc<Store>) -> (Arc<Store>, Vec<Recovered>) {
        store.close();
        drop(store);
        self.open().unwrap()
    }

    /// Sees to it that a store that has failed finds no room.
    pub(crate) fn fill(&self) {
        fs::create_dir(self.0.join(TRIAL)).unwrap();
    }

    /// Sees to it that it finds some.
    pub(crate) fn make_room(&self) {
        fs::remove_dir(self.0.join(TRIAL)).unwrap();
    }

    /// Copies what is on the disk by now, as if the server had been killed at this instant.
    /// Nothing may be on its way to the disk.
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

    /// Makes a store and lets somebody change its database.
    pub(crate) fn change(&self, sql: &str) {
        self.store().close();
        Connection::open(self.database()).unwrap().execute_batch(sql).unwrap();
    }

    /// Says why the store can't be opened, and that its database is as before.
    pub(crate) fn refuses(&self) -> StoreError {
        let before = fs::read(self.database()).unwrap();
        let fault = self.open().err().unwrap();
        assert_eq!(fs::read(self.database()).unwrap(), before, "{fault}");
        fault
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok(); // the test is over
    }
}
