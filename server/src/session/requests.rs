//! A client's requests, turned into events of its room.

use crate::hub::{Following, OpenError};
use crate::platform::rate_limit_key::rate_limit_key;
use crate::race::{Event, Newcomer};
use crate::room::outbox::Outbox;
use crate::room::{JoinError, ResumeError, Room};
use crate::session::ServerState;
use crate::transport::admission::EntrantPermit;
use gridrace_shared::heat::identity::{Challenge, Fingerprint, Proof, Unproven};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::tournament::TournamentUpdate;
use gridrace_shared::puzzle::picture::room_image::{RoomImage, RoomImageError};
use gridrace_shared::util::hex_bytes::HexBytes;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::ServerInstant;
use std::net::IpAddr;
use std::sync::Arc;
use tracing::debug;

/// What an image takes of a client's rate: it is far longer than other messages, whose bytes have a
/// limit as well.
const IMAGE_COST: u32 = 10;

pub(crate) struct RequestHandler {
    pub(crate) state: Arc<ServerState>,
    pub(crate) peer: IpAddr,
    pub(crate) outbox: Arc<Outbox>,
    /// The host that the client dialled; a proof of its key covers it and the challenge.
    host: Box<str>,
    pub(crate) challenge: Challenge,
    identity: Option<Identity>,
    /// Held while the connection is an entrant's and counts apart from its address.
    entrant: Option<EntrantPermit>,
    membership: Option<Membership>,
    /// The client has joined a room that lives on another runtime.
    handoff_due: bool,
    /// When the client asked last for a list of the archive.
    pub(super) last_list_query: Option<ServerInstant>,
    /// The tournament that the client follows.
    pub(super) following: Option<Following>,
}

#[derive(Debug, Clone, Copy)]
struct Identity {
    fingerprint: Fingerprint,
    bot: bool,
}

/// A membership of a room. Dropping it reports the connection as lost, however it ended.
struct Membership {
    state: Arc<ServerState>,
    room: Arc<Room>,
    id: PlayerId,
    outbox: Arc<Outbox>,
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Has no effect on a member that has left, or resumed over another connection.
        self.room.disconnect(self.id, &self.outbox);
        self.state.hub.close_if_empty(&self.room);
    }
}

impl RequestHandler {
    pub(crate) fn new(state: Arc<ServerState>, peer: IpAddr, host: Box<str>, codec: Codec) -> Self {
        Self {
            challenge: state.environment.rng.challenge(),
            state,
            peer,
            outbox: Arc::new(Outbox::new(codec).with_address(rate_limit_key(peer))),
            host,
            identity: None,
            entrant: None,
            membership: None,
            handoff_due: false,
            last_list_query: None,
            following: None,
        }
    }

    /// Handles a request that was received at `now`. If the server is overloaded, the room rejects
    /// a move as busy.
    pub(crate) fn handle(
        &mut self,
        message: ClientMessage,
        now: ServerInstant,
        is_overloaded: bool,
    ) {
        if let Err(why) = self.grant(message, now, is_overloaded) {
            self.refuse(why);
        }
    }

