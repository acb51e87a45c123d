//! Statistics of the store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The store's work since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    pub commits: u64,
    /// Their time in sum, in microseconds.
    pub commit_micros: u64,
    /// The slowest one's, in microseconds.
    pub slowest_micros: u64,
    /// Bytes of entries, checkpoints and archive records on the disk.
    pub bytes: u64,
    /// Bytes that wait for the disk.
    pub waiting: u64,
    pub recording: bool,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    commits: AtomicU64,
    micros: AtomicU64,
    slowest: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(super) fn count(&self, bytes: u64, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.slowest.fetch_max(micros, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn read(&self, waiting: usize, recording: bool) -> StoreStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreStats {
            commits: read(&self.commits),
            commit_micros: read(&self.micros),
            slowest_micros: read(&self.slowest),
            bytes: read(&self.bytes),
            waiting: waiting as u64,
            recording,
        }
    }
}
