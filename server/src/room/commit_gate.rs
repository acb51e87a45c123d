//! The commit gate: what leaves the server because of an event waits until the event is durable.
//!
//! No peer ever hears of anything that a crash could take back. The outputs are released in
//! order, under the room's lock, by the room's own task when the store reports a commit. A room
//! that isn't recorded holds nothing back.

use crate::race::Effect;
use crate::store::{Journal, JournalSeq};
use std::collections::VecDeque;
use std::sync::Arc;

/// Outputs for which the queue keeps memory: more wait only in bursts.
const KEPT_CAPACITY: usize = 8;

/// The number of an output: a member gets those from its own first one on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct OutputSeq(u64);

#[derive(Debug)]
struct PendingOutput {
    ticket: JournalSeq,
    seq: OutputSeq,
    effects: Vec<Effect>,
}

/// A room's journal, and the outputs that wait for it.
#[derive(Debug, Default)]
pub(super) struct CommitGate {
    journal: Option<Arc<Journal>>,
    latest: Option<JournalSeq>,
    pending: VecDeque<PendingOutput>,
    next_seq: OutputSeq,
}

impl CommitGate {
    pub(super) const fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Starts to hold outputs back for a journal, those that are pending included.
    pub(super) fn start_recording(&mut self, journal: Arc<Journal>, from: JournalSeq) {
        self.journal = Some(journal);
        self.latest = Some(from);
        self.pending.iter_mut().for_each(|output| output.ticket = from);
    }

    /// Stops to hold outputs back, those that are pending included.
    pub(super) fn stop_recording(&mut self) -> Option<Arc<Journal>> {
        self.journal.take()
    }

    /// Makes the outputs from now on wait for this entry of the journal.
    pub(super) const fn wait_for(&mut self, ticket: JournalSeq) {
        self.latest = Some(ticket);
    }

    pub(super) const fn next_seq(&self) -> OutputSeq {
        self.next_seq
    }

    pub(super) fn push(&mut self, effects: Vec<Effect>) {
        let seq = self.next_seq;
        self.next_seq = OutputSeq(seq.0 + 1);
        let ticket = self.latest.unwrap_or_default();
        self.pending.push_back(PendingOutput { ticket, seq, effects });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns the number of the next output that is released.
    pub(super) fn next_released(&self) -> OutputSeq {
        self.pending.front().map_or(self.next_seq, |first| first.seq)
    }

    /// Takes the next output if its entry is durable.
    pub(super) fn pop_committed(&mut self) -> Option<(OutputSeq, Vec<Effect>)> {
        let first = self.pending.front()?;
        let released = self.journal.as_ref().is_none_or(|log| log.is_settled(first.ticket));
        let output = if released { self.pending.pop_front() } else { None };
        if self.pending.is_empty() {
            self.pending.shrink_to(KEPT_CAPACITY);
        }
        output.map(|output| (output.seq, output.effects))
    }

    pub(super) fn discard_uncommitted(&mut self) {
        if let Some(log) = &self.journal {
            self.pending.retain(|output| log.is_committed(output.ticket));
        }
    }
}
