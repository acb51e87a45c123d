//! Delivery of messages to the members of a room.

use super::{State, Subscriber};
use crate::race::Audience;
use crate::room::commit_gate::OutputSeq;
use crate::room::outbox::{Ending, Frame, Outbox};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use std::collections::btree_map::Entry;
use std::sync::Arc;

impl State {
    pub(super) fn send(&mut self, seq: OutputSeq, to: PlayerId, message: ServerMessage) {
        if let Some(subscriber) = self.subscribers.get(&to).filter(|it| it.since <= seq) {
            subscriber.outbox.push(Frame::new(message));
        }
    }

    /// Returns whether a member is served through this outbox.
    pub(super) fn is_subscribed(&self, member: PlayerId, outbox: &Arc<Outbox>) -> bool {
        let subscriber = self.subscribers.get(&member);
        subscriber.is_some_and(|subscriber| Arc::ptr_eq(&subscriber.outbox, outbox))
    }

    pub(super) fn broadcast(&mut self, seq: OutputSeq, to: Audience, message: ServerMessage) {
        let frame = Frame::new(message);
        for (&id, subscriber) in self.subscribers.iter().filter(|(_, it)| it.since <= seq) {
            let is_meant = match to {
                Audience::All => true,
                Audience::Others(other) => id != other,
                Audience::Spectators => self.persisted.race.is_spectator(id),
            };
            if is_meant {
                subscriber.outbox.push(Arc::clone(&frame));
            }
        }
    }

    /// Sets each member's standings, and returns how many unread ones they replaced. Those that
    /// wake no reader are read with the next message.
    pub(super) fn broadcast_standings(
        &mut self,
        seq: OutputSeq,
        standings: ServerMessage,
        wakes: bool,
    ) -> u64 {
        let frame = Frame::new(standings);
        let subscribers = self.subscribers.values().filter(|it| it.since <= seq);
        let replaced = subscribers.filter(|it| it.outbox.set_standings(Arc::clone(&frame), wakes));
        replaced.count() as u64
    }

    pub(super) fn close(&mut self, ending: Ending) {
        self.closed = true;
        self.close_journal();
        for subscriber in std::mem::take(&mut self.subscribers).into_values() {
            subscriber.end(ending);
        }
    }

    /// Unsubscribes a member, unless a newer connection has its seat by now.
    pub(super) fn unsubscribe(&mut self, seq: OutputSeq, member: PlayerId, ending: Ending) {
        let subscriber = match self.subscribers.entry(member) {
            Entry::Occupied(entry) if entry.get().since <= seq => entry.remove(),
            Entry::Occupied(_) | Entry::Vacant(_) => return,
        };
        subscriber.end(ending);
    }
}

impl Subscriber {
    pub(super) fn end(&self, ending: Ending) {
        if self.is_house_bot || ending != Ending::Released {
            self.outbox.end(ending);
        }
    }
}
