//! The one who owns the database, and writes group after group.
//!
//! What it does is a row of steps, between which it waits: a thread of its own takes one after
//! another, and so does the task of a simulation, whose disk takes its time.

use crate::platform::shards::RuntimeRef;
use crate::store::error::StoreError;
use crate::store::group_commit::{Last, Shared, Turn};
use crate::store::journal_handle::{Batch, Log};
use crate::store::retry::Tries;
use crate::store::sql::Rows;
use std::sync::Arc;
use std::time::Duration;

/// The database, and what is on its way to it.
#[derive(Debug)]
pub(super) struct Writer {
    rows: Rows,
    shared: Arc<Shared>,
    last: Last,
    stage: Stage,
    /// Where nothing is recorded: when it tries again.
    tries: Option<Tries>,
}

/// Where the writer is with a group.
#[derive(Debug)]
enum Stage {
    /// There is none.
    Idle,
    /// It is to be written.
    Taken(Group),
    /// It is on the disk, or the store is given up; its heats haven't been told.
    Written(Group),
}

#[derive(Debug)]
struct Group {
    /// When it was taken, by the server's clock.
    began: Duration,
    batches: Vec<Batch>,
    /// Whether it is on the disk.
    is_kept: bool,
}

/// What comes between one step and the next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A disk takes its time.
    Disk,
    /// There is nothing to do for so long at most, or until somebody wakes the writer.
    Wait(Option<Duration>),
    /// Everything is written, and nobody will append any more.
    End,
}

impl Writer {
    pub(super) const fn new(rows: Rows, shared: Arc<Shared>) -> Self {
        Self { rows, shared, last: Last::never(), stage: Stage::Idle, tries: None }
    }

    /// Takes every step on a thread that may be held up.
    pub(super) fn run(mut self) {
        loop {
            match self.step() {
                Step::Disk => {}
                Step::Wait(longest) => self.shared.wait(longest),
                Step::End => return,
            }
        }
    }

    /// Takes the next step.
    pub(super) fn step(&mut self) -> Step {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle => self.look(),
            Stage::Taken(mut group) => {
                group.is_kept = self.write(&group.batches);
                self.stage = Stage::Written(group);
                Step::Disk
            }
            Stage::Written(group) => {
                self.last = Last::new(group.began, self.shared.now());
                self.tell(group);
                self.look()
            }
        }
    }

    /// Looks for something to do.
    fn look(&mut self) -> Step {
        loop {
            match self.shared.turn(self.last) {
                Turn::Write(logs) => return self.take(logs),
                Turn::Note => return self.take(Vec::new()),
                Turn::GivenUp => {
                    if let Some(wait) = self.try_again() {
                        return Step::Wait(Some(wait));
                    }
                }
                Turn::End => return Step::End,
                Turn::Wait(longest) => return Step::Wait(longest),
            }
        }
    }

    fn take(&mut self, logs: Vec<Arc<Log>>) -> Step {
        let began = self.shared.now();
        // What is lost already must not follow on a gap.
        let on = logs.into_iter().filter(|log| !log.is_given_up());
        let batches = on.map(Log::take).collect();
        self.stage = Stage::Taken(Group { began, batches, is_kept: false });
        Step::Disk
    }

    /// Tries to record again once it is time to, and says for how long to wait if it doesn't.
    fn try_again(&mut self) -> Option<Duration> {
        let tries = self.tries.take();
        let mut tries = tries.unwrap_or_else(|| Tries::begin(&self.shared));
        let wait = tries.go_on(&mut self.rows, &self.shared);
        self.tries = wait.map(|_| tries);
        wait
    }

    /// Writes a group, or gives the store up; says whether it is on the disk.
    fn write(&mut self, batches: &[Batch]) -> bool {
        let (began, spell) = (self.shared.now(), self.shared.spells.present());
        match self.commit(batches) {
            Ok(bytes) => {
                let took = self.shared.now().saturating_sub(began);
                self.shared.committed(bytes, took);
                true
            }
            Err(fault) => {
                self.shared.give_up(spell, &fault);
                false
            }
        }
    }

    /// Writes a group; another program's lock is waited for as long as anybody waits.
    fn commit(&mut self, batches: &[Batch]) -> Result<u64, StoreError> {
        loop {
            match self.rows.commit(batches, self.shared.clock()) {
                Err(StoreError::Locked) if !self.shared.is_given_up() => {}
                outcome => return outcome,
            }
        }
    }

    /// Tells the heats of a group how far they are on the disk.
    fn tell(&self, group: Group) {
        let mut homes: Vec<(RuntimeRef, Vec<Arc<Log>>)> = Vec::new();
        for Batch { log, ticket, weight, .. } in group.batches {
            self.shared.awaits_no_more(weight);
            if group.is_kept {
                log.commits(ticket);
            }
            match homes.iter_mut().find(|(home, _)| home.is_same(log.runtime())) {
                Some((_, logs)) => logs.push(log),
                None => homes.push((log.runtime().clone(), vec![log])),
            }
        }
        // Another thread is woken once, and not for each of its heats.
        for (home, logs) in homes {
            home.spawn(async move { logs.iter().for_each(|log| log.tell()) });
        }
    }
}
