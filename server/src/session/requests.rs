//! What a client asks for, turned into events of its heat.

use crate::hub::OpenError;
use crate::platform::rng;
use crate::race::{Event, Newcomer};
use crate::room::outbox::Outbox;
use crate::room::{JoinError, ResumeError, Room};
use crate::session::client::{Client, Identity, Shared};
use crate::transport::admission::source;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::{Proof, Unproven};
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
use std::sync::Arc;
use tracing::debug;

impl Client {
    /// Grants a request, or says why not. `now` is when it came in.
    pub(crate) fn request(&mut self, message: ClientMessage, now: ServerInstant) {
        match message {
            ClientMessage::Hello(_) => self.refuse(Refusal::HelloTwice),
            ClientMessage::Ping { sent } => self.pong(sent, now),
            ClientMessage::Heats => self.say(ServerMessage::Heats(self.shared.hub.listed())),
            ClientMessage::Open { entrant, options, seed, pin } => {
                self.open(&entrant, options, seed, pin.as_ref(), now)
            }
            ClientMessage::Join { code, entrant, role, pin } => {
                self.join(code, &entrant, role, pin.as_ref(), now)
            }
            ClientMessage::Resume { code, player, token } => self.resume(code, player, &token, now),
            ClientMessage::Confirm => self.happen(|by| Event::Confirm { by }),
            ClientMessage::Options { options, seed } => {
                self.happen(|by| Event::Options { by, options, secret: rng::draw(seed) });
            }
            ClientMessage::Ready { ready } => self.happen(|by| Event::Ready { by, ready }),
            ClientMessage::Start => self.happen(|by| Event::Start { by }),
            ClientMessage::Kick { player } => self.happen(|by| Event::Kick { by, player }),
            ClientMessage::AddBot { skill } => self.add_bot(skill),
            ClientMessage::TakeSeat => self.happen(|by| Event::TakeSeat { by }),
            ClientMessage::LeaveSeat => self.happen(|by| Event::LeaveSeat { by }),
            ClientMessage::Move { seq, play } => {
                if !self.play(seq, play, now) {
                    self.has_no_seat();
                }
            }
            ClientMessage::Hint => self.happen(|by| Event::Hint { by }),
            ClientMessage::GiveUp => self.happen(|by| Event::GiveUp { by }),
            ClientMessage::Rematch => {
                self.happen(|by| Event::Rematch { by: Some(by), secret: rng::draw(None) });
            }
            ClientMessage::Leave => self.leave(),
            ClientMessage::Identify(proof) => self.identify(&proof),
            ClientMessage::Results => self.results(now),
        }
    }

    fn pong(&self, sent: ClientInstant, received: ServerInstant) {
        let replied = self.shared.clock.now();
        self.say(ServerMessage::Pong { sent, received, replied });
    }

