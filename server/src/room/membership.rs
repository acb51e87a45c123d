//! Joining a room by its PIN, resuming a seat, and losing a connection.

use super::{Room, RoomState, Subscriber};
use crate::race::{Effect, Event, Newcomer};
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::util::time::HeatInstant;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long a connection must have been silent before its own player, who joins again with the
/// same key and name, takes its seat: people's clients ping every two seconds.
const STALE_AFTER: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinError {
    Closed,
    /// The server shuts down; the next one may have the room.
    NotNow,
    /// The race refused; the outbox has the reason.
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeError {
    /// There is no such seat, or the token is wrong; the client isn't told which.
    NoSeat,
    /// The server shuts down; the seat may be resumed on the next one.
    NotNow,
}

impl Room {
    /// Checks the PIN that a newcomer sent, or that it sent none; `from` is the client's address as
    /// limits count it, nothing for this machine. An operator needs none, nor a client
    /// whose key has a seat to take.
    ///
    /// # Errors
    /// [`Refusal::NeedsPin`] and [`Refusal::WrongPin`], or [`Refusal::TooFast`] after too many wrong
    /// ones from there: then the right one must wait as well, or it could be found out meanwhile.
    pub fn check_pin(
        &self,
        from: Option<IpAddr>,
        newcomer: &Newcomer,
        pin: Option<&Pin>,
    ) -> Result<(), Refusal> {
        let needed = self.query(|race| {
            let needs_none = race.is_operator_key(newcomer.identity)
                || race.reserves(newcomer.identity)
                || race.seat_to_return_to(newcomer).is_some();
            race.pin().filter(|_| !needs_none).cloned()
        });
        let Some(known) = needed.flatten() else {
            return Ok(());
        };
        let Some(pin) = pin else {
            return Err(Refusal::NeedsPin);
        };
        let now = self.services.clock.now();
        self.pin_throttle.check(from, newcomer.identity, now, || known.admits(pin))
    }

    /// Admits a client, whose outbox gets what the race sends from then on, and the token to
    /// resume with. A client that proved the key of a disconnected member takes that seat.
    ///
    /// # Errors
    /// [`JoinError`]; if the race refuses, the outbox gets the reason and nothing more.
    pub fn join(
        self: &Arc<Self>,
        outbox: &Arc<Outbox>,
        newcomer: Newcomer,
        token: ResumeToken,
    ) -> Result<PlayerId, JoinError> {
        let joined = self.with_state(|state| {
            if state.closed {
                return Err(JoinError::Closed);
            }
            if state.frozen {
                return Err(JoinError::NotNow);
            }
            let now = self.now();
            // What is due already is for those who are present: the newcomer's first message is the
            // snapshot.
            self.apply_at(state, now, Event::Tick);
            let seat = state.persisted.race.seat_to_return_to(&newcomer);
            let seat = seat.or_else(|| self.stale_seat_of(state, &newcomer));
            let id = seat.unwrap_or_else(|| state.persisted.new_id());
            let hash = token.hash();
            let key = newcomer.identity;
            if let Some(seat) = seat {
                self.note_address(state, now, seat, newcomer.address);
            }
            let event = match (seat, key) {
                (Some(by), Some(identity)) => Event::Return { by, identity, next: hash },
                (Some(_) | None, _) => Event::Join { id, newcomer, token: hash },
            };
            self.enter(state, now, id, outbox, event);
            if !state.persisted.race.is_connected(id) {
                return Err(JoinError::Refused);
            }
            if let Some(key) = key {
                self.pin_throttle.remember_key(key);
            }
            self.send_token(state, id, token);
            Ok(id)
        });
        joined.unwrap_or(Err(JoinError::Closed))
    }

    /// Returns the seat of the newcomer's own earlier connection if that stands and is silent: a
    /// machine that lost its power closes no connection.
    fn stale_seat_of(&self, state: &RoomState, newcomer: &Newcomer) -> Option<PlayerId> {
        let twin = state.persisted.race.connected_seat_of(newcomer)?;
        let subscriber = state.subscribers.get(&twin)?;
        let silence = self.services.clock.now().since(subscriber.outbox.last_activity());
        (silence >= STALE_AFTER).then_some(twin)
    }

    /// Returns whether a token resumes a member's seat.
    pub(crate) fn may_resume(&self, by: PlayerId, presented: &ResumeToken) -> bool {
        self.query(|race| race.may_resume(by, &presented.hash())).unwrap_or(false)
    }

    /// Hands a member's seat to a newer connection from an address, as [`Newcomer`] has it; the old
    /// one, if it still stands, is dismissed.
    ///
    /// # Errors
    /// [`ResumeError`]; the outbox gets nothing then.
    pub fn resume(
        self: &Arc<Self>,
        outbox: &Arc<Outbox>,
        by: PlayerId,
        presented: &ResumeToken,
        next: ResumeToken,
        address: Option<IpAddr>,
    ) -> Result<(), ResumeError> {
        let presented = presented.hash();
        let resumed = self.with_state(|state| {
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
            self.note_address(state, now, by, address);
            let event = Event::Resume { by, presented, next: next.hash() };
            self.enter(state, now, by, outbox, event);
            self.send_token(state, by, next);
            Ok(())
        });
        resumed.unwrap_or(Err(ResumeError::NoSeat))
    }

    /// Tells the race from where a member's new connection comes, unless it is from where the last one
    /// came.
    fn note_address(
        self: &Arc<Self>,
        state: &mut RoomState,
        now: HeatInstant,
        member: PlayerId,
        address: Option<IpAddr>,
    ) {
        if state.persisted.race.address_of(member) != address {
            self.apply_at(state, now, Event::AddressChanged { member, address });
        }
    }

    /// Subscribes a connection, and then applies the event by which it becomes a member's.
    fn enter(
        self: &Arc<Self>,
        state: &mut RoomState,
        now: HeatInstant,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        event: Event,
    ) {
        // The client starts anew.
        state.told_slow = state.told_slow.filter(|&told| told != id);
        // Subscribed before the snapshot is made, under one lock.
        let since = state.gate.next_seq();
        let subscriber = Subscriber::new(Arc::clone(outbox), false, since);
        if let Some(old) = state.subscribers.insert(id, subscriber) {
            old.end(Ending::Farewell(Farewell::Superseded));
        }
        self.apply_at(state, now, event);
        // The race doesn't know the place in the queue, so the snapshot has none.
        if let Some((ticket, ahead)) = state.board_place
            && state.persisted.race.awaits_board(ticket)
        {
            let message = ServerMessage::BoardQueue { ahead };
            self.defer_until_committed(state, vec![Effect::Send { to: id, message }]);
        }
    }

    /// Reports a member's connection as lost, unless a newer one has its seat.
    pub fn disconnect(self: &Arc<Self>, by: PlayerId, outbox: &Arc<Outbox>) {
        self.apply_as(by, outbox, |_| Event::Lost { by });
    }

    /// Adds a house bot for the command line.
    pub fn add_bot(self: &Arc<Self>, skill: Skill) {
        self.with_state(|state| {
            let id = state.persisted.new_id();
            let by = None;
            self.apply_at(state, self.now(), Event::AddBot { by, id, skill });
        });
    }

    /// Adds a house bot for the host. Returns as [`Self::apply_as`].
    pub fn add_bot_as(
        self: &Arc<Self>,
        host: PlayerId,
        outbox: &Arc<Outbox>,
        skill: Skill,
    ) -> bool {
        let by = Some(host);
        self.apply_as(host, outbox, |room| Event::AddBot { by, id: room.new_id(), skill })
    }

    /// Sends a member its resume token. No effect of the race holds it: the race knows its hash
    /// alone.
    fn send_token(self: &Arc<Self>, state: &mut RoomState, player: PlayerId, token: ResumeToken) {
        let message = ServerMessage::Token { code: self.code, player, token };
        self.defer_until_committed(state, vec![Effect::Send { to: player, message }]);
    }
}
