//! A client's requests, turned into events of its room.

use crate::hub::OpenError;
use crate::platform::environment::Environment;
use crate::platform::rate_limit_key::rate_limit_key;
use crate::race::{Event, Newcomer};
use crate::room::outbox::{Frame, Outbox};
use crate::room::{JoinError, ResumeError, Room};
use crate::session::ServerState;
use crate::store::Store;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::{Challenge, Fingerprint, Proof, Unproven};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::{ClientInstant, ServerInstant};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

/// Time between two results queries of one client; each reads the disk.
const RESULTS_QUERY_INTERVAL: Duration = Duration::from_secs(1);
/// Most results in an answer: several evenings of racing, and a tenth of the longest frame.
const MAX_RESULTS: u32 = 100;

pub(crate) struct RequestHandler {
    pub(crate) state: Arc<ServerState>,
    pub(crate) peer: IpAddr,
    pub(crate) outbox: Arc<Outbox>,
    /// The host that the client dialled; a proof of its key covers it and the challenge.
    host: Box<str>,
    pub(crate) challenge: Challenge,
    identity: Option<Identity>,
    membership: Option<Membership>,
    /// The client has joined a room that lives on another runtime.
    handoff_due: bool,
    last_results_query: Option<ServerInstant>,
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
    pub(crate) fn new(state: Arc<ServerState>, peer: IpAddr, host: Box<str>) -> Self {
        Self {
            challenge: state.environment.rng.challenge(),
            state,
            peer,
            outbox: Arc::default(),
            host,
            identity: None,
            membership: None,
            handoff_due: false,
            last_results_query: None,
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
        match message {
            ClientMessage::Hello(_) => self.refuse(Refusal::HelloTwice),
            ClientMessage::Ping { sent } => self.pong(sent, now),
            ClientMessage::Heats => self.send(ServerMessage::Heats(self.state.hub.public_rooms())),
            ClientMessage::Open { entrant, options, seed, pin } => {
                self.open(&entrant, options, seed, pin.as_ref(), now);
            }
            ClientMessage::Join { code, entrant, role, pin } => {
                self.join(code, &entrant, role, pin.as_ref(), now);
            }
            ClientMessage::Resume { code, player, token } => self.resume(code, player, &token, now),
            ClientMessage::Confirm => self.apply(|by| Event::Confirm { by }),
            ClientMessage::Options { options, seed } => {
                let secret = self.state.environment.rng.secret(seed).into();
                self.apply(|by| Event::Options { by, options, secret });
            }
            ClientMessage::Ready { ready } => self.apply(|by| Event::Ready { by, ready }),
            ClientMessage::Start => self.apply(|by| Event::Start { by }),
            ClientMessage::Kick { player } => self.apply(|by| Event::Kick { by, player }),
            ClientMessage::AddBot { skill } => self.add_bot(skill),
            ClientMessage::TakeSeat => self.apply(|by| Event::TakeSeat { by }),
            ClientMessage::LeaveSeat => self.apply(|by| Event::LeaveSeat { by }),
            ClientMessage::Move { seq, play } => self.play(seq, play, is_overloaded),
            ClientMessage::Hint => self.apply(|by| Event::Hint { by }),
            ClientMessage::GiveUp => self.apply(|by| Event::GiveUp { by }),
            ClientMessage::Rematch => {
                let secret = self.state.environment.rng.secret(None).into();
                self.apply(|by| Event::Rematch { by: Some(by), secret });
            }
            ClientMessage::Leave => self.leave(),
            ClientMessage::Identify(proof) => self.identify(&proof),
            ClientMessage::Results => self.results(now),
        }
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
        self.outbox.push(Frame::new(message));
    }

    pub(crate) fn refuse(&self, why: Refusal) {
        self.send(ServerMessage::Refused(why));
    }

    fn pong(&self, sent: ClientInstant, received: ServerInstant) {
        let replied = self.state.clock.now();
        self.send(ServerMessage::Pong { sent, received, replied });
    }

    fn open(
        &mut self,
        entrant: &Entrant,
        options: HeatOptions,
        seed: Option<Seed>,
        pin: Option<&Pin>,
        now: ServerInstant,
    ) {
        let Some(name) = self.check_entrant(entrant, now) else {
            return;
        };
        let ServerState { hub, room_quota, .. } = &*self.state;
        match room_quota.open(self.peer, hub, || hub.open_with_pin(pin, options, seed)) {
            Ok(room) => self.enter(room, name, entrant.bot, Role::Player),
            Err(OpenError::Full | OpenError::TooManyBots) => self.refuse(Refusal::Full),
            Err(OpenError::Busy) => self.refuse(Refusal::Busy),
            Err(OpenError::Options(error)) => self.refuse(Refusal::Options(error)),
        }
    }

    fn join(
        &mut self,
        code: RoomCode,
        entrant: &Entrant,
        role: Role,
        pin: Option<&Pin>,
        now: ServerInstant,
    ) {
        let Some(name) = self.check_entrant(entrant, now) else {
            return;
        };
        let room = self.state.hub.find(code).ok_or(Refusal::NoSuchHeat);
        match room.and_then(|room| room.check_pin(rate_limit_key(self.peer), pin).map(|()| room)) {
            Ok(room) => self.enter(room, name, entrant.bot, role),
            Err(why) => self.refuse(why),
        }
    }

    /// Resumes a lost connection's seat. The answer to a wrong token doesn't tell whether the
    /// room exists.
    fn resume(
        &mut self,
        code: RoomCode,
        player: PlayerId,
        token: &ResumeToken,
        now: ServerInstant,
    ) {
        if !self.check_attempt(now) {
            return;
        }
        let room = self.state.hub.find(code);
        let resumed = room.ok_or(ResumeError::NoSeat).and_then(|room| {
            room.resume(&self.outbox, player, token, self.state.environment.rng.token())?;
            Ok(room)
        });
        debug!(room = %code, %player, granted = resumed.is_ok(), "resume");
        match resumed {
            Ok(room) => self.become_member(room, player),
            Err(ResumeError::NoSeat) => self.refuse(Refusal::NotResumed),
            Err(ResumeError::NotNow) => self.refuse(Refusal::Busy),
        }
    }

    /// Returns whether the client may try to get into a room; refuses it otherwise.
    fn check_attempt(&mut self, now: ServerInstant) -> bool {
        if self.is_member() {
            self.refuse(Refusal::InAHeat);
            return false;
        }
        if !self.state.admission.take_attempt(self.peer, now) {
            self.refuse(Refusal::TooFast);
            return false;
        }
        true
    }

    /// Returns the entrant's name if it may try to get into a room; refuses it otherwise.
    fn check_entrant(&mut self, entrant: &Entrant, now: ServerInstant) -> Option<PlayerName> {
        if !self.check_attempt(now) {
            return None;
        }
        entrant.name.parse().map_err(|error| self.refuse(Refusal::Name(error))).ok()
    }

    /// Records a proven identity. Refused in a room, where the others know the member as it
    /// joined.
    fn identify(&mut self, proof: &Proof) {
        if self.is_member() {
            return self.refuse(Refusal::InAHeat);
        }
        match proof.check(self.challenge, &self.host) {
            Ok(fingerprint) => self.identity = Some(Identity { fingerprint, bot: proof.bot }),
            Err(Unproven) => self.refuse(Refusal::Unproven),
        }
    }

    fn results(&mut self, now: ServerInstant) {
        let Some(identity) = self.identity else {
            return self.refuse(Refusal::Nobody);
        };
        let Some(store) = &self.state.hub.services.store else {
            return self.refuse(Refusal::NoResults);
        };
        let is_due = |last: ServerInstant| now.since(last) >= RESULTS_QUERY_INTERVAL;
        if !self.last_results_query.is_none_or(is_due)
            || !self.state.admission.take_attempt(self.peer, now)
        {
            return self.refuse(Refusal::TooFast);
        }
        if query_results(&self.state.environment, store, identity.fingerprint, &self.outbox) {
            self.last_results_query = Some(now);
        } else {
            self.refuse(Refusal::Busy);
        }
    }

    fn enter(&mut self, room: Arc<Room>, name: PlayerName, bot: bool, role: Role) {
        // Quoted by `Debug`, so that no name can forge a log line.
        debug!(room = %room.code(), name = ?name.as_str(), bot, ?role, "join");
        // A client that proved a bot's key is a bot, and a bot with a person's key isn't that
        // person.
        let bot = bot || self.identity.is_some_and(|identity| identity.bot);
        let identity = self.identity.filter(|identity| identity.bot == bot);
        let identity = identity.map(|identity| identity.fingerprint);
        let newcomer = Newcomer { name, bot, role, identity };
        match room.join(&self.outbox, newcomer, self.state.environment.rng.token()) {
            Ok(id) => self.become_member(room, id),
            Err(JoinError::Refused) => self.state.hub.close_if_empty(&room),
            Err(JoinError::Closed) => self.refuse(Refusal::NoSuchHeat),
        }
    }

    fn become_member(&mut self, room: Arc<Room>, id: PlayerId) {
        self.handoff_due = !room.runtime().is_current();
        let (state, outbox) = (Arc::clone(&self.state), Arc::clone(&self.outbox));
        self.membership = Some(Membership { state, room, id, outbox });
    }

    fn add_bot(&mut self, skill: Skill) {
        self.request(|Membership { room, id, outbox, .. }| room.add_bot_as(*id, outbox, skill));
    }

    /// Applies an event of this member.
    fn apply(&mut self, event: impl FnOnce(PlayerId) -> Event) {
        self.request(|Membership { room, id, outbox, .. }| {
            room.apply_as(*id, outbox, |_| event(*id))
        });
    }

    fn play(&mut self, seq: Seq, play: Move, is_overloaded: bool) {
        self.request(|Membership { room, id, outbox, .. }| {
            room.play_as(*id, outbox, (seq, play), is_overloaded)
        });
    }

    /// Makes a request of this member, which returns false if the client is no longer one. Refuses
    /// it if the client is none.
    fn request(&mut self, request: impl FnOnce(&Membership) -> bool) {
        if !self.membership.as_ref().is_some_and(request) {
            self.membership = None;
            self.refuse(Refusal::NotInAHeat);
        }
    }

    /// Returns whether the client is a member of a room, which may have removed it meanwhile.
    fn is_member(&mut self) -> bool {
        self.membership
            .take_if(|Membership { room, id, outbox, .. }| !room.has_member(*id, outbox));
        self.membership.is_some()
    }

    fn leave(&mut self) {
        self.apply(|by| Event::Leave { by });
        self.membership = None;
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
        | ClientMessage::Hint
        | ClientMessage::GiveUp => 1,
        ClientMessage::Heats
        | ClientMessage::Results
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
        | ClientMessage::Leave => 3,
    }
}

/// Reads a player's results on a blocking thread, and pushes the answer to its outbox. Returns
/// false if too many queries are running. The answer concerns no room, so it waits for no
/// room's commit.
fn query_results(
    environment: &Environment,
    store: &Store,
    player: Fingerprint,
    outbox: &Arc<Outbox>,
) -> bool {
    let Some(permit) = store.try_read() else {
        return false;
    };
    let archive = store.archive.clone();
    let query = environment.spawn_blocking(move || {
        let _permit = permit;
        archive.results_of(&player, MAX_RESULTS)
    });
    let outbox = Arc::clone(outbox);
    tokio::spawn(async move {
        let answer = match query.await {
            Ok(Ok(results)) => ServerMessage::Results(results),
            Ok(Err(error)) => {
                warn!(%error, "results query failed");
                ServerMessage::Refused(Refusal::NoResults)
            }
            // The runtime is shutting down, or the query panicked, which is logged already.
            Err(_) => ServerMessage::Refused(Refusal::NoResults),
        };
        outbox.push(Frame::new(answer));
    });
    true
}
