//! A client's membership of a room.

use crate::race::Event;
use crate::room::Room;
use crate::room::outbox::Outbox;
use crate::session::server_state::ServerState;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::puzzle::Move;
use std::sync::Arc;

/// A membership of a room. Dropping it reports the connection as lost, however it ended.
pub(crate) struct Membership {
    pub(crate) state: Arc<ServerState>,
    pub(crate) room: Arc<Room>,
    pub(crate) id: PlayerId,
    pub(crate) outbox: Arc<Outbox>,
}

impl Membership {
    /// Returns whether the room still has this member: it may have removed it.
    pub(crate) fn is_current(&self) -> bool {
        self.room.has_member(self.id, &self.outbox)
    }

    /// Applies an event of this member; returns false if it is no longer one.
    pub(crate) fn apply(&self, event: impl FnOnce(PlayerId) -> Event) -> bool {
        self.room.apply_as(self.id, &self.outbox, |_| event(self.id))
    }

    /// Plays a move of this member; returns false if it is no longer one.
    pub(crate) fn play(&self, seq: Seq, play: Move, is_overloaded: bool) -> bool {
        self.room.play_as(self.id, &self.outbox, (seq, play), is_overloaded)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Has no effect on a member that has left, or resumed over another connection.
        self.room.disconnect(self.id, &self.outbox);
        self.state.hub.close_if_empty(&self.room);
    }
}
