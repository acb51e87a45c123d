//! Group commit: the queue in front of the writer, and when the writer takes the next group.

use crate::platform::clock::Clock;
use crate::platform::lock::lock;
use crate::store::epoch::{RecordingEpoch, RecordingEpochs};
use crate::store::error::StoreError;
use gridrace_shared::util::time::ServerInstant;
use prometheus_client::metrics::histogram::Histogram;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Notify;
use tracing::error;

/// The longest time between the starts of two groups while journals wait: no player notices that
/// a move waits for it.
const MAX_GROUP_INTERVAL: Duration = Duration::from_millis(20);
/// The shortest time between them, however fast the disk is: a commit costs as much as a hundred
/// moves.
const MIN_GROUP_INTERVAL: Duration = Duration::from_millis(2);
/// The time between them, as a multiple of the last group's: the disk is busy for a quarter of the
/// time, up to [`MAX_GROUP_INTERVAL`].
const GROUP_INTERVAL_FACTOR: u32 = 4;
/// The longest time between two commits of the clock while heats run: as much time as a crash may
/// give back to all players alike.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);
/// Bytes that may wait for the disk before moves are refused: a second's work of a slow one.
const MAX_QUEUED_BYTES: usize = 16 * 1024 * 1024;
/// How long an event may wait for the disk before the store fails.
pub(crate) const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// What journals of type `J` share with the writer.
#[derive(Debug)]
pub(crate) struct CommitQueue<J> {
    clock: Clock,
    queue: Mutex<Queue<J>>,
    wake: Condvar,
    /// Wakes a writer that is a task.
    task_wake: Notify,
    queued_bytes: AtomicUsize,
    running: AtomicUsize,
    next_journal: AtomicI64,
    pub(super) epochs: RecordingEpochs,
    /// The time from a failure to the first attempt to record again.
    pub(super) first_retry_pause: Duration,
    stats: Mutex<StoreStats>,
    commits: Histogram,
}

/// The store's work since it was opened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoreStats {
    pub(crate) commits: u64,
    /// Their time in sum, in microseconds.
    pub(crate) commit_micros: u64,
    /// The slowest one's, in microseconds.
    pub(crate) slowest_micros: u64,
    /// Bytes of entries, checkpoints and archive records on the disk.
    pub(crate) bytes: u64,
    pub(crate) waiting: u64,
    pub(crate) recording: bool,
}

#[derive(Debug)]
struct Queue<J> {
    journals: Vec<Arc<J>>,
    is_closed: bool,
    /// Whether the writer has yet to look at a change.
    woken: bool,
}

#[derive(Debug)]
pub(super) enum NextAction<J> {
    Write(Vec<Arc<J>>),
    /// Write the clock: nothing was written for a while.
    WriteClock,
    Retry,
    /// End: the queue is closed and empty.
    End,
    /// Wait for a wake-up, for this long at most.
    Wait(Option<Duration>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastGroup {
    began: Duration,
    /// The time from `began` to the start of the next group.
    interval: Duration,
}

impl LastGroup {
    pub(super) const fn none() -> Self {
        Self { began: Duration::ZERO, interval: Duration::ZERO }
    }

    pub(super) fn new(began: Duration, ended: Duration) -> Self {
        let took = ended.saturating_sub(began);
        let interval = (took * GROUP_INTERVAL_FACTOR).clamp(MIN_GROUP_INTERVAL, MAX_GROUP_INTERVAL);
        Self { began, interval }
    }
}

impl<J> CommitQueue<J> {
    pub(super) fn new(
        clock: Clock,
        next_journal: i64,
        commits: Histogram,
        first_retry_pause: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            queue: Mutex::new(Queue { journals: Vec::new(), is_closed: false, woken: false }),
            wake: Condvar::new(),
            task_wake: Notify::new(),
            queued_bytes: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            next_journal: AtomicI64::new(next_journal),
            epochs: RecordingEpochs::default(),
            first_retry_pause,
            stats: Mutex::default(),
            commits,
        })
    }