    fn grant(
        &mut self,
        message: ClientMessage,
        now: ServerInstant,
        is_overloaded: bool,
    ) -> Result<(), Refusal> {
        match message {
            ClientMessage::Hello(_) => return Err(Refusal::HelloTwice),
            ClientMessage::Ping { sent } => {
                // A tournament may have taken the entry since the last ping.
                self.note_entrant();
                let replied = self.state.clock.now();
                self.send(ServerMessage::Pong { sent, received: now, replied });
            }
            ClientMessage::Rooms => self.send(ServerMessage::Rooms(self.state.hub.public_rooms())),
            ClientMessage::Open { entrant, options, seed, pin } => {
                self.check_attempt(None, now)?;
                let newcomer = self.newcomer(&entrant, Role::Player)?;
                // The room would refuse it through its journal, and close before that is written.
                if newcomer.bot && !options.bots_allowed {
                    return Err(Refusal::NoBots);
                }
                let room = self.open(options, seed, pin.as_ref())?;
                self.enter(room, newcomer)?;
            }
            ClientMessage::Join { code, entrant, role, pin } => {
                self.check_attempt(Some(code), now)?;
                let newcomer = self.newcomer(&entrant, role)?;
                let room = self.state.hub.find(code).ok_or(Refusal::NoSuchRoom)?;
                room.check_pin(rate_limit_key(self.peer), &newcomer, pin.as_ref())?;
                self.check_watching(&room)?;
                self.enter(room, newcomer)?;
            }
            ClientMessage::Resume { code, player, token } => {
                let is_charged = self.check_attempt(Some(code), now)?;
                self.resume(code, player, &token)?;
                // After a restart all players behind one address resume at once.
                if is_charged {
                    self.state.admission.refund_attempt(self.peer, now);
                }
            }
            ClientMessage::Confirm => self.apply(|by| Event::Confirm { by })?,
            ClientMessage::Options { options, seed } => {
                self.request(|Membership { room, id, outbox, .. }| {
                    room.set_options_as(*id, outbox, options, seed)
                })?;
            }
            ClientMessage::Ready { ready } => self.apply(|by| Event::Ready { by, ready })?,
            ClientMessage::Start => self.apply(|by| Event::Start { by })?,
            ClientMessage::Kick { player } => self.apply(|by| Event::Kick { by, player })?,
            ClientMessage::AddBot { skill } => {
                self.request(|member| member.room.add_bot_as(member.id, &member.outbox, skill))?;
            }
            ClientMessage::TakeSeat => {
                self.apply_checked(Room::check_seat, |by| Event::TakeSeat { by })?;
            }
            ClientMessage::LeaveSeat => self.apply(|by| Event::LeaveSeat { by })?,
            ClientMessage::Move { seq, play } => self.request(|member| {
                member.room.play_as(member.id, &member.outbox, (seq, play), is_overloaded)
            })?,
            ClientMessage::Hint { style } => self.apply(|by| Event::Hint { by, style })?,
            ClientMessage::GiveUp => self.apply(|by| Event::GiveUp { by })?,
            ClientMessage::Rematch => {
                self.request(|member| member.room.rematch_as(member.id, &member.outbox))?;
            }
            ClientMessage::Leave => {
                self.apply(|by| Event::Leave { by })?;
                self.membership = None;
            }
            ClientMessage::Identify(proof) => self.identify(&proof)?,
            ClientMessage::Results => self.results(now)?,
            ClientMessage::Replay { heat, from } => self.replay(heat, from, now)?,
            ClientMessage::EndHeat => self.apply(|by| Event::EndHeat { by })?,
            ClientMessage::Ban { player } => self.apply(|by| Event::Ban { by, player })?,
            ClientMessage::Unban { key } => self.apply(|by| Event::Unban { by, key })?,
            ClientMessage::Hold { hold } => self.apply(|by| Event::Hold { by, hold })?,
            ClientMessage::HandOver { player } => {
                self.apply(|by| Event::HandOver { by, player })?;
            }
            ClientMessage::Announce { text } => {
                let text = text.parse().map_err(Refusal::Announcement)?;
                self.apply(|by| Event::Announce { by, text })?;
            }
            ClientMessage::Image { image } => self.set_image(image)?,
            ClientMessage::Tournament(request) => self.tournament(*request, now),
        }
        Ok(())
    }

    /// Returns the room to whose runtime the connection must move, once after joining it.
    pub(crate) fn take_handoff(&mut self) -> Option<Arc<Room>> {
        let is_due = std::mem::take(&mut self.handoff_due);
        self.membership.as_ref().filter(|_| is_due).map(|membership| Arc::clone(&membership.room))
    }

    /// Returns the client's room, if it is a member of one.
    pub(crate) fn room(&self) -> Option<&Room> {
        self.membership.as_ref().map(|membership| &*membership.room)
    }

