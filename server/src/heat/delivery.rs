//! What a heat says, on its way to those who are meant.

use super::{Link, State};
use crate::outbox::{Ending, Frame};
use crate::race::Audience;
use gridrace_shared::name::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;
use std::sync::Arc;

impl State {
    pub(super) fn new_id(&mut self) -> PlayerId {
        let id = PlayerId(self.next_id);
        self.next_id = self.next_id.saturating_add(1);
        id
    }

    pub(super) fn send(&mut self, to: PlayerId, message: ServerMessage) {
        if let Some(link) = self.members.get(&to) {
            link.outbox.push(Frame::new(message));
        }
    }

    pub(super) fn broadcast(&mut self, to: Audience, message: ServerMessage) {
        let frame = Frame::new(message);
        for (&id, link) in &self.members {
            let meant = match to {
                Audience::Everybody => true,
                Audience::Others(other) => id != other,
                Audience::Spectators => self.race.is_spectator(id),
            };
            if meant {
                link.outbox.push(Arc::clone(&frame));
            }
        }
    }

    pub(super) fn show(&mut self, standings: ServerMessage) {
        let frame = Frame::new(standings);
        for link in self.members.values() {
            link.outbox.show(Arc::clone(&frame));
        }
    }

    pub(super) fn close(&mut self, ending: Ending) {
        self.closed = true;
        for link in std::mem::take(&mut self.members).into_values() {
            link.end(ending);
        }
    }

    pub(super) fn release(&mut self, member: PlayerId, ending: Ending) {
        if let Some(link) = self.members.remove(&member) {
            link.end(ending);
        }
    }
}

impl Link {
    pub(super) fn end(&self, ending: Ending) {
        if self.house || ending != Ending::Released {
            self.outbox.end(ending);
        }
    }
}