    /// Returns a number for a new journal. The caller must have read its epoch before.
    pub(super) fn new_journal(&self) -> i64 {
        self.next_journal.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts bytes that a journal has added, and queues the journal if it isn't queued yet.
    pub(super) fn enqueue(&self, bytes: usize, journal: Option<&Arc<J>>) {
        self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(journal) = journal
            && self.is_recording()
        {
            let mut queue = lock(&self.queue);
            queue.journals.push(Arc::clone(journal));
            // The first one tells the writer when the next group is due.
            if queue.journals.len() == 1 {
                self.wake_writer(queue);
            }
        }
    }

    pub(super) fn dequeued(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn has_room(&self) -> bool {
        !self.is_recording() || self.queued_bytes.load(Ordering::Relaxed) < MAX_QUEUED_BYTES
    }

    /// Counts a room that begins or ceases to have a deadline.
    pub(super) fn set_running(&self, is_running: bool) {
        if is_running {
            self.running.fetch_add(1, Ordering::Relaxed);
            self.wake_writer(lock(&self.queue));
        } else {
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn is_recording(&self) -> bool {
        self.epochs.is_recording()
    }

    /// Ends this epoch of recording, if it hasn't ended.
    pub(super) fn fail(&self, epoch: RecordingEpoch, error: &StoreError) {
        if self.epochs.end(epoch) {
            error!(%error, "journaling disabled after a write error; rooms continue unrecorded");
            let mut queue = lock(&self.queue);
            queue.journals.clear();
            self.wake_writer(queue);
        }
    }

    pub(super) fn resume(&self) {
        self.queued_bytes.store(0, Ordering::Relaxed);
        self.epochs.begin(self.next_journal.load(Ordering::Relaxed));
    }

    pub(super) fn instant(&self) -> ServerInstant {
        self.clock.now()
    }

    /// Returns the time since the clock's start.
    pub(super) fn now(&self) -> Duration {
        self.clock.now().since(ServerInstant(0))
    }

    /// Asks the writer to end once everything is written.
    pub(super) fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.is_closed = true;
        self.wake_writer(queue);
    }

    pub(super) fn stats(&self) -> StoreStats {
        StoreStats {
            waiting: self.queued_bytes.load(Ordering::Relaxed) as u64,
            recording: self.is_recording(),
            ..*lock(&self.stats)
        }
    }

    /// Blocks the writer's thread until a wake-up, for `timeout` at most.
    pub(super) fn wait(&self, timeout: Option<Duration>) {
        let queue = lock(&self.queue);
        let sleeps = |queue: &mut Queue<J>| !queue.woken;
        // No code under the lock panics.
        match timeout {
            None => drop(self.wake.wait_while(queue, sleeps)),
            Some(timeout) => drop(self.wake.wait_timeout_while(queue, timeout, sleeps)),
        }
    }

    /// Like [`Self::wait`], for a writer that is a task.
    pub(super) async fn wait_as_task(&self, timeout: Option<Duration>) {
        let woken = self.task_wake.notified();
        match timeout {
            None => woken.await,
            Some(timeout) => {
                let woken = tokio::time::timeout(timeout, woken).await;
                woken.ok(); // the writer looks in either case
            }
        }
    }

    pub(super) fn next_action(&self, last: LastGroup) -> NextAction<J> {
        let mut queue = lock(&self.queue);
        queue.woken = false;
        if queue.is_closed {
            return match std::mem::take(&mut queue.journals) {
                none if none.is_empty() => NextAction::End,
                journals => NextAction::Write(journals),
            };
        }
        if !self.is_recording() {
            return NextAction::Retry;
        }
        let since = self.now().saturating_sub(last.began);
        if !queue.journals.is_empty() {
            if since >= last.interval {
                return NextAction::Write(std::mem::take(&mut queue.journals));
            }
            return NextAction::Wait(Some(last.interval - since));
        }
        if self.running.load(Ordering::Relaxed) == 0 {
            return NextAction::Wait(None);
        }
        if since >= CLOCK_INTERVAL {
            return NextAction::WriteClock;
        }
        NextAction::Wait(Some(CLOCK_INTERVAL - since))
    }

    pub(super) fn count_commit(&self, bytes: u64, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut stats = lock(&self.stats);
        stats.commits += 1;
        stats.commit_micros += micros;
        stats.slowest_micros = stats.slowest_micros.max(micros);
        stats.bytes += bytes;
    }

    fn wake_writer(&self, mut queue: MutexGuard<'_, Queue<J>>) {
        queue.woken = true;
        drop(queue);
        self.wake.notify_one();
        self.task_wake.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_groups_grows_with_the_time_of_a_commit() {
        let interval = |took| {
            let began = Duration::from_secs(7);
            LastGroup::new(began, began + Duration::from_micros(took)).interval
        };
        assert_eq!(interval(0), MIN_GROUP_INTERVAL);
        assert_eq!(interval(100), MIN_GROUP_INTERVAL);
        assert_eq!(interval(1_500), Duration::from_millis(6));
        assert_eq!(interval(5_000), MAX_GROUP_INTERVAL);
        assert_eq!(interval(900_000), MAX_GROUP_INTERVAL);
    }
}