    pub(crate) fn send(&self, message: ServerMessage) {
        self.outbox.push(message);
    }

    pub(crate) fn refuse(&self, why: Refusal) {
        debug!(peer = %self.peer, ?why, "request refused");
        self.send(ServerMessage::Refused(why));
    }

    fn open(
        &self,
        options: HeatOptions,
        seed: Option<Seed>,
        pin: Option<&Pin>,
    ) -> Result<Arc<Room>, Refusal> {
        let ServerState { hub, room_quota, .. } = &*self.state;
        let opened = room_quota.open(self.peer, hub, || {
            hub.open_with_pin(pin, options, seed, rate_limit_key(self.peer))
        });
        opened.map_err(|error| match error {
            OpenError::Full
            | OpenError::TooManyBots
            | OpenError::TooManySeats
            | OpenError::SameName => Refusal::Full,
            OpenError::Quota => Refusal::TooManyRooms,
            OpenError::Busy => Refusal::Busy,
            OpenError::Options(error) => Refusal::Options(error),
        })
    }

    /// Resumes a lost connection's seat. The answer to a wrong token doesn't tell whether the
    /// room exists.
    fn resume(
        &mut self,
        code: RoomCode,
        player: PlayerId,
        token: &ResumeToken,
    ) -> Result<(), Refusal> {
        let room = self.state.hub.find(code);
        if let Some(room) = &room {
            self.check_resumed_watching(room, player, token)?;
        }
        let resumed = room.ok_or(ResumeError::NoSeat).and_then(|room| {
            let next = self.state.environment.rng.token();
            room.resume(&self.outbox, player, token, next, self.own_address())?;
            Ok(room)
        });
        debug!(room = %code, %player, granted = resumed.is_ok(), "resume");
        let room = resumed.map_err(|error| match error {
            ResumeError::NoSeat => Refusal::NotResumed,
            ResumeError::NotNow => Refusal::Busy,
        })?;
        self.become_member(room, player);
        Ok(())
    }

    /// Checks that the client may try to get into a room, and returns whether that took one of its
    /// address's attempts. A room that has a seat for its key isn't guessed: a hall of players comes
    /// from one address at once.
    fn check_attempt(
        &mut self,
        code: Option<RoomCode>,
        now: ServerInstant,
    ) -> Result<bool, Refusal> {
        if self.is_member() {
            return Err(Refusal::InARoom);
        }
        let key = self.identity.map(|identity| identity.fingerprint);
        let room = code.filter(|_| key.is_some()).and_then(|code| self.state.hub.find(code));
        if room.as_ref().is_some_and(|room| room.reserves(key)) {
            self.note_entrant();
            return Ok(false);
        }
        if key.and_then(|key| room?.waits_for(key)).is_some() {
            return Ok(false);
        }
        self.take_attempt(now)?;
        Ok(true)
    }

    /// Returns the key that the client has proved, and whether it is a bot's.
    pub(super) fn proven_key(&self) -> Option<(Fingerprint, bool)> {
        self.identity.map(|identity| (identity.fingerprint, identity.bot))
    }

    pub(super) fn take_attempt(&self, now: ServerInstant) -> Result<(), Refusal> {
        let taken = self.state.admission.take_attempt(self.peer, now);
        if taken { Ok(()) } else { Err(Refusal::TooFast) }
    }

    fn newcomer(&self, entrant: &Entrant, role: Role) -> Result<Newcomer, Refusal> {
        // A big screen proves no key, so that no player's key keeps boards from it.
        let may_be_screen = role == Role::Spectator && !entrant.bot && self.identity.is_none();
        let screen = PlayerName::of_screen(&entrant.name).filter(|_| may_be_screen);
        let name = screen.map_or_else(|| entrant.name.parse(), Ok).map_err(Refusal::Name)?;
        // A client that proved a bot's key is a bot, and a bot with a person's key isn't that
        // person.
        let bot = entrant.bot || self.identity.is_some_and(|identity| identity.bot);
        let identity = self.identity.filter(|identity| identity.bot == bot);
        let identity = identity.map(|identity| identity.fingerprint);
        Ok(Newcomer { name, bot, role, identity, address: self.own_address() })
    }

