//! What a heat says, on its way to those who are meant.

use super::{Link, State};
use crate::outbox::{Ending, Frame, Outbox};
use crate::race::Audience;
use gridrace_shared::name::{HeatCode, PlayerId};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::token::Token;
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

    /// Tells a member by what to come back. No effect holds it: the race knows its hash alone.
    pub(super) fn send_token(&mut self, code: HeatCode, player: PlayerId, token: Token) {
        let message = ServerMessage::Token {
            code,
            player,
            token,
        };
        self.send(player, message);
    }

    /// Says whether this is the way to a member.
    pub(super) fn is_linked(&self, member: PlayerId, outbox: &Arc<Outbox>) -> bool {
        let link = self.members.get(&member);
        link.is_some_and(|link| Arc::ptr_eq(&link.outbox, outbox))
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
