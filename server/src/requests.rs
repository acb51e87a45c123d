//! What a client asks for, turned into events of its heat.

use crate::connection::{Client, Shared};
use crate::entropy;
use crate::heat::Heat;
use crate::hub::OpenError;
use crate::race::Event;
use crate::rate::Bucket;
use dashmap::DashMap;
use gridrace_shared::bot::Skill;
use gridrace_shared::name::{HeatCode, PlayerId, PlayerName};
use gridrace_shared::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::seed::Seed;
use gridrace_shared::time::Micros;
use std::net::IpAddr;
use std::sync::Arc;
use tracing::debug;

impl Client {
    /// Grants a request, or says why not. `now` is when it came in.
    pub(crate) fn request(&mut self, message: ClientMessage, now: Micros) {
        match message {
            ClientMessage::Hello(_) => self.refuse(Refusal::HelloTwice),
            ClientMessage::Ping { sent } => self.pong(sent, now),
            ClientMessage::Heats => self.say(ServerMessage::Heats(self.shared.hub.list())),
            ClientMessage::Open {
                entrant,
                options,
                seed,
            } => self.open(&entrant, options, seed, now),
            ClientMessage::Join {
                code,
                entrant,
                role,
            } => self.join(code, &entrant, role, now),
            ClientMessage::Options { options, seed } => {
                self.happen(|by| Event::Options {
                    by,
                    options,
                    draw: entropy::draw(seed),
                });
            }
            ClientMessage::Ready { ready } => self.happen(|by| Event::Ready { by, ready }),
            ClientMessage::Start => self.happen(|by| Event::Start { by }),
            ClientMessage::Kick { player } => self.happen(|by| Event::Kick { by, player }),
            ClientMessage::AddBot { skill } => self.add_bot(skill),
            ClientMessage::TakeSeat => self.happen(|by| Event::TakeSeat { by }),
            ClientMessage::LeaveSeat => self.happen(|by| Event::LeaveSeat { by }),
            ClientMessage::Move { seq, play } => self.happen(|by| Event::Move { by, seq, play }),
            ClientMessage::Hint => self.happen(|by| Event::Hint { by }),
            ClientMessage::GiveUp => self.happen(|by| Event::GiveUp { by }),
            ClientMessage::Rematch => {
                self.happen(|by| Event::Rematch {
                    by: Some(by),
                    draw: entropy::draw(None),
                });
            }
            ClientMessage::Leave => self.leave(),
        }
    }

    fn pong(&self, sent: Micros, received: Micros) {
        let replied = self.shared.clock.now();
        self.say(ServerMessage::Pong {
            sent,
            received,
            replied,
        });
    }

    fn open(&mut self, entrant: &Entrant, options: HeatOptions, seed: Option<Seed>, now: Micros) {
        let Some(name) = self.may_enter(entrant, now) else {
            return;
        };
        match self.shared.hub.open(options, seed) {
            Ok(heat) => self.join_heat(heat, name, entrant.bot, Role::Player),
            Err(OpenError::Full) => self.refuse(Refusal::Full),
            Err(OpenError::Options(fault)) => self.refuse(Refusal::Options(fault)),
        }
    }

    fn join(&mut self, code: HeatCode, entrant: &Entrant, role: Role, now: Micros) {
        let Some(name) = self.may_enter(entrant, now) else {
            return;
        };
        match self.shared.hub.find(code) {
            Some(heat) => self.join_heat(heat, name, entrant.bot, role),
            None => self.refuse(Refusal::NoSuchHeat),
        }
    }

    fn may_enter(&self, entrant: &Entrant, now: Micros) -> Option<PlayerName> {
        if self.membership.is_some() {
            self.refuse(Refusal::InAHeat);
            return None;
        }
        if !self.shared.attempts.allow(self.peer, now) {
            self.refuse(Refusal::TooFast);
            return None;
        }
        entrant
            .name
            .parse()
            .map_err(|fault| self.refuse(Refusal::Name(fault)))
            .ok()
    }

    fn join_heat(&mut self, heat: Arc<Heat>, name: PlayerName, bot: bool, role: Role) {
        // Names are shown quoted: whatever is in them can't forge a line of the log.
        debug!(heat = %heat.code(), name = ?name.as_str(), bot, ?role, "join");
        match heat.join(&self.outbox, name, bot, role) {
            Some(id) => self.enter(heat, id),
            // Said by the race, if it still runs.
            None => self.shared.hub.tidy(&heat),
        }
    }

    fn add_bot(&self, skill: Skill) {
        match &self.membership {
            Some(membership) => membership.heat.add_bot(Some(membership.id), skill),
            None => self.refuse(Refusal::NotInAHeat),
        }
    }

    fn leave(&mut self) {
        match self.membership.take() {
            Some(membership) => membership.apply(|by| Event::Leave { by }),
            None => self.refuse(Refusal::NotInAHeat),
        }
    }
}

/// A client's place in a heat. Dropping it leaves the heat, however the connection ended.
pub(crate) struct Membership {
    shared: Arc<Shared>,
    heat: Arc<Heat>,
    id: PlayerId,
}

impl Membership {
    pub(crate) fn new(shared: Arc<Shared>, heat: Arc<Heat>, id: PlayerId) -> Self {
        Self { shared, heat, id }
    }

    pub(crate) fn apply(&self, event: impl FnOnce(PlayerId) -> Event) {
        self.heat.apply(event(self.id));
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // Void for somebody who has left already.
        self.heat.apply(Event::Lost { by: self.id });
        self.shared.hub.tidy(&self.heat);
    }
}

/// Attempts to get into a heat, by address: codes are short, so guessing is slowed down.
#[derive(Debug, Default)]
pub struct Attempts(DashMap<IpAddr, Bucket>);

impl Attempts {
    /// Attempts at once, and a second: a bus full of friends behind one address gets in,
    /// and all codes take a day to try.
    const RATE: (u32, u32) = (64, 2);
    /// Addresses that are remembered before those that have been quiet are forgotten.
    const REMEMBERED: usize = 4_096;

    /// Says whether one more attempt is allowed. This machine's own addresses are free:
    /// bots come from there by the hundred.
    pub fn allow(&self, peer: IpAddr, now: Micros) -> bool {
        if peer.to_canonical().is_loopback() {
            return true;
        }
        if self.0.len() >= Self::REMEMBERED {
            self.0.retain(|_, bucket| !bucket.is_full(now));
        }
        let fresh = || Bucket::new(Self::RATE.0, Self::RATE.1, now);
        self.0.entry(peer).or_insert_with(fresh).take(1, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_of_one_address_run_out_and_come_back() {
        let attempts = Attempts::default();
        let (near, far) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let granted = (0..100).filter(|_| attempts.allow(near, Micros(0))).count();
        assert_eq!(granted, Attempts::RATE.0 as usize);
        assert!(attempts.allow(far, Micros(0)));
        assert!(attempts.allow(near, Micros(1_000_000)));
    }

    #[test]
    fn this_machine_is_never_slowed_down() {
        let attempts = Attempts::default();
        assert!((0..10_000).all(|_| attempts.allow(IpAddr::from([127, 0, 0, 1]), Micros(0))));
    }
}
