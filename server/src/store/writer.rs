//! The writer: owns the database, and writes one group after another.
//!
//! Its work is a sequence of steps. Its thread takes them one after another; in a
//! simulation a task does, whose disk takes simulated time between two steps.

use crate::platform::shards::RuntimeRef;
use crate::store::background_sync::BackgroundSync;
use crate::store::commit_queue::{CommitCost, CommitQueue, GroupPacer, NextAction};
use crate::store::error::StoreError;
use crate::store::journal::{Batch, Journal};
use crate::store::retry::Retry;
use crate::store::sql::Database;
use std::sync::Arc;
use std::time::Duration;
use tracing::warn;

/// The database, and the group on its way to it.
#[derive(Debug)]
pub(super) struct Writer {
    database: Database,
    queue: Arc<CommitQueue<Journal>>,
    pacer: GroupPacer,
    stage: GroupStage,
    /// The next attempt to record again, if the store doesn't.
    retry: Option<Retry>,
    /// Syncs what the writer doesn't.
    background: Option<BackgroundSync>,
}

#[derive(Debug)]
enum GroupStage {
    Idle,
    Taken(Group),
    /// The group is on the disk, or the store has failed; its rooms haven't been notified.
    Written(Group),
}

#[derive(Debug)]
struct Group {
    batches: Vec<Batch>,
    is_committed: bool,
}

/// What comes between one step and the next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WriterStep {
    Disk,
    /// A wait for a wake-up, for this long at most.
    Wait(Option<Duration>),
    /// Nothing: the queue is closed, and everything is written.
    End,
}

impl Writer {
    pub(super) fn new(
        database: Database,
        queue: Arc<CommitQueue<Journal>>,
        background: Option<BackgroundSync>,
    ) -> Self {
        let pacer = GroupPacer::default();
        Self { database, queue, pacer, stage: GroupStage::Idle, retry: None, background }
    }

    /// Takes all steps, on a thread that may block.
    pub(super) fn run(mut self) {
        loop {
            match self.step() {
                WriterStep::Disk => {}
                WriterStep::Wait(timeout) => self.queue.wait(timeout),
                WriterStep::End => return,
            }
        }
    }

    pub(super) fn step(&mut self) -> WriterStep {
        match std::mem::replace(&mut self.stage, GroupStage::Idle) {
            GroupStage::Idle => self.next_group(),
            GroupStage::Taken(mut group) => {
                group.is_committed = self.write(&group.batches);
                self.stage = GroupStage::Written(group);
                WriterStep::Disk
            }
            GroupStage::Written(group) => {
                self.queue.end_group();
                self.notify(group);
                self.next_group()
            }
        }
    }

    fn next_group(&mut self) -> WriterStep {
        loop {
            match self.queue.next_action(&self.pacer) {
                NextAction::Write(journals) => return self.take(journals),
                NextAction::WriteClock => return self.take(Vec::new()),
                NextAction::CheckFiles => {
                    if let Err(error) = self.database.check_files() {
                        self.queue.fail(self.queue.epochs.present(), &error);
                    }
                }
                NextAction::Retry => {
                    if let Some(pause) = self.retry() {
                        return WriterStep::Wait(Some(pause));
                    }
                }
                NextAction::End => {
                    self.end();
                    return WriterStep::End;
                }
                NextAction::Wait(timeout) => return WriterStep::Wait(timeout),
            }
        }
    }

    /// Saves the clock, and how far the log is: a record that is gone by the next start is missed.
    fn end(&mut self) {
        self.background = None;
        if self.queue.is_recording()
            && let Err(error) = self.database.save_clock(self.queue.instant())
        {
            warn!(%error, "clock not saved at the end");
        }
        if let Err(error) = self.database.close() {
            warn!(%error, "database not closed at the end");
        }
    }

    fn take(&mut self, journals: Vec<Arc<Journal>>) -> WriterStep {
        self.pacer.begin_group(self.queue.now());
        // The changes of a lost journal would follow on a gap.
        let live = journals.into_iter().filter(|journal| !journal.is_lost());
        let batches = live.map(Journal::take).collect();
        self.stage = GroupStage::Taken(Group { batches, is_committed: false });
        WriterStep::Disk
    }

    /// Tries to record again if it is time to; returns the pause until the next attempt.
    fn retry(&mut self) -> Option<Duration> {
        let retry = self.retry.take();
        let mut retry = retry.unwrap_or_else(|| Retry::schedule(&self.queue));
        let pause = retry.try_if_due(&mut self.database, &self.queue);
        self.retry = pause.map(|_| retry);
        pause
    }

    /// Writes a group; fails the store and returns false if that is impossible.
    fn write(&mut self, batches: &[Batch]) -> bool {
        let (began, epoch) = (self.queue.now(), self.queue.epochs.present());
        match self.commit(batches) {
            Ok(cost) => {
                let took = self.queue.now().saturating_sub(began);
                self.queue.count_commit(cost, took);
                if let (Some(background), Some(file)) =
                    (&self.background, self.database.unsynced_file())
                {
                    background.request(file);
                }
                true
            }
            Err(error) => {
                self.queue.fail(epoch, &error);
                false
            }
        }
    }

    /// Writes a group. While another program locks the database it tries again, until the store is failed for
    /// taking too long.
    fn commit(&mut self, batches: &[Batch]) -> Result<CommitCost, StoreError> {
        loop {
            match self.database.commit(batches, self.queue.instant()) {
                Err(StoreError::Locked) if self.queue.is_recording() => {}
                outcome => return outcome,
            }
        }
    }

    /// Tells the journals of a group what is on the disk, and wakes their rooms.
    fn notify(&self, group: Group) {
        let mut runtimes: Vec<(RuntimeRef, Vec<Arc<Journal>>)> = Vec::new();
        for Batch { journal, seq, queued_bytes, .. } in group.batches {
            self.queue.dequeued(queued_bytes);
            if group.is_committed {
                journal.mark_committed(seq);
            }
            match runtimes.iter_mut().find(|(runtime, _)| runtime.is_same(journal.waker.runtime()))
            {
                Some((_, journals)) => journals.push(journal),
                None => runtimes.push((journal.waker.runtime().clone(), vec![journal])),
            }
        }
        // One wake-up for each thread, not for each of its rooms.
        for (runtime, journals) in runtimes {
            runtime.spawn(async move { journals.iter().for_each(|journal| journal.waker.wake()) });
        }
    }
}
