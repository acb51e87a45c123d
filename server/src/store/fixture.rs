//! Test stores, and copies of them as a crash leaves them.

use super::{Archive, RecoveredRoom, Store, StoreError, open};
use crate::metrics::Metrics;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::store::journal_record::{ALIGNMENT, Record};
use crate::store::retry::TRIAL_FILE;
use crate::store::{journal_log, recover};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A data folder of one test, which the store creates. It is removed on drop.
pub(crate) struct Scratch {
    path: PathBuf,
    _parent: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let parent = TempDir::new().unwrap();
        Self { path: parent.path().join("data"), _parent: parent }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("gridrace.db")
    }

    /// Connects to the database as another program would.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.database()).unwrap()
    }

    pub(crate) fn number(&self, query: &str) -> i64 {
        self.connect().query_row(query, (), |row| row.get(0)).unwrap()
    }

    pub(crate) fn archive(&self) -> Archive {
        Archive::at(&self.path)
    }

    pub(crate) fn open(&self) -> Result<(Arc<Store>, Vec<RecoveredRoom>), StoreError> {
        let opened = open(&self.path, Environment::default())?.retrying_soon();
        let clock = Clock::resume(opened.recovery.clock);
        opened.start(clock, Metrics::new().commits())
    }

    pub(crate) fn store(&self) -> Arc<Store> {
        self.open().unwrap().0
    }

    /// Opens a store into whose database at most eight pages more fit until it is opened again.
    pub(crate) fn small_store(&self) -> Arc<Store> {
        let opened = open(&self.path, Environment::default()).unwrap().retrying_soon();
        let pages: i64 =
            opened.database.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        opened.database.pragma_update(None, "max_page_count", pages + 8).unwrap();
        opened.start(Clock::start(), Metrics::new().commits()).unwrap().0
    }

    /// Closes the store, and opens it again.
    pub(crate) fn reopen(&self, store: Arc<Store>) -> (Arc<Store>, Vec<RecoveredRoom>) {
        store.close();
        drop(store);
        self.open().unwrap()
    }

    /// Makes retries of a failed store fail.
    pub(crate) fn fill(&self) {
        fs::create_dir(self.path.join(TRIAL_FILE)).unwrap();
    }

    pub(crate) fn make_room(&self) {
        fs::remove_dir(self.path.join(TRIAL_FILE)).unwrap();
    }

    /// Copies the files as a kill of the server at this instant would leave them. No commit may be
    /// in progress.
    pub(crate) fn killed(&self) -> Self {
        let copy = Self::new();
        fs::create_dir(&copy.path).unwrap();
        for file in fs::read_dir(&self.path).unwrap() {
            let file = file.unwrap();
            if file.metadata().unwrap().is_file() {
                fs::copy(file.path(), copy.path.join(file.file_name())).unwrap();
            }
        }
        copy
    }

    /// Returns the paths of the journal's segments, in order.
    pub(crate) fn segments(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.path).unwrap().map(|file| file.unwrap().path());
        let is_segment =
            |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("journal-");
        let mut segments: Vec<_> = files.filter(is_segment).collect();
        segments.sort();
        segments
    }

    /// Returns the numbers of the records in the journal log.
    pub(crate) fn records(&self) -> Vec<i64> {
        let id = recover::log_id(&self.connect()).unwrap();
        let mut numbers = Vec::new();
        journal_log::scan(&self.path, id, |record| numbers.push(record.number)).unwrap();
        numbers
    }

    /// Flips a bit in the record of a number.
    pub(crate) fn flip_bit(&self, number: i64) {
        for path in self.segments() {
            let mut bytes = fs::read(&path).unwrap();
            let found = (0..bytes.len()).step_by(ALIGNMENT).find_map(|at| {
                let (record, length) = Record::decode(&bytes[at..])?;
                (record.number == number).then_some(at + length / 2)
            });
            if let Some(middle) = found {
                bytes[middle] ^= 4;
                return fs::write(path, bytes).unwrap();
            }
        }
        panic!("no record {number}");
    }

    /// Makes a store, and changes its database.
    pub(crate) fn change(&self, sql: &str) {
        self.store().close();
        self.connect().execute_batch(sql).unwrap();
    }

    /// Checks that the store can't be opened for this reason, and that its database is unchanged.
    pub(crate) fn assert_refused(&self, why: &str) {
        let before = fs::read(self.database()).unwrap();
        let error = self.open().err().unwrap().to_string();
        let expected = format!("{}: {why}", self.database().display());
        assert!(error.starts_with(&expected), "{error}");
        assert_eq!(fs::read(self.database()).unwrap(), before, "{error}");
    }
}
