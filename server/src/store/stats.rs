//! What the store has done, for whoever watches the server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the store has done since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Groups that are on the disk.
    pub commits: u64,
    /// What they took together, in microseconds.
    pub commit_micros: u64,
    /// What the slowest took, in microseconds.
    pub slowest_micros: u64,
    /// Bytes of entries, checkpoints and results.
    pub bytes: u64,
    /// Bytes that wait for the disk.
    pub waiting: u64,
    /// Whether anything is recorded.
    pub recording: bool,
}

/// Counts it.
#[derive(Debug, Default)]
pub(super) struct Counters {
    commits: AtomicU64,
    micros: AtomicU64,
    slowest: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    /// Counts a group of so many bytes, and what it took.
    pub(super) fn count(&self, bytes: u64, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.slowest.fetch_max(micros, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns what was counted, and how things are.
    pub(super) fn read(&self, waiting: usize, recording: bool) -> Figures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            commits: read(&self.commits),
            commit_micros: read(&self.micros),
            slowest_micros: read(&self.slowest),
            bytes: read(&self.bytes),
            waiting: waiting as u64,
            recording,
        }
    }
}
