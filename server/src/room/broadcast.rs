//! Delivery of messages to the members of a room.

use super::{Room, RoomState, Subscriber};
use crate::race::Audience;
use crate::room::commit_gate::OutputSeq;
use crate::room::frame::SharedFrame;
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;

/// Readers that are due within this time are woken with those that are due now.
const WAKE_SLACK: Duration = Duration::from_millis(25);

impl Room {
    /// Wakes the members who are due; the room's timer does so later for the others.
    pub(super) fn wake_readers(&self, state: &mut RoomState) {
        let now = self.services.clock.now();
        if let Some(is_urgent) = state.readers.begin_if_due(now) {
            let interval = if is_urgent {
                Duration::ZERO
            } else {
                self.runtime().load().standings_interval(now)
            };
            let sockets = state.subscribers.values().filter(|it| !it.is_house_bot);
            let later = sockets.filter_map(|it| it.outbox.wake_if_due(now + WAKE_SLACK, interval));
            state.readers.schedule_next(later.min());
        }
        if state.readers.is_armed_too_late() {
            self.waker.wake();
        }
    }
}

impl RoomState {
    /// Sends a message past the outputs that wait for the disk, to a member who has had any;
    /// returns whether it is sent.
    pub(super) fn send_at_once(&mut self, to: PlayerId, message: ServerMessage) -> bool {
        let released = self.gate.next_released();
        let subscriber = self.subscribers.get(&to).filter(|it| it.since < released);
        subscriber.map(|it| it.outbox.push(message)).is_some()
    }

    pub(super) fn send(&mut self, seq: OutputSeq, to: PlayerId, message: ServerMessage) {
        let Some(subscriber) = self.subscribers.get_mut(&to).filter(|it| it.since <= seq) else {
            return;
        };
        if let ServerMessage::Joined { .. } = message {
            let standings = if self.persisted.race.is_spectator(to) {
                &self.delayed_standings
            } else {
                &self.latest_standings
            };
            subscriber.outbox.enter(message, standings);
            subscriber.has_entered = true;
        } else {
            subscriber.outbox.push(message);
        }
    }

    /// Returns whether a member is served through this outbox.
    pub(super) fn is_subscribed(&self, member: PlayerId, outbox: &Arc<Outbox>) -> bool {
        let subscriber = self.subscribers.get(&member);
        subscriber.is_some_and(|subscriber| Arc::ptr_eq(&subscriber.outbox, outbox))
    }

    pub(super) fn broadcast(&mut self, seq: OutputSeq, to: Audience, message: ServerMessage) {
        if let ServerMessage::Phase(Phase::Running { .. }) = message {
            self.assign_standings();
        }
        let frame = SharedFrame::new(message);
        for (&id, subscriber) in self.subscribers.iter().filter(|(_, it)| it.since <= seq) {
            let is_meant = match to {
                Audience::All => true,
                Audience::Others(other) => id != other,
                Audience::Watchers => self.persisted.race.may_watch(id),
            };
            if is_meant {
                subscriber.outbox.push_shared(&frame);
            }
        }
    }

    /// Lets each member follow the standings of its role in the heat that begins.
    fn assign_standings(&self) {
        for (&id, subscriber) in &self.subscribers {
            let is_spectator = self.persisted.race.is_spectator(id);
            let standings =
                if is_spectator { &self.delayed_standings } else { &self.latest_standings };
            subscriber.outbox.follow_standings(standings);
        }
    }

    pub(super) fn close(&mut self, ending: Ending) {
        self.closed = true;
        self.running = None;
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
    /// Drops what the outbox has of this room's roster and standings.
    pub(super) fn leave(&self) {
        if self.has_entered {
            self.outbox.leave();
        }
    }

    pub(super) fn end(&self, ending: Ending) {
        self.leave();
        if self.is_house_bot || ending != Ending::Released {
            self.outbox.end(ending);
        }
    }
}
