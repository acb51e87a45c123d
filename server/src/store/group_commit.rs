//! The queue in front of the writer, and how it waits for something to do.

use crate::platform::clock::Clock;
use crate::store::epoch::{Spell, Spells};
use crate::store::error::StoreError;
use crate::store::journal_handle::Log;
use crate::store::stats::{Counters, Figures};
use gridrace_shared::util::time::ServerInstant;
use prometheus_client::metrics::histogram::Histogram;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tracing::error;

/// How far apart two groups lie at most, where there is always something: nobody feels that a
/// move waits for it.
pub const GROUP_EVERY: Duration = Duration::from_millis(20);
/// How far apart they lie at least: what comes within this time shares one commit, however
/// quick the disk is, for a commit costs as much as a hundred moves.
const GROUP_LEAST: Duration = Duration::from_millis(2);
/// How many times as far apart they lie as the last one took: the disk is busy for a quarter
/// of the time, until groups are as far apart as they may be.
const GROUP_REST: u32 = 4;
/// How long heats may run without a word to the disk: as much time as a crash may give back
/// to all players alike.
const NOTE_EVERY: Duration = Duration::from_secs(1);
/// Bytes that may wait for the disk before moves are refused: a second's worth of a slow one.
const WAITING: usize = 16 * 1024 * 1024;
/// How long an event may wait for the disk before the store is given up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What heats and writer share.
#[derive(Debug)]
pub(crate) struct Shared {
    clock: Clock,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// The same, for a writer that is a task.
    wake_here: Notify,
    /// Bytes that wait for the disk.
    waiting: AtomicUsize,
    /// Heats that have a deadline.
    running: AtomicUsize,
    next_heat: AtomicI64,
    pub(super) spells: Spells,
    /// How long after a failure the store tries for the first time to record again.
    first_pause: Duration,
    figures: Counters,
    /// How long commits take, for whoever watches the server.
    commits: Histogram,
}

#[derive(Debug, Default)]
struct Queue {
    logs: Vec<Arc<Log>>,
    ends: bool,
    /// Something happened that the writer hasn't looked at.
    woken: bool,
}

/// What the writer does next.
#[derive(Debug)]
pub(super) enum Turn {
    /// These have appended something.
    Write(Vec<Arc<Log>>),
    /// Nothing was written for a while.
    Note,
    /// Nothing is recorded any more.
    GivenUp,
    /// Nobody will append any more.
    End,
    /// Nothing, for so long at most.
    Wait(Option<Duration>),
}

/// The last group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Last {
    /// When it was begun, by the server's clock.
    began: Duration,
    /// How long after that the next one may be.
    rest: Duration,
}

impl Last {
    /// Looks back on none.
    pub(super) const fn never() -> Self {
        Self { began: Duration::ZERO, rest: Duration::ZERO }
    }

    /// Looks back on a group that was begun then, and is over now.
    pub(super) fn new(began: Duration, now: Duration) -> Self {
        let took = now.saturating_sub(began);
        Self { began, rest: (took * GROUP_REST).clamp(GROUP_LEAST, GROUP_EVERY) }
    }
}

