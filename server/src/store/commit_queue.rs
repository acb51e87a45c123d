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
use tokio::sync::{Notify, watch};
use tracing::{error, info, warn};

/// The average time between the starts of two groups. A commit costs as much processor time as
/// several moves, and players don't notice a delay of this length.
const GROUP_INTERVAL: Duration = Duration::from_millis(8);
/// Groups that may start without that delay after a pause. A server with few moves never uses them
/// up, so that its entries wait for their sync alone.
const GROUP_BURST: u32 = 8;
/// The longest time between two commits of the clock while heats run: as much time as a crash may
/// give back to all players alike.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two checks that the files are still in the folder, and the longest time until
/// a removed file is noticed.
const FILE_CHECK_INTERVAL: Duration = if cfg!(test) {
    Duration::from_millis(20) // tests wait for it
} else {
    Duration::from_secs(2)
};
/// Bytes that may wait for the disk before moves are refused: a second's work of a slow one.
const MAX_QUEUED_BYTES: usize = 16 * 1024 * 1024;
/// How long an entry may wait for the disk before the store fails.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an entry waits before the hosts are told that the disk is slow: longer than any lag of
/// the network.
const SLOW_AFTER: Duration = Duration::from_secs(2);
/// How long no entry must have waited for [`SLOW_AFTER`] before the hosts are told that the disk
/// is no longer slow.
const CALM_AFTER: Duration = Duration::from_secs(5);
/// The longest time between two checks for a stall, and the longest delay until it is noticed.
const STALL_CHECK_INTERVAL: Duration = Duration::from_millis(500);

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
    /// Whether entries wait for seconds.
    pub(super) is_slow: watch::Sender<bool>,
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
    /// Bytes that were handed to the disk for them, in whole pages.
    pub(crate) written: u64,
    pub(crate) syncs: u64,
    pub(crate) waiting: u64,
    pub(crate) recording: bool,
}

impl std::ops::Add for CommitCost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            written: self.written + other.written,
            syncs: self.syncs + other.syncs,
        }
    }
}

#[derive(Debug)]
struct Queue<J> {
    journals: Vec<Arc<J>>,
    /// Since when the first of them waits.
    waiting_since: Option<Duration>,
    /// Since when the first journal of the group under way has waited.
    writing_since: Option<Duration>,
    /// Since when a sync in the background is under way.
    syncing_since: Option<Duration>,
    /// When the last commit ended.
    last_commit: Duration,
    last_check: Duration,
    is_closed: bool,
    /// Whether the writer has yet to look at a change.
    woken: bool,
}

impl<J> Queue<J> {
    fn take_group(&mut self) -> NextAction<J> {
        self.writing_since = self.waiting_since.take();
        NextAction::Write(std::mem::take(&mut self.journals))
    }
}

#[derive(Debug)]
pub(super) enum NextAction<J> {
    Write(Vec<Arc<J>>),
    /// Write the clock: nothing was written for a while.
    WriteClock,
    CheckFiles,
    Retry,
    /// End: the queue is closed and empty.
    End,
    /// Wait for a wake-up, for this long at most.
    Wait(Option<Duration>),
}

/// The pace of groups, by the generic cell rate algorithm: [`GROUP_BURST`] at once, then one each
/// [`GROUP_INTERVAL`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupPacer {
    /// When the groups so far would have ended at the long-run pace.
    paced_until: Duration,
}

impl GroupPacer {
    /// Returns how long the next group must wait.
    pub(super) fn pause(&self, now: Duration) -> Duration {
        self.paced_until.saturating_sub(now + GROUP_INTERVAL * (GROUP_BURST - 1))
    }

    pub(super) fn begin_group(&mut self, now: Duration) {
        self.paced_until = self.paced_until.max(now) + GROUP_INTERVAL;
    }
}