    /// Returns the address that the client shares with no other machine; nothing if it may.
    pub(super) fn own_address(&self) -> Option<IpAddr> {
        rate_limit_key(self.peer).filter(|_| !self.state.shared_addresses)
    }

    /// Refuses to show a table of a tournament to one who races the same boards at another.
    fn check_watching(&self, room: &Room) -> Result<(), Refusal> {
        self.check_watching_with(room, self.identity.map(|identity| identity.fingerprint))
    }

    /// As [`Self::check_watching`], for a client who resumes the seat of one who watches.
    fn check_resumed_watching(
        &self,
        room: &Room,
        player: PlayerId,
        token: &ResumeToken,
    ) -> Result<(), Refusal> {
        let spectators = room.table_spectators();
        let resumed = spectators.into_iter().find(|(id, ..)| *id == player);
        match resumed.filter(|_| room.may_resume(player, token)) {
            Some((_, key, _)) => {
                self.check_watching(room)?;
                self.check_watching_with(room, key)
            }
            None => Ok(()),
        }
    }

    fn check_watching_with(&self, room: &Room, key: Option<Fingerprint>) -> Result<(), Refusal> {
        let watched = room.table_status().filter(|_| !room.reserves(key));
        let tournament = watched.and_then(|it| self.state.hub.tournaments.find(&it.tournament));
        let may_watch =
            tournament.is_none_or(|it| it.may_watch(room.code(), key, self.own_address()));
        if may_watch { Ok(()) } else { Err(Refusal::SameBoards) }
    }

    /// Records a proven identity. Refused in a room, where the others know the member as it
    /// joined.
    fn identify(&mut self, proof: &Proof) -> Result<(), Refusal> {
        if self.is_member() {
            return Err(Refusal::InARoom);
        }
        let proven = proof.check(self.challenge, &self.host);
        let fingerprint = proven.map_err(|Unproven| {
            // A proof names the host that the client connected to.
            debug!(peer = %self.peer, host = ?self.host, "key not proved; does a proxy change the Host header?");
            Refusal::Unproven
        })?;
        self.identity = Some(Identity { fingerprint, bot: proof.bot });
        self.note_entrant();
        if let Some(Err(error)) = self.following.as_ref().map(|it| it.set_key(fingerprint)) {
            self.following = None;
            let refusal = TournamentUpdate::Refused(error);
            self.send(ServerMessage::Tournament(Box::new(refusal)));
        }
        Ok(())
    }

    /// Counts the connection apart from its address if its key is an entrant's of a tournament.
    fn note_entrant(&mut self) {
        let ServerState { hub, admission, clock, .. } = &*self.state;
        if let Some(Identity { fingerprint, .. }) = self.identity
            && self.entrant.is_none()
            && hub.entrant_keys().contains(fingerprint)
        {
            self.entrant = admission.count_apart(self.peer, fingerprint, clock.now());
        }
    }

    /// Changes the image of the client's room.
    fn set_image(&mut self, image: Option<HexBytes>) -> Result<(), Refusal> {
        let image = image.map(RoomImage::try_from).transpose();
        let image = image.map_err(|RoomImageError| Refusal::ImageLength)?;
        self.apply_checked(Room::check_image, |by| Event::Image { by, image })
    }

    /// Applies a member's event unless a check refuses it, which is told past the journal.
    fn apply_checked(
        &mut self,
        check: impl FnOnce(&Room, PlayerId) -> Result<(), Refusal>,
        event: impl FnOnce(PlayerId) -> Event,
    ) -> Result<(), Refusal> {
        let mut checked = Ok(());
        self.request(|member| {
            checked = check(&member.room, member.id);
            checked.is_err()
                || member.room.apply_as(member.id, &member.outbox, |_| event(member.id))
        })?;
        checked
    }

