//! What a heat says, on its way to those who are meant.

use super::{Link, State};
use crate::race::Audience;
use crate::room::commit_gate::OutputSeq;
use crate::room::outbox::{Ending, Frame, Outbox};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use std::collections::btree_map::Entry;
use std::sync::Arc;

impl State {
    pub(super) fn send(&mut self, order: OutputSeq, to: PlayerId, message: ServerMessage) {
        if let Some(link) = self.members.get(&to).filter(|link| link.since <= order) {
            link.outbox.push(Frame::new(message));
        }
    }

    /// Says whether this is the way to a member.
    pub(super) fn is_linked(&self, member: PlayerId, outbox: &Arc<Outbox>) -> bool {
        let link = self.members.get(&member);
        link.is_some_and(|link| Arc::ptr_eq(&link.outbox, outbox))
    }

    pub(super) fn broadcast(&mut self, order: OutputSeq, to: Audience, message: ServerMessage) {
        let frame = Frame::new(message);
        for (&id, link) in self.members.iter().filter(|(_, link)| link.since <= order) {
            let meant = match to {
                Audience::Everybody => true,
                Audience::Others(other) => id != other,
                Audience::Spectators => self.persisted.race.is_spectator(id),
            };
            if meant {
                link.outbox.push(Arc::clone(&frame));
            }
        }
    }

    /// Shows standings, at once or with whatever is said next, and counts those that give way to
    /// them.
    pub(super) fn show(&mut self, order: OutputSeq, standings: ServerMessage, wakes: bool) -> u64 {
        let frame = Frame::new(standings);
        let members = self.members.values().filter(|link| link.since <= order);
        let skipped = members.filter(|link| link.outbox.set_standings(Arc::clone(&frame), wakes));
        skipped.count() as u64
    }

    pub(super) fn close(&mut self, ending: Ending) {
        self.closed = true;
        self.end_recording();
        for link in std::mem::take(&mut self.members).into_values() {
            link.end(ending);
        }
    }

    /// Lets go of a member, unless a newer connection has its seat by now.
    pub(super) fn release(&mut self, order: OutputSeq, member: PlayerId, ending: Ending) {
        let link = match self.members.entry(member) {
            Entry::Occupied(link) if link.get().since <= order => link.remove(),
            Entry::Occupied(_) | Entry::Vacant(_) => return,
        };
        link.end(ending);
    }
}

impl Link {
    pub(super) fn end(&self, ending: Ending) {
        if self.house || ending != Ending::Released {
            self.outbox.end(ending);
        }
    }
}
