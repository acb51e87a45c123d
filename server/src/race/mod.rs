//! One heat as a pure value: events and instants in, effects out.
//!
//! Absent from here: a clock, I/O, tasks, tokio, ambient chance, and collections whose
//! order hangs on a hasher. The same configuration and the same stamped events give the
//! same effects on every machine; the tests are such logs.
//!
//! [`Race::apply`] does three things in order: it settles what was due before the event
//! (GO, the time limit), so that no result depends on when a timer fired; it lets the
//! event happen; and it draws the conclusions (all are ready, the heat is decided, a
//! lane is due), so that no way into such a state can be forgotten.
//!
//! - [`event`] and [`effect`] are the contract with the shell; [`journal`] writes them down.
//! - `members`, `names`: who is here, and the host; `lobby`: coming, going, options, seats;
//!   `resume`: lost connections, and coming back.
//! - `start`: from the lobby by the board's drawing to the countdown; `stage`: from there to
//!   running, over and back; `seat`, `running`: one
//!   player's race; `hints`: the solver's answers; `spectate`: the delayed boards.
//! - `pace`: how often the lanes for many send; `snapshot`: what a newcomer may know.

pub mod effect;
pub mod event;
pub mod journal;

mod countdown;
pub mod heat_event;
pub(crate) mod hint_plans;
mod hints;
mod lobby;
mod members;
mod moves;
mod names;
pub(crate) mod persisted;
mod phase;
mod rating;
mod recording;
mod recover;
pub(crate) mod replay_recorder;
mod resume;
mod seat;
mod snapshot;
mod spectator_feed;
mod throttle;

#[cfg(test)]
mod tests;

pub use effect::{Audience, BoardRequest, Effect, Effects, HintRequest};
pub use event::{BoardError, Event, HeatSecret, HintError, Newcomer};
pub use heat_event::{HeatEvent, HeatRecord, MoveVerdict};

use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::{HeatOptions, OptionsError};
use gridrace_shared::heat::pin::PinHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Roster};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::time::{Millis, ServerInstant};
use members::Members;
use phase::Stage;
use recording::Recording;

/// How many players a heat has at most: what a standings list and a frame can hold.
pub const MAX_PLAYERS: usize = 32;
/// How many spectators a heat has at most: each costs a copy of every frame.
pub const MAX_SPECTATORS: usize = 64;

/// What a race begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceConfig {
    /// The code by which the heat is joined.
    pub code: RoomCode,
    /// The instant of the server's clock from which the heat's times count.
    pub epoch: ServerInstant,
    /// The options.
    pub options: HeatOptions,
    /// What the first heat is drawn from.
    pub secret: HeatSecret,
    /// The PIN by which the heat is joined, if it has one.
    pub pin: Option<PinHash>,
}

/// One group's heats, one after another. It holds the secret of the current one, and
/// for that reason can't be printed.
#[derive(Clone)]
pub struct Race {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<PinHash>,
    /// Which heat of the group it is.
    number: u32,
    /// How many boards were asked for: the number of the latest.
    drawings: u32,
    members: Members,
    stage: Stage,
    /// For how long the heat that runs stood still, as its server was away.
    outage: Millis,
    recording: Recording,
    /// The instant of the current event; never runs backwards.
    now: Millis,
    /// The number of the current event: it ranks equal stamps.
    order: u64,
}

impl Race {
    /// Opens a race in its lobby, with nobody in it.
    ///
    /// # Errors
    /// The first option that lies outside its bounds.
    pub fn new(config: RaceConfig) -> Result<Self, OptionsError> {
        let RaceConfig { code, epoch, options, secret, pin } = config;
        options.check()?;
        Ok(Self {
            code,
            epoch,
            options,
            secret,
            pin,
            number: 1,
            drawings: 0,
            members: Members::default(),
            stage: Stage::Lobby,
            outage: Millis(0),
            recording: Recording::default(),
            now: Millis(0),
            order: 0,
        })
    }

    /// Returns what is kept of the heat's PIN. To ask for it is the shell's, before the event.
    #[must_use]
    pub const fn pin(&self) -> Option<&PinHash> {
        self.pin.as_ref()
    }

    /// Lets an event happen at an instant, and returns what the shell must do about it.
    ///
    /// An instant before the last one counts as the last one. An event of somebody who
    /// is in the heat no more is void: it was on its way when they went.
    pub fn apply(&mut self, now: Millis, event: Event) -> Effects {
        let mut out = Effects::default();
        self.order += 1;
        self.process_deadlines(self.now.max(now), &mut out);
        if !self.is_void(&event) {
            self.dispatch(event, &mut out);
        }
        self.check_transitions(&mut out);
        self.notify_host(&mut out);
        out
    }

