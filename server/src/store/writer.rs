//! The one thread that owns the database, and the queue in front of it.

use super::again;
use super::fault::StoreFault;
use super::figures::{Counters, Figures};
use super::log::{Batch, Log};
use super::rows::Rows;
use super::spell::{Spell, Spells};
use crate::clock::Clock;
use crate::shards::Home;
use gridrace_shared::time::Micros;
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
}

/// What the writer does next.
enum Turn {
    Now(Call),
    /// Nothing, for so long at most.
    Wait(Option<Duration>),
}

/// The last group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Last {
    /// When it was begun, by the server's clock.
    began: Duration,
    /// How long after that the next one may be.
    rest: Duration,
}

impl Last {
    /// Looks back on a group that was begun then, and is over now.
    pub(super) fn new(began: Duration, now: Duration) -> Self {
        let took = now.saturating_sub(began);
        Self {
            began,
            rest: (took * GROUP_REST).clamp(GROUP_LEAST, GROUP_EVERY),
        }
    }
}

/// What woke the writer.
pub(super) enum Call {
    /// These have appended something.
    Write(Vec<Arc<Log>>),
    /// Nothing was written for a while.
    Note,
    /// Nothing is recorded any more.
    GivenUp,
    /// Nobody will append any more.
    End,
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
            let is_first = queue.logs.len() == 1;
            drop(queue);
            // After that the writer knows when it is to write.
            if is_first {
                self.wake_up();
            }
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.is_given_up() || self.waiting.load(Ordering::Relaxed) < WAITING
    }

    pub(super) fn runs(&self, runs: bool) {
        if runs {
            self.running.fetch_add(1, Ordering::Relaxed);
            self.wake_up();
        } else {
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn is_given_up(&self) -> bool {
        !self.spells.records()
    }

    /// Writes nothing of this spell any more, and says so once.
    pub(super) fn give_up(&self, spell: Spell, fault: &StoreFault) {
        if self.spells.end(spell) {
            error!(%fault, "nothing is recorded any more, and heats go on");
            self.queue().logs.clear();
            self.wake_up();
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

    /// Waits for so long, and says whether the server is still there then.
    pub(super) fn pause(&self, pause: Duration) -> bool {
        let woken = self
            .wake
            .wait_timeout_while(self.queue(), pause, |queue| !queue.ends);
        !woken.unwrap_or_else(PoisonError::into_inner).0.ends
    }

    pub(super) fn clock(&self) -> Micros {
        self.clock.now()
    }

    /// Asks the writer to end once everything is written.
    pub(super) fn end(&self) {
        self.queue().ends = true;
        self.wake_up();
    }

    pub(super) fn figures(&self) -> Figures {
        let waiting = self.waiting.load(Ordering::Relaxed);
        self.figures.read(waiting, !self.is_given_up())
    }

    /// Waits for something to do. What comes soon after the last group waits for its turn.
    fn call(&self, last: Last) -> Call {
        let mut queue = self.queue();
        loop {
            queue = match self.turn(&mut queue, last) {
                Turn::Now(call) => return call,
                // Whoever holds the queue's lock never panics.
                Turn::Wait(None) => self
                    .wake
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner),
                Turn::Wait(Some(wait)) => {
                    let woken = self.wake.wait_timeout(queue, wait);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Does the same for a task.
    pub(super) async fn call_here(&self, last: Last) -> Call {
        loop {
            let turn = self.turn(&mut self.queue(), last);
            match turn {
                Turn::Now(call) => return call,
                Turn::Wait(None) => self.wake_here.notified().await,
                Turn::Wait(Some(wait)) => {
                    let woken = tokio::time::timeout(wait, self.wake_here.notified()).await;
                    woken.ok(); // either way it is time to look
                }
            }
        }
    }

    /// Says what there is to do, or how long to wait at most.
    fn turn(&self, queue: &mut Queue, last: Last) -> Turn {
        let since = self.now().saturating_sub(last.began);
        if queue.ends {
            return Turn::Now(match std::mem::take(&mut queue.logs) {
                none if none.is_empty() => Call::End,
                logs => Call::Write(logs),
            });
        }
        if self.is_given_up() {
            return Turn::Now(Call::GivenUp);
        }
        if !queue.logs.is_empty() {
            if since >= last.rest {
                return Turn::Now(Call::Write(std::mem::take(&mut queue.logs)));
            }
            return Turn::Wait(Some(last.rest - since));
        }
        if self.running.load(Ordering::Relaxed) == 0 {
            return Turn::Wait(None);
        }
        if since >= NOTE_EVERY {
            return Turn::Now(Call::Note);
        }
        Turn::Wait(Some(NOTE_EVERY - since))
    }

    /// Takes whatever waits.
    pub(super) fn take(&self) -> Vec<Arc<Log>> {
        std::mem::take(&mut self.queue().logs)
    }

    fn wake_up(&self) {
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

/// Writes group after group until nobody appends any more.
pub(super) fn run(mut rows: Rows, shared: &Shared) {
    let mut last = Last::default();
    loop {
        let logs = match shared.call(last) {
            Call::Write(logs) => logs,
            Call::Note => Vec::new(),
            Call::GivenUp if again::until_it_records(&mut rows, shared) => continue,
            Call::GivenUp | Call::End => return,
        };
        let began = shared.now();
        // What is lost already must not follow on a gap.
        let on = logs.into_iter().filter(|log| !log.is_given_up());
        let batches: Vec<Batch> = on.map(Log::take).collect();
        write(&mut rows, &batches, shared);
        last = Last::new(began, shared.now());
        tell(batches, shared);
    }
}

/// Writes a group, or gives the store up.
pub(super) fn write(rows: &mut Rows, batches: &[Batch], shared: &Shared) {
    let (began, spell) = (shared.now(), shared.spells.present());
    match commit(rows, batches, shared) {
        Ok(bytes) => {
            let took = shared.now().saturating_sub(began);
            shared.commits.observe(took.as_secs_f64());
            shared.figures.count(bytes, took);
        }
        Err(fault) => shared.give_up(spell, &fault),
    }
}

/// Tells the heats of a group how far they are on the disk.
pub(super) fn tell(batches: Vec<Batch>, shared: &Shared) {
    let mut homes: Vec<(Home, Vec<Arc<Log>>)> = Vec::new();
    for Batch {
        log,
        ticket,
        weight,
        ..
    } in batches
    {
        shared.waiting.fetch_sub(weight, Ordering::Relaxed);
        log.commits(ticket);
        match homes.iter_mut().find(|(home, _)| home.is_that(log.home())) {
            Some((_, logs)) => logs.push(log),
            None => homes.push((log.home().clone(), vec![log])),
        }
    }
    // Another thread is woken once, and not for each of its heats.
    for (home, logs) in homes {
        home.spawn(async move { logs.iter().for_each(|log| log.tell()) });
    }
}

/// Writes a group; another program's lock is waited for as long as anybody waits.
fn commit(rows: &mut Rows, batches: &[Batch], shared: &Shared) -> Result<u64, StoreFault> {
    loop {
        match rows.commit(batches, shared.clock.now()) {
            Err(StoreFault::Locked) if !shared.is_given_up() => {}
            outcome => return outcome,
        }
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
