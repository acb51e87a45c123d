//! Who comes into a heat, who comes back, and whose connection is lost.

use super::{Link, Room, State};
use crate::race::{Event, Newcomer};
use crate::room::commit_gate::PendingOutput;
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use std::sync::Arc;

/// How long nothing may have come from whoever has a seat before its own player, who comes
/// anew by key and name, gets it at once, in microseconds: people's clients ping every two seconds.
const QUIET: u64 = 5_000_000;

/// Why somebody isn't let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinError {
    /// The heat is closed.
    Closed,
    /// The race refused, and has said why.
    Refused,
}

/// Why a seat isn't taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeError {
    /// There is none, or not by this token; which of the two is nobody's business.
    NoSeat,
    /// The heat stands still, because the server goes down; it may go on with the next one.
    NotNow,
}

impl Room {
    /// Lets somebody in, who gets whatever the race says from then on, and the token by
    /// which to come back. Who proved the key of a member who is away takes up its seat.
    ///
    /// # Errors
    /// [`JoinError`]; where the race refuses, the outbox gets the reason and nothing more.
    pub fn join(
        self: &Arc<Self>,
        outbox: &Arc<Outbox>,
        newcomer: Newcomer,
        token: ResumeToken,
    ) -> Result<PlayerId, JoinError> {
        let joined = self.with_state(|state| self.admit(state, outbox, newcomer, token));
        joined.unwrap_or(Err(JoinError::Closed))
    }

    fn admit(
        self: &Arc<Self>,
        state: &mut State,
        outbox: &Arc<Outbox>,
        newcomer: Newcomer,
        token: ResumeToken,
    ) -> Result<PlayerId, JoinError> {
        if state.closed || state.frozen {
            return Err(JoinError::Closed);
        }
        let now = self.now();
        // What is due already is for those who were here: the newcomer's first word is
        // the snapshot.
        self.apply_at(state, now, Event::Tick);
        let waiting = state.persisted.race.returning(&newcomer);
        let waiting = waiting.or_else(|| self.stale_seat_of(state, &newcomer));
        let id = waiting.unwrap_or_else(|| state.persisted.new_id());
        // Whoever comes back is told anew whether the heat is recorded.
        state.told = state.told.filter(|&(who, _)| who != id);
        // Subscribed before the snapshot is made, under one lock.
        let link = state.link(outbox);
        if let Some(old) = state.members.insert(id, link) {
            old.end(Ending::Farewell(Farewell::Superseded));
        }
        let hash = token.hash();
        let event = match (waiting, newcomer.identity) {
            (Some(by), Some(identity)) => Event::Return { by, identity, next: hash },
            (Some(_) | None, _) => Event::Join { id, newcomer, token: hash },
        };
        self.apply_at(state, now, event);
        if !state.persisted.race.is_here(id) {
            return Err(JoinError::Refused);
        }
        self.send_token(state, id, token);
        Ok(id)
    }

    /// Returns whose seat a newcomer takes up whose connection stands and is silent: a machine
    /// that lost its power says no goodbye.
    fn stale_seat_of(&self, state: &State, newcomer: &Newcomer) -> Option<PlayerId> {
        let twin = state.persisted.race.twin(newcomer)?;
        let link = state.members.get(&twin)?;
        let silence = self.clock.now().0.saturating_sub(link.outbox.last_activity().0);
        (silence >= QUIET).then_some(twin)
    }

    /// Hands a member's seat to a newer connection; the old one, if it still stands, is
    /// told and closed.
    ///
    /// # Errors
    /// [`ResumeError`]; the outbox gets nothing then.
    pub fn resume(
        self: &Arc<Self>,
        outbox: &Arc<Outbox>,
        by: PlayerId,
        presented: &ResumeToken,
        next: ResumeToken,
    ) -> Result<(), ResumeError> {
        let resumed =
            self.with_state(|state| self.take_over_seat(state, outbox, by, presented, next));
        resumed.unwrap_or(Err(ResumeError::NoSeat))
    }

    fn take_over_seat(
        self: &Arc<Self>,
        state: &mut State,
        outbox: &Arc<Outbox>,
        by: PlayerId,
        presented: &ResumeToken,
        next: ResumeToken,
    ) -> Result<(), ResumeError> {
        let presented = presented.hash();
        if state.closed || !state.persisted.race.may_resume(by, &presented) {
            return Err(ResumeError::NoSeat);
        }
        if state.frozen {
            return Err(ResumeError::NotNow);
        }
        let now = self.now();
        // As for a newcomer; and the grace may be over by now.
        self.apply_at(state, now, Event::Tick);
        if !state.persisted.race.may_resume(by, &presented) {
            return Err(ResumeError::NoSeat);
        }
        let link = state.link(outbox);
        // Whoever comes back is told anew whether the heat is recorded.
        state.told = state.told.filter(|&(who, _)| who != by);
        if let Some(old) = state.members.insert(by, link) {
            old.end(Ending::Farewell(Farewell::Superseded));
        }
        let event = Event::Resume { by, presented, next: next.hash() };
        self.apply_at(state, now, event);
        self.send_token(state, by, next);
        Ok(())
    }

    /// Takes note that a member's connection is lost, unless a newer one has its seat.
    pub fn disconnect(self: &Arc<Self>, by: PlayerId, outbox: &Arc<Outbox>) {
        self.apply_as(by, outbox, |_| Event::Lost { by });
    }

    /// Seats a bot of the server's, for the command line.
    pub fn add_bot(self: &Arc<Self>, skill: Skill) {
        self.with_state(|state| {
            let id = state.persisted.new_id();
            let by = None;
            self.apply_to(state, Event::AddBot { by, id, skill });
        });
    }

    /// Seats a bot of the server's, for the host; says whether it is one's seat still.
    pub fn add_bot_as(
        self: &Arc<Self>,
        host: PlayerId,
        outbox: &Arc<Outbox>,
        skill: Skill,
    ) -> bool {
        self.apply_as(host, outbox, |persisted| Event::AddBot {
            by: Some(host),
            id: persisted.new_id(),
            skill,
        })
    }

    /// Tells a member by what to come back. No effect holds it: the race knows its hash alone.
    fn send_token(self: &Arc<Self>, state: &mut State, player: PlayerId, token: ResumeToken) {
        let message = ServerMessage::Token { code: self.code, player, token };
        self.defer_until_committed(state, PendingOutput::Say(player, Box::new(message)));
    }
}

impl State {
    /// Makes the way to somebody from outside who comes now.
    fn link(&self, outbox: &Arc<Outbox>) -> Link {
        Link { outbox: Arc::clone(outbox), house: false, since: self.gate.order() }
    }
}
