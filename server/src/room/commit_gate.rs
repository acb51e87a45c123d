//! The commit gate: what leaves the server because of an event waits until the event is durable.
//!
//! No peer ever hears of anything that a crash could take back. The outputs of a room or tournament are
//! released in order, under its lock, by its task when the store reports a commit. One that isn't
//! recorded holds nothing back.

use crate::store::{Journal, JournalSeq};
use std::collections::VecDeque;
use std::sync::Arc;

/// Outputs for which the queue keeps memory: more wait only in bursts.
const KEPT_CAPACITY: usize = 8;

/// The number of an output: a member or follower gets those from its own first one on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct OutputSeq(u64);

#[derive(Debug)]
struct PendingOutput<T> {
    ticket: JournalSeq,
    seq: OutputSeq,
    output: T,
}

/// A journal, and the outputs that wait for it.
#[derive(Debug)]
pub(crate) struct CommitGate<T> {
    journal: Option<Arc<Journal>>,
    latest: Option<JournalSeq>,
    pending: VecDeque<PendingOutput<T>>,
    next_seq: OutputSeq,
}

impl<T> Default for CommitGate<T> {
    fn default() -> Self {
        Self {
            journal: None,
            latest: None,
            pending: VecDeque::new(),
            next_seq: OutputSeq::default(),
        }
    }
}

impl<T> CommitGate<T> {
    pub(crate) const fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Starts to hold outputs back for a journal, those that are pending included.
    pub(crate) fn start_recording(&mut self, journal: Arc<Journal>, from: JournalSeq) {
        self.journal = Some(journal);
        self.latest = Some(from);
        self.pending.iter_mut().for_each(|output| output.ticket = from);
    }

    /// Stops to hold outputs back, those that are pending included.
    pub(crate) fn stop_recording(&mut self) -> Option<Arc<Journal>> {
        self.journal.take()
    }

    /// Makes the outputs from now on wait for this entry of the journal.
    pub(crate) const fn wait_for(&mut self, ticket: JournalSeq) {
        self.latest = Some(ticket);
    }

    pub(crate) const fn next_seq(&self) -> OutputSeq {
        self.next_seq
    }

    pub(crate) fn push(&mut self, output: T) {
        let seq = self.next_seq;
        self.next_seq = OutputSeq(seq.0 + 1);
        let ticket = self.latest.unwrap_or_default();
        self.pending.push_back(PendingOutput { ticket, seq, output });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns how many outputs wait.
    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Returns the number of the next output that is released.
    pub(crate) fn next_released(&self) -> OutputSeq {
        self.pending.front().map_or(self.next_seq, |first| first.seq)
    }

    /// Takes the next output if its entry is durable.
    pub(crate) fn pop_committed(&mut self) -> Option<(OutputSeq, T)> {
        let first = self.pending.front()?;
        let released = self.journal.as_ref().is_none_or(|log| log.is_settled(first.ticket));
        let output = if released { self.pending.pop_front() } else { None };
        if self.pending.is_empty() {
            self.pending.shrink_to(KEPT_CAPACITY);
        }
        output.map(|output| (output.seq, output.output))
    }

    /// Returns whether nothing has to wait: the latest entry is durable, or nothing is recorded.
    pub(crate) fn is_settled(&self) -> bool {
        let latest = self.latest.unwrap_or_default();
        self.journal.as_ref().is_none_or(|log| log.is_settled(latest))
    }

    /// Returns whether the latest entry is on the disk.
    pub(crate) fn is_committed(&self) -> bool {
        let latest = self.latest.unwrap_or_default();
        self.journal.as_ref().is_some_and(|log| log.is_committed(latest))
    }

    pub(crate) fn discard_uncommitted(&mut self) {
        if let Some(log) = &self.journal {
            self.pending.retain(|output| log.is_committed(output.ticket));
        }
    }
}