impl Shared {
    pub(super) fn new(
        clock: Clock,
        next_heat: i64,
        commits: Histogram,
        first_pause: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            queue: Mutex::default(),
            wake: Condvar::new(),
            wake_here: Notify::new(),
            waiting: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            next_heat: AtomicI64::new(next_heat),
            spells: Spells::default(),
            first_pause,
            figures: Counters::default(),
            commits,
        })
    }

    /// Returns a number that no heat had, for one of a spell that is known already.
    pub(super) fn new_heat(&self) -> i64 {
        self.next_heat.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes note of so many bytes, and of the heat that has them if it is not known to have
    /// some.
    pub(super) fn awaits(&self, bytes: usize, log: Option<&Arc<Log>>) {
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        if let Some(log) = log
            && !self.is_given_up()
        {
            let mut queue = self.queue();
            queue.logs.push(Arc::clone(log));
            // After that the writer knows when it is to write.
            if queue.logs.len() == 1 {
                self.wake_up(queue);
            }
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.is_given_up() || self.waiting.load(Ordering::Relaxed) < WAITING
    }

    pub(super) fn runs(&self, runs: bool) {
        if runs {
            self.running.fetch_add(1, Ordering::Relaxed);
            self.wake_up(self.queue());
        } else {
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn is_given_up(&self) -> bool {
        !self.spells.records()
    }

    /// Writes nothing of this spell any more, and says so once.
    pub(super) fn give_up(&self, spell: Spell, fault: &StoreError) {
        if self.spells.end(spell) {
            error!(%fault, "nothing is recorded any more, and heats go on");
            let mut queue = self.queue();
            queue.logs.clear();
            self.wake_up(queue);
        }
    }

    /// Records again: whatever is appended from now on, by journals that begin now.
    pub(super) fn begin_again(&self) {
        self.waiting.store(0, Ordering::Relaxed);
        self.spells.begin(self.next_heat.load(Ordering::Relaxed));
    }

    pub(super) const fn first_pause(&self) -> Duration {
        self.first_pause
    }

    pub(super) fn clock(&self) -> ServerInstant {
        self.clock.now()
    }

    /// Asks the writer to end once everything is written.
    pub(super) fn end(&self) {
        let mut queue = self.queue();
        queue.ends = true;
        self.wake_up(queue);
    }

    pub(super) fn figures(&self) -> Figures {
        let waiting = self.waiting.load(Ordering::Relaxed);
        self.figures.read(waiting, !self.is_given_up())
    }

    /// Waits on the writer's own thread until there is something to look at, for so long at
    /// most.
    pub(super) fn wait(&self, longest: Option<Duration>) {
        let queue = self.queue();
        let sleeps = |queue: &mut Queue| !queue.woken;
        // Whoever holds the queue's lock never panics.
        match longest {
            None => drop(self.wake.wait_while(queue, sleeps)),
            Some(longest) => drop(self.wake.wait_timeout_while(queue, longest, sleeps)),
        }
    }

    /// Does the same for a task.
    pub(super) async fn wait_here(&self, longest: Option<Duration>) {
        let woken = self.wake_here.notified();
        match longest {
            None => woken.await,
            Some(longest) => {
                let woken = tokio::time::timeout(longest, woken).await;
                woken.ok(); // either way it is time to look
            }
        }
    }

    /// Says what there is to do, or how long to wait at most. What comes soon after the last
    /// group waits for its turn.
    pub(super) fn turn(&self, last: Last) -> Turn {
        let mut queue = self.queue();
        queue.woken = false;
        if queue.ends {
            return match std::mem::take(&mut queue.logs) {
                none if none.is_empty() => Turn::End,
                logs => Turn::Write(logs),
            };
        }
        if self.is_given_up() {
            return Turn::GivenUp;
        }
        let since = self.now().saturating_sub(last.began);
        if !queue.logs.is_empty() {
            if since >= last.rest {
                return Turn::Write(std::mem::take(&mut queue.logs));
            }
            return Turn::Wait(Some(last.rest - since));
        }
        if self.running.load(Ordering::Relaxed) == 0 {
            return Turn::Wait(None);
        }
        if since >= NOTE_EVERY {
            return Turn::Note;
        }
        Turn::Wait(Some(NOTE_EVERY - since))
    }

    /// Takes note of a group that is on the disk.
    pub(super) fn committed(&self, bytes: u64, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        self.figures.count(bytes, took);
    }

    /// Takes note that so many bytes don't wait for the disk any more.
    pub(super) fn awaits_no_more(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn wake_up(&self, mut queue: MutexGuard<'_, Queue>) {
        queue.woken = true;
        drop(queue);
        self.wake.notify_one();
        self.wake_here.notify_one();
    }

    pub(super) fn now(&self) -> Duration {
        Duration::from_micros(self.clock.now().0)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_lie_as_far_apart_as_the_disk_is_slow() {
        let rest = |took| {
            let began = Duration::from_secs(7);
            Last::new(began, began + Duration::from_micros(took)).rest
        };
        assert_eq!(rest(0), GROUP_LEAST);
        assert_eq!(rest(100), GROUP_LEAST);
        assert_eq!(rest(1_500), Duration::from_millis(6));
        assert_eq!(rest(5_000), GROUP_EVERY);
        assert_eq!(rest(900_000), GROUP_EVERY);
    }
}
