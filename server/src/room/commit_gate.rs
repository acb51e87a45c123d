//! The gate: what a heat does about an event waits until the event is on the disk.
//!
//! So nobody ever hears of anything that a crash could take back. What waits is carried out
//! in order, under the heat's lock, by the heat's own task when the store says how far it is.
//! A heat that isn't recorded has no gate.

use crate::race::Effects;
use crate::store::{Log, PATIENCE, Ticket};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::sync::Arc;

/// Deeds for which a heat keeps the room: few wait but where many come at once.
const ROOM: usize = 8;

/// What a heat has done, in order: a member hears of what comes after it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct OutputSeq(u64);

/// What is to be done once it may.
#[derive(Debug)]
pub(super) enum PendingOutput {
    /// What the race wants done about an event.
    Effects(Effects),
    /// What the shell itself has to say to one member. Boxed: it is long, and seldom there.
    Say(PlayerId, Box<ServerMessage>),
}

#[derive(Debug)]
struct Held {
    ticket: Ticket,
    since: ServerInstant,
    order: OutputSeq,
    output: PendingOutput,
}

/// A heat's journal, and what waits for it.
#[derive(Debug, Default)]
pub(super) struct CommitGate {
    log: Option<Arc<Log>>,
    /// The ticket of the latest entry.
    latest: Option<Ticket>,
    held: VecDeque<Held>,
    order: OutputSeq,
}

impl CommitGate {
    /// Returns the journal, where there is one.
    pub(super) const fn log(&self) -> Option<&Arc<Log>> {
        self.log.as_ref()
    }

    /// Begins to hold things back, those that wait already included.
    pub(super) fn record(&mut self, log: Arc<Log>, from: Ticket) {
        self.log = Some(log);
        self.latest = Some(from);
        self.held.iter_mut().for_each(|held| held.ticket = from);
    }

    /// Takes note that the journal goes up to here.
    pub(super) const fn wait_for(&mut self, ticket: Ticket) {
        self.latest = Some(ticket);
    }

    /// Returns the place in the order of whoever comes now.
    pub(super) const fn order(&self) -> OutputSeq {
        self.order
    }

    /// Returns the place in the order up to which everything has been done.
    pub(super) fn done(&self) -> OutputSeq {
        self.held.front().map_or(self.order, |held| held.order)
    }

    /// Takes what is to be done, at an instant of the server's clock.
    pub(super) fn hold(&mut self, output: PendingOutput, since: ServerInstant) {
        let order = self.order;
        self.order = OutputSeq(order.0 + 1);
        self.held.push_back(Held { ticket: self.latest.unwrap_or_default(), since, order, output });
    }

    /// Hands out the next output if it may be done.
    pub(super) fn next(&mut self) -> Option<(OutputSeq, PendingOutput)> {
        let first = self.held.front()?;
        let may = self.log.as_ref().is_none_or(|log| log.holds(first.ticket));
        let held = if may { self.held.pop_front() } else { None };
        if self.held.is_empty() {
            self.held.shrink_to(ROOM);
        }
        held.map(|held| (held.order, held.output))
    }

    /// Records nothing any more: whatever waits may be done.
    pub(super) fn open(&mut self) -> Option<Arc<Log>> {
        self.log.take()
    }

    /// Forgets whatever waits for what isn't on the disk.
    pub(super) fn forget(&mut self) {
        if let Some(log) = &self.log {
            self.held.retain(|held| log.has(held.ticket));
        }
    }

    /// Returns until when the first that waits does so with patience.
    pub(super) fn patience(&self) -> Option<ServerInstant> {
        let first = self.held.front()?;
        let patience = u64::try_from(PATIENCE.as_micros()).unwrap_or(u64::MAX);
        Some(ServerInstant(first.since.0.saturating_add(patience)))
    }
}