    fn open(
        &mut self,
        entrant: &Entrant,
        options: HeatOptions,
        seed: Option<Seed>,
        pin: Option<&Pin>,
        now: ServerInstant,
    ) {
        let Some(name) = self.may_enter(entrant, now) else {
            return;
        };
        let Shared { hub, admission, .. } = &*self.shared;
        let opened = admission.open(self.peer, hub, || hub.open_with_pin(pin, options, seed));
        match opened {
            Ok(heat) => self.join_heat(heat, name, entrant.bot, Role::Player),
            Err(OpenError::Full | OpenError::Bots) => self.refuse(Refusal::Full),
            Err(OpenError::Busy) => self.refuse(Refusal::Busy),
            Err(OpenError::Options(fault)) => self.refuse(Refusal::Options(fault)),
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
        let Some(name) = self.may_enter(entrant, now) else {
            return;
        };
        let heat = self.shared.hub.find(code).ok_or(Refusal::NoSuchHeat);
        let admitted = heat.and_then(|heat| heat.check_pin(source(self.peer), pin).map(|()| heat));
        match admitted {
            Ok(heat) => self.join_heat(heat, name, entrant.bot, role),
            Err(why) => self.refuse(why),
        }
    }

    /// Takes up a seat again. Who has no right to it learns nothing, not even whether there
    /// is such a heat.
    fn resume(
        &mut self,
        code: RoomCode,
        player: PlayerId,
        token: &ResumeToken,
        now: ServerInstant,
    ) {
        if !self.may_try(now) {
            return;
        }
        let heat = self.shared.hub.find(code);
        let resumed = heat.ok_or(ResumeError::NoSeat).and_then(|heat| {
            heat.resume(&self.outbox, player, token, rng::token())?;
            Ok(heat)
        });
        debug!(heat = %code, %player, granted = resumed.is_ok(), "resume");
        match resumed {
            Ok(heat) => self.enter(heat, player),
            Err(ResumeError::NoSeat) => self.refuse(Refusal::NotResumed),
            Err(ResumeError::NotNow) => self.refuse(Refusal::Busy),
        }
    }

    fn may_try(&mut self, now: ServerInstant) -> bool {
        if self.membership().is_some() {
            self.refuse(Refusal::InAHeat);
            return false;
        }
        if !self.shared.admission.attempt(self.peer, now) {
            self.refuse(Refusal::TooFast);
            return false;
        }
        true
    }

    fn may_enter(&mut self, entrant: &Entrant, now: ServerInstant) -> Option<PlayerName> {
        if !self.may_try(now) {
            return None;
        }
        entrant.name.parse().map_err(|fault| self.refuse(Refusal::Name(fault))).ok()
    }

    /// Takes note of whose key it is. In a heat it is too late: the others know the member as
    /// it came in.
    fn identify(&mut self, proof: &Proof) {
        if self.membership().is_some() {
            return self.refuse(Refusal::InAHeat);
        }
        match proof.check(self.challenge, &self.host) {
            Ok(fingerprint) => {
                let bot = proof.bot;
                self.identity = Some(Identity { fingerprint, bot });
            }
            Err(Unproven) => self.refuse(Refusal::Unproven),
        }
    }

    fn join_heat(&mut self, heat: Arc<Room>, name: PlayerName, bot: bool, role: Role) {
        // Names are shown quoted: whatever is in them can't forge a line of the log.
        debug!(heat = %heat.code(), name = ?name.as_str(), bot, ?role, "join");
        // Whoever proved to be a bot is one, and a bot with a person's key isn't that person.
        let bot = bot || self.identity.is_some_and(|identity| identity.bot);
        let identity = self.identity.filter(|identity| identity.bot == bot);
        let newcomer =
            Newcomer { name, bot, role, identity: identity.map(|identity| identity.fingerprint) };
        match heat.join(&self.outbox, newcomer, rng::token()) {
            Ok(id) => self.enter(heat, id),
            Err(JoinError::Refused) => self.shared.hub.close_if_empty(&heat),
            Err(JoinError::Closed) => self.refuse(Refusal::NoSuchHeat),
        }
    }

    fn add_bot(&mut self, skill: Skill) {
        let asked = self.membership.as_ref().is_some_and(|membership| {
            let Membership { heat, id, outbox, .. } = membership;
            heat.add_bot_as(*id, outbox, skill)
        });
        if !asked {
            self.has_no_seat();
        }
    }

    /// Lets an event of this member happen, if it is one.
    fn happen(&mut self, event: impl FnOnce(PlayerId) -> Event) {
        let membership = self.membership.as_ref();
        if !membership.is_some_and(|membership| membership.apply(event)) {
            self.has_no_seat();
        }
    }

    fn has_no_seat(&mut self) {
        self.membership = None;
        self.refuse(Refusal::NotInAHeat);
    }

    /// Returns the membership, if there is one that stands: the race takes seats away, too.
    fn membership(&mut self) -> Option<&Membership> {
        self.membership.take_if(|membership| !membership.stands());
        self.membership.as_ref()
    }

    fn leave(&mut self) {
        self.happen(|by| Event::Leave { by });
        self.membership = None;
    }
}

/// Returns what a message takes of a client's budget: one, or more where the answer is
/// long or goes to everybody in the heat.
pub(crate) const fn cost(message: &ClientMessage) -> u32 {
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

/// A client's place in a heat. Dropping it tells the heat that the connection is lost,
/// however it ended.
pub(crate) struct Membership {
    shared: Arc<Shared>,
    heat: Arc<Room>,
    id: PlayerId,
    outbox: Arc<Outbox>,
}

impl Membership {
    pub(crate) fn new(
        shared: Arc<Shared>,
        heat: Arc<Room>,
        id: PlayerId,
        outbox: Arc<Outbox>,
    ) -> Self {
        Self { shared, heat, id, outbox }
    }

    /// Returns the heat.
    pub(crate) fn heat(&self) -> Arc<Room> {
        Arc::clone(&self.heat)
    }

    fn stands(&self) -> bool {
        self.heat.has_member(self.id, &self.outbox)
    }

    /// Plays a move, and returns whether the membership stands.
    pub(crate) fn play(&self, seq: Seq, play: Move, overloaded: bool) -> bool {
        self.heat.play_as(self.id, &self.outbox, (seq, play), overloaded)
    }

    /// Lets an event of the member's happen, and says whether there is one still.
    fn apply(&self, event: impl FnOnce(PlayerId) -> Event) -> bool {
        self.heat.apply_as(self.id, &self.outbox, |_| event(self.id))
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Nothing for somebody who has left already, or has come back before.
        self.heat.disconnect(self.id, &self.outbox);
        self.shared.hub.close_if_empty(&self.heat);
    }
}