    /// Returns the instant at which the shell must send [`Event::Tick`], if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let stage = self.stage.deadline(self.members.has_spectators());
        let grace = self.members.first_grace().map(|(until, _)| until);
        stage.into_iter().chain(grace).min()
    }

    /// Says that nobody from outside is here, or may still come back; the server's own bots
    /// don't count.
    #[must_use]
    pub fn is_deserted(&self) -> bool {
        self.members.is_deserted()
    }

    /// Says whether the heat is left out of the server's list.
    #[must_use]
    pub const fn is_private(&self) -> bool {
        self.options.private
    }

    /// Returns the code by which the heat is joined.
    #[must_use]
    pub const fn code(&self) -> RoomCode {
        self.code
    }

    /// Returns the instant of the server's clock from which the heat's times count.
    #[must_use]
    pub const fn epoch(&self) -> ServerInstant {
        self.epoch
    }

    /// Returns for how long the heat that is on, or over, stood still.
    #[must_use]
    pub const fn outage(&self) -> Millis {
        self.outage
    }

    /// Returns which heat of the group it is: 1, and one more with each rematch.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Returns the puzzle.
    #[must_use]
    pub const fn spec(&self) -> PuzzleSpec {
        self.options.spec
    }

    /// Returns the options.
    #[must_use]
    pub const fn options(&self) -> &HeatOptions {
        &self.options
    }

    /// Returns who is here, and the host.
    #[must_use]
    pub fn roster(&self) -> Roster {
        self.members.roster()
    }

    /// Returns how many players have a seat.
    #[must_use]
    pub fn players(&self) -> usize {
        self.members.players()
    }

    /// Returns who has the host's powers.
    #[must_use]
    pub const fn host(&self) -> Option<PlayerId> {
        self.members.host()
    }

    /// Says whether somebody is a member, and connected.
    #[must_use]
    pub fn is_here(&self, id: PlayerId) -> bool {
        self.members.is_here(id)
    }

    /// Counts everybody who is here, the server's bots included.
    #[must_use]
    pub fn here(&self) -> usize {
        self.members.iter().filter(|member| member.connected).count()
    }

    /// Says whether somebody is here and watches.
    #[must_use]
    pub fn is_spectator(&self, id: PlayerId) -> bool {
        self.members.role(id) == Some(Role::Spectator)
    }

    /// Says whether this drawing is still waited for.
    #[must_use]
    pub const fn awaits(&self, ticket: u32) -> bool {
        matches!(self.stage, Stage::Drawing) && self.drawings == ticket
    }

    /// Returns the instant of the latest event, or of the heat's end once that is over.
    pub(crate) const fn instant(&self) -> Millis {
        match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } | Stage::Running(_) => self.now,
            Stage::Over(over) => over.at,
        }
    }

    /// Returns the phase's name for the log.
    #[must_use]
    pub const fn phase_name(&self) -> &'static str {
        self.stage.name()
    }

    /// Returns how the heat ended, once it is over.
    #[must_use]
    pub const fn result(&self) -> Option<&HeatResult> {
        match &self.stage {
            Stage::Over(over) => Some(&over.result),
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } | Stage::Running(_) => None,
        }
    }

    fn dispatch(&mut self, event: Event, out: &mut Effects) {
        let by = event.by();
        let granted = match event {
            Event::Join { id, newcomer, token } => {
                self.join(id, newcomer, token, out);
                Ok(())
            }
            Event::Resume { by, presented, next } => self.resume(by, &presented, next, out),
            Event::Return { by, identity, next } => self.come_back(by, identity, next, out),
            Event::Confirm { by } => self.confirm(by),
            Event::Leave { by } => self.leave(by, out),
            Event::Lost { by } => self.lose(by, out),
            Event::Options { by, options, secret } => self.set_options(by, options, secret, out),
            Event::Ready { by, ready } => self.set_ready(by, ready, out),
            Event::Start { by } => self.start(by, out),
            Event::Drawn { ticket, outcome } => {
                self.drawn(ticket, outcome, out);
                Ok(())
            }
            Event::Kick { by, player } => self.kick(by, player, out),
            Event::AddBot { by, id, skill } => self.add_bot(by, id, skill, out),
            Event::TakeSeat { by } => self.take_seat(by, out),
            Event::LeaveSeat { by } => self.leave_seat(by, out),
            Event::Move { by, seq, play } => {
                self.play(by, seq, play, out);
                Ok(())
            }
            Event::Hint { by } => self.ask_hint(by, out),
            Event::Hinted { by, number, outcome } => self.hint_found(by, number, outcome, out),
            Event::Rated { number, best } => {
                self.rated(number, best, out);
                Ok(())
            }
            Event::GiveUp { by } => self.give_up(by, out),
            Event::Rematch { by, secret } => self.rematch(by, secret, out),
            Event::Recording { recorded } => {
                self.set_recorded(recorded);
                Ok(())
            }
            Event::Recovered { away } => {
                self.recovered(away, out);
                Ok(())
            }
            Event::Tick | Event::PlannedV4 { .. } => Ok(()),
        };
        // Where the server itself asked, or whoever asked is away, there is nobody to tell.
        if let (Err(why), Some(by)) = (granted, by)
            && self.members.is_here(by)
        {
            out.send(by, ServerMessage::Refused(why));
        }
    }

    /// Says whether an event was on its way when its member went. What the solver found for
    /// one who is away must be taken note of, and coming back is for those who are.
    fn is_void(&self, event: &Event) -> bool {
        let for_the_absent =
            matches!(event, Event::Resume { .. } | Event::Return { .. } | Event::Hinted { .. });
        !for_the_absent && event.by().is_some_and(|by| !self.members.is_here(by))
    }

    fn require_host(&self, by: PlayerId) -> Result<(), Refusal> {
        if self.members.host() == Some(by) { Ok(()) } else { Err(Refusal::NotHost) }
    }

    fn require_lobby(&self) -> Result<(), Refusal> {
        match self.stage {
            Stage::Lobby => Ok(()),
            Stage::Drawing | Stage::Countdown { .. } | Stage::Running(_) | Stage::Over(_) => {
                Err(Refusal::WrongPhase)
            }
        }
    }
}