    fn enter(&mut self, room: Arc<Room>, newcomer: Newcomer) -> Result<(), Refusal> {
        let Newcomer { name, bot, role, .. } = &newcomer;
        // Quoted by `Debug`, so that no name can forge a log line.
        debug!(room = %room.code(), name = ?name.as_str(), bot, ?role, "join");
        match room.join(&self.outbox, newcomer, self.state.environment.rng.token()) {
            Ok(id) => self.become_member(room, id),
            Err(JoinError::Refused) => self.state.hub.close_if_empty(&room),
            Err(JoinError::NotNow) => return Err(Refusal::Busy),
            // The fresh one is about to open.
            Err(JoinError::Closed) if self.state.hub.is_standing(room.code()) => {
                return Err(Refusal::Busy);
            }
            Err(JoinError::Closed) => return Err(Refusal::NoSuchRoom),
        }
        Ok(())
    }

    fn become_member(&mut self, room: Arc<Room>, id: PlayerId) {
        if let Some((tournament, key)) = room.reserved_seat(id)
            && let Some(tournament) = self.state.hub.tournaments.find(&tournament)
        {
            tournament.note_seat(room.code(), key, self.own_address());
        }
        self.handoff_due = !room.runtime().is_current();
        let (state, outbox) = (Arc::clone(&self.state), Arc::clone(&self.outbox));
        self.membership = Some(Membership { state, room, id, outbox });
    }

    /// Applies an event of this member.
    fn apply(&mut self, event: impl FnOnce(PlayerId) -> Event) -> Result<(), Refusal> {
        self.request(|Membership { room, id, outbox, .. }| {
            room.apply_as(*id, outbox, |_| event(*id))
        })
    }

    /// Makes a request of this member, which returns false if the client is no longer one.
    fn request(&mut self, request: impl FnOnce(&Membership) -> bool) -> Result<(), Refusal> {
        if self.membership.as_ref().is_some_and(request) {
            return Ok(());
        }
        self.membership = None;
        Err(Refusal::NotInARoom)
    }

    /// Returns whether the client is a member of a room, which may have removed it meanwhile.
    fn is_member(&mut self) -> bool {
        self.membership
            .take_if(|Membership { room, id, outbox, .. }| !room.has_member(*id, outbox));
        self.membership.is_some()
    }
}

/// Returns what a message takes of a client's rate: more than one if its answer is long or goes
/// to all members of the room.
pub(crate) const fn request_cost(message: &ClientMessage) -> u32 {
    match message {
        ClientMessage::Hello(_)
        | ClientMessage::Ping { .. }
        | ClientMessage::Confirm
        | ClientMessage::Move { .. }
        | ClientMessage::Hint { .. }
        | ClientMessage::GiveUp => 1,
        ClientMessage::Rooms
        | ClientMessage::Results
        | ClientMessage::Replay { .. }
        | ClientMessage::Identify(_)
        | ClientMessage::Open { .. }
        | ClientMessage::Join { .. }
        | ClientMessage::Resume { .. }
        | ClientMessage::Options { .. }
        | ClientMessage::Ready { .. }
        | ClientMessage::Start
        | ClientMessage::Kick { .. }
        | ClientMessage::AddBot { .. }
        | ClientMessage::TakeSeat
        | ClientMessage::LeaveSeat
        | ClientMessage::Rematch
        | ClientMessage::EndHeat
        | ClientMessage::Ban { .. }
        | ClientMessage::Unban { .. }
        | ClientMessage::Hold { .. }
        | ClientMessage::HandOver { .. }
        | ClientMessage::Announce { .. }
        | ClientMessage::Tournament(_)
        | ClientMessage::Leave => 3,
        ClientMessage::Image { .. } => IMAGE_COST,
    }
}