/// The disk's work for a group or the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CommitCost {
    /// Bytes of entries, checkpoints and archive records.
    pub(super) bytes: u64,
    /// Bytes in whole pages.
    pub(super) written: u64,
    pub(super) syncs: u64,
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
            queue: Mutex::new(Queue {
                journals: Vec::new(),
                waiting_since: None,
                writing_since: None,
                syncing_since: None,
                last_commit: Duration::ZERO,
                last_check: clock.now().since(ServerInstant(0)),
                is_closed: false,
                woken: false,
            }),
            wake: Condvar::new(),
            task_wake: Notify::new(),
            queued_bytes: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            next_journal: AtomicI64::new(next_journal),
            epochs: RecordingEpochs::default(),
            is_slow: watch::Sender::new(false),
            first_retry_pause,
            stats: Mutex::default(),
            commits,
        })
    }

    /// Returns a number for a new journal. The caller must have read its epoch before.
    pub(super) fn new_journal(&self) -> i64 {
        self.next_journal.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts bytes that a journal has added.
    pub(super) fn count(&self, bytes: usize) {
        self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Queues a journal that isn't queued yet.
    pub(super) fn enqueue(&self, journal: &Arc<J>) {
        if self.is_recording() {
            let mut queue = lock(&self.queue);
            queue.journals.push(Arc::clone(journal));
            // The first one tells the writer when the next group is due.
            if queue.journals.len() == 1 {
                queue.waiting_since = Some(self.now());
                self.wake_writer(queue);
            }
        }
    }

    pub(super) fn dequeued(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn has_capacity(&self) -> bool {
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
            error!(%error, "recording stopped after a write error; rooms continue unrecorded until a retry succeeds");
            let mut queue = lock(&self.queue);
            queue.journals.clear();
            queue.waiting_since = None;
            self.wake_writer(queue);
        }
    }

    pub(super) fn resume(&self) {
        let mut queue = lock(&self.queue);
        // One that came while the store failed is of an epoch that is over.
        queue.journals.clear();
        queue.waiting_since = None;
        drop(queue);
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

    pub(super) fn next_action(&self, pacer: &GroupPacer) -> NextAction<J> {
        let mut queue = lock(&self.queue);
        queue.woken = false;
        if queue.is_closed {
            return if queue.journals.is_empty() { NextAction::End } else { queue.take_group() };
        }
        if !self.is_recording() {
            return NextAction::Retry;
        }
        let now = self.now();
        let unchecked = (queue.last_check + FILE_CHECK_INTERVAL).saturating_sub(now);
        if unchecked.is_zero() {
            queue.last_check = now;
            return NextAction::CheckFiles;
        }
        if !queue.journals.is_empty() {
            let pause = pacer.pause(now);
            return if pause.is_zero() {
                queue.take_group()
            } else {
                NextAction::Wait(Some(pause))
            };
        }
        if self.running.load(Ordering::Relaxed) == 0 {
            return NextAction::Wait(Some(unchecked));
        }
        let since = now.saturating_sub(queue.last_commit);
        if since >= CLOCK_INTERVAL {
            return NextAction::WriteClock;
        }
        NextAction::Wait(Some((CLOCK_INTERVAL - since).min(unchecked)))
    }

    /// Notes that the group under way is on the disk, or never will be.
    pub(super) fn end_group(&self) {
        let mut queue = lock(&self.queue);
        queue.writing_since = None;
        queue.last_commit = self.now();
    }

    /// Notices when entries wait for seconds, and fails the store when one has waited for
    /// [`COMMIT_TIMEOUT`]; never returns.
    pub(super) async fn watch_for_stalls(&self) {
        let mut last_slow = None;
        loop {
            let now = self.now();
            let waited = self.oldest_wait().unwrap_or(Duration::ZERO);
            if waited >= COMMIT_TIMEOUT {
                self.fail(self.epochs.present(), &StoreError::Stalled);
            }
            if waited >= SLOW_AFTER {
                last_slow = Some(now);
            }
            let is_slow = self.is_recording() && last_slow.is_some_and(|at| now < at + CALM_AFTER);
            self.set_slow(is_slow);
            let limits = [SLOW_AFTER, COMMIT_TIMEOUT].into_iter();
            let due = limits.filter(|&limit| limit > waited).map(|limit| limit - waited).min();
            let pause = due.unwrap_or(STALL_CHECK_INTERVAL).min(STALL_CHECK_INTERVAL);
            tokio::time::sleep(pause).await;
        }
    }

    fn set_slow(&self, is_slow: bool) {
        let changed = self
            .is_slow
            .send_if_modified(|was_slow| std::mem::replace(was_slow, is_slow) != is_slow);
        match (changed, is_slow) {
            (true, true) => warn!("the disk is slow; answers wait for it"),
            (true, false) => info!("the disk is no longer slow"),
            (false, _) => {}
        }
    }

    /// Returns for how long the oldest entry that isn't on the disk has waited.
    fn oldest_wait(&self) -> Option<Duration> {
        let queue = lock(&self.queue);
        let group = queue.writing_since.or(queue.waiting_since);
        let since = group.into_iter().chain(queue.syncing_since).min()?;
        Some(self.now().saturating_sub(since))
    }

    /// Notes that a sync in the background begins, or that it has ended: what was acknowledged
    /// waits for it.
    pub(super) fn set_syncing(&self, is_syncing: bool) {
        lock(&self.queue).syncing_since = is_syncing.then(|| self.now());
    }

    pub(super) fn count_commit(&self, cost: CommitCost, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut stats = lock(&self.stats);
        stats.commits += 1;
        stats.commit_micros += micros;
        stats.slowest_micros = stats.slowest_micros.max(micros);
        stats.bytes += cost.bytes;
        stats.written += cost.written;
        stats.syncs += cost.syncs;
    }

    pub(super) fn count_background_sync(&self) {
        lock(&self.stats).syncs += 1;
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
    fn groups_follow_at_once_after_a_rest_and_are_paced_in_the_long_run() {
        let mut pacer = GroupPacer::default();
        let mut now = Duration::from_secs(7);
        let mut begin = |now: &mut Duration| {
            let pause = pacer.pause(*now);
            *now += pause;
            pacer.begin_group(*now);
            pause
        };
        for _ in 0..GROUP_BURST {
            assert_eq!(begin(&mut now), Duration::ZERO);
        }
        for _ in 0..20 {
            assert_eq!(begin(&mut now), GROUP_INTERVAL);
        }
        // Eight players at five moves a second never wait.
        now += Duration::from_secs(1);
        for _ in 0..400 {
            now += Duration::from_millis(25);
            assert_eq!(begin(&mut now), Duration::ZERO);
        }
    }
}
