//! The rules of a room as a pure value: events and instants in, effects out.
//!
//! Absent from here: a clock, I/O, tasks, tokio, ambient randomness, and collections whose order
//! depends on a hasher. The same configuration and the same stamped events give the same effects on
//! every machine; the tests are such logs.
//!
//! [`Race::apply`] does three things in order. It processes the deadlines up to the event (GO, the
//! grace, the time limit), so that no result depends on when a timer fired. It applies the event.
//! It checks for transitions (all players are ready, the heat is decided, standings are due), so
//! that no path into such a state is missed.
//!
//! - [`event`] and [`effect`] are the contract with the shell; [`heat_event`] says what happened;
//!   [`journal`] and `persisted` are the form on disk.
//! - `members`, `bot_names`: the members and who is host; `host`: what only the host and operators
//!   may do; `host_image`: the image of the host's on the tiles; `lobby`: joining, leaving, seats;
//!   `resume`: lost connections and resumed seats; `recover`: a restarted server.
//! - `countdown`: from the lobby to GO; `phase`, `transitions`: from GO to the end; `activity`,
//!   `closing`: a heat that ends early; `rematch`:
//!   options and the way back to the lobby; `seat`, `moves`: a player's race; `hints`, `hint_plans`: hints; `rating`: the board's rating.
//! - `table`, `table_events`: a room as a table of a tournament.
//! - `spectator_feed`: the delayed boards; `throttle`: how often broadcasts are sent; `snapshot`:
//!   what a newcomer is told; `recording`: what the host is told of the store.

pub mod effect;
pub mod event;
pub mod journal;

mod activity;
mod bot_names;
mod closing;
mod countdown;
pub mod heat_event;
pub(crate) mod hint_plans;
mod hints;
mod host;
mod host_image;
mod lobby;
mod members;
mod moves;
pub(crate) mod persisted;
mod phase;
mod rating;
mod recording;
mod recover;
mod rematch;
pub(crate) mod replay_recorder;
mod resume;
mod seat;
mod snapshot;
mod spectator_feed;
mod table;
mod table_events;
mod throttle;
mod transitions;

#[cfg(test)]
mod tests;

pub use effect::{Audience, BoardRequest, Effect, Effects, HintRequest};
pub use event::{BoardError, Event, HeatSecret, HintError, Newcomer, TableEvent, TableStart};
pub use heat_event::{HeatEvent, HeatRecord, MoveVerdict};
pub use table::{
    ReservedSeat, TableConfig, TableNews, TablePhase, TableRecord, TableReport, TableStatus,
};

use event::QueuedHeat;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::{HeatOptions, OptionsError};
use gridrace_shared::heat::pin::{Pin, RoomPin};
use gridrace_shared::heat::short_text::RoomName;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Ban;
#[cfg(test)]
use gridrace_shared::protocol::snapshot::{HeatResult, Roster};
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use host_image::HostImage;
use members::HostPlace;
use members::Members;
pub use members::{MAX_PLAYERS, MAX_SPECTATORS};
pub(crate) use phase::PHASE_NAMES;
use phase::{RacePhase, Running};
use recording::Recording;
use seat::Seat;
use std::collections::BTreeSet;
use table::TournamentTable;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceConfig {
    pub code: RoomCode,
    /// The instant of the server's clock at which the room's own time begins.
    pub epoch: ServerInstant,
    pub options: HeatOptions,
    pub secret: HeatSecret,
    pub pin: Option<Pin>,
    pub name: Option<RoomName>,
    /// The keys of the server's operators, who have the host's powers.
    pub operators: BTreeSet<Fingerprint>,
    /// Whether the server's configuration opened the room.
    pub is_standing: bool,
    pub decisions: OperatorDecisions,
    /// What makes the room a table of a tournament, which has no host and obeys no operator.
    pub table: Option<TableConfig>,
}

/// What operators have decided of a standing room: it holds also when all members have left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorDecisions {
    pub banned: Vec<Ban>,
    /// Whether only operators may be host.
    pub is_reserved: bool,
}

impl RaceConfig {
    /// A room like those that clients open, on a server without operators.
    pub const fn new(
        code: RoomCode,
        epoch: ServerInstant,
        options: HeatOptions,
        secret: HeatSecret,
    ) -> Self {
        Self {
            code,
            epoch,
            options,
            secret,
            pin: None,
            name: None,
            operators: BTreeSet::new(),
            is_standing: false,
            decisions: OperatorDecisions { banned: Vec::new(), is_reserved: false },
            table: None,
        }
    }
}

/// The heats of a room, one after another. It holds the secret of the present heat, so it has no
/// `Debug`.
#[derive(Clone)]
pub struct Race {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<RoomPin>,
    name: Option<RoomName>,
    operators: BTreeSet<Fingerprint>,
    /// The keys that may not join, in the order in which they were banned.
    banned: Vec<Ban>,
    /// The member who holds the start.
    held_by: Option<PlayerId>,
    /// What the host has set for the next heat.
    queued: Option<QueuedHeat>,
    /// The number of the heat, from 1.
    number: u32,
    /// The number of the latest board request.
    board_requests: u32,
    members: Members,
    phase: RacePhase,
    /// How long the server was away during the heat.
    outage: Millis,
    recording: Recording,
    /// The members with the host's powers who know PIN and bans from the server.
    host_informed: BTreeSet<PlayerId>,
    host_image: HostImage,
    /// The members who haven't come back since the room's journal was found damaged.
    untold_of_damage: BTreeSet<PlayerId>,
    table: Option<TournamentTable>,
    /// The instant of the present event; never runs backwards.
    now: HeatInstant,
    /// The number of the present event: it ranks equal instants.
    order: u64,
}

impl Race {
    /// Opens a room in its lobby, without members.
    pub fn new(config: RaceConfig) -> Result<Self, OptionsError> {
        let RaceConfig { code, epoch, options, secret, pin, name, .. } = config;
        let RaceConfig { mut operators, is_standing, mut decisions, table, .. } = config;
        if table.is_some() {
            operators.clear();
            decisions.is_reserved = true;
        }
        options.check()?;
        Ok(Self {
            code,
            epoch,
            options,
            secret,
            pin: pin.map(RoomPin::Known),
            name,
            operators,
            banned: decisions.banned,
            held_by: None,
            queued: None,
            number: 1,
            board_requests: 0,
            members: Members::new(is_standing, decisions.is_reserved),
            phase: RacePhase::Lobby,
            outage: Millis(0),
            recording: Recording::default(),
            host_informed: BTreeSet::new(),
            host_image: HostImage::default(),
            untold_of_damage: BTreeSet::new(),
            table: table.map(TournamentTable::from),
            now: HeatInstant(0),
            order: 0,
        })
    }

    /// Returns the room's PIN. The shell checks it before it sends a join.
    pub const fn pin(&self) -> Option<&RoomPin> {
        self.pin.as_ref()
    }

    /// Applies an event at an instant, and returns what the shell must do.
    ///
    /// An instant before the last one counts as the last one. An event of a member who is
    /// disconnected is void: it was on its way when the connection was lost.
    pub fn apply(&mut self, now: HeatInstant, event: Event) -> Effects {
        let mut out = Effects::default();
        self.order += 1;
        self.process_deadlines(self.now.max(now), &mut out);
        if !self.is_void(&event) {
            self.dispatch(event, &mut out);
        }
        self.check_transitions(&mut out);
        self.drop_image_if_listed(&mut out);
        self.notify_host(&mut out);
        self.inform_hosts(&mut out);
        out
    }

    /// Returns the instant at which the shell must send [`Event::Tick`], if there is one.
    pub fn deadline(&self) -> Option<HeatInstant> {
        let watched = self.running().filter(|run| self.is_watched(run));
        let shown = watched.and_then(|run| run.feed.due());
        self.first_deadline().map(|(at, _)| at).into_iter().chain(shown).min()
    }

    /// Returns whether no client is connected or may come back; house bots don't count. A table is
    /// kept until the tournament closes it.
    pub fn is_deserted(&self) -> bool {
        let is_kept = self.table.as_ref().is_some_and(|table| !table.is_closed);
        !is_kept && self.members.is_deserted()
    }

    pub const fn is_table(&self) -> bool {
        self.table.is_some()
    }

    pub fn operator_decisions(&self) -> OperatorDecisions {
        let by_operators = self.banned.iter().filter(|ban| ban.by_operator);
        OperatorDecisions {
            banned: by_operators.cloned().collect(),
            is_reserved: self.members.place == HostPlace::Reserved,
        }
    }

    /// Returns whether the room is left out of the public list, as tables are.
    pub const fn is_private(&self) -> bool {
        self.options.private || self.table.is_some()
    }

    pub const fn code(&self) -> RoomCode {
        self.code
    }

    pub const fn epoch(&self) -> ServerInstant {
        self.epoch
    }

    /// Returns the number of the heat: 1, and one more with each rematch.
    pub const fn number(&self) -> u32 {
        self.number
    }

    #[cfg(test)]
    pub fn roster(&self) -> Roster {
        self.members.roster()
    }

    /// Returns whether a member is the host or an operator.
    pub fn has_host_powers(&self, id: PlayerId) -> bool {
        self.members.host == Some(id) || self.members.is_operator(id)
    }

    pub fn is_operator_key(&self, key: Option<Fingerprint>) -> bool {
        key.is_some_and(|key| self.operators.contains(&key))
    }

    pub fn is_connected(&self, id: PlayerId) -> bool {
        self.members.is_connected(id)
    }

    /// Returns how many members are connected, house bots included.
    pub fn connected(&self) -> usize {
        self.members.iter().filter(|member| member.connected).count()
    }

    /// Returns whether a member may see the players' boards: a spectator, or a person whose race has
    /// ended if the options say so; unless a player who still races has its key.
    pub fn may_watch(&self, id: PlayerId) -> bool {
        let Some(member) = self.members.get(id) else {
            return false;
        };
        let races = |id| self.seat(id).is_some_and(Seat::is_racing);
        match member.role {
            Role::Spectator => !self.members.twins_of(id).any(|twin| races(twin.id)),
            Role::Player => {
                self.seat(id).filter(|seat| self.is_finisher(id, seat)).is_some_and(|seat| {
                    // By the key alone: friends behind one router finish one after another. To give up
                    // costs nothing, and could be done in a second window.
                    let is_raced = |key| self.members.of_key(key).any(|twin| races(twin.id));
                    match seat.state {
                        RaceState::Dnf => !self.members.twins_of(id).any(|twin| races(twin.id)),
                        RaceState::Racing | RaceState::Finished { .. } => {
                            !member.identity.is_some_and(is_raced)
                        }
                    }
                })
            }
        }
    }

    /// Returns whether a player is a person who may watch because its race has ended.
    fn is_finisher(&self, id: PlayerId, seat: &Seat) -> bool {
        !seat.is_racing() && self.options.finishers_watch && self.members.is_person(id)
    }

    /// Returns whether a connected member may watch, but for those with the key of one who races.
    fn is_watched(&self, run: &Running) -> bool {
        let here = |id| self.members.is_connected(id);
        self.members.has_spectators()
            || run.seats.iter().any(|(&id, seat)| self.is_finisher(id, seat) && here(id))
    }

    /// Returns whether a member is shown standings as late as boards.
    pub fn is_spectator(&self, id: PlayerId) -> bool {
        self.members.role(id) == Some(Role::Spectator)
    }

    pub const fn awaits_board(&self, ticket: u32) -> bool {
        matches!(self.phase, RacePhase::Drawing) && self.board_requests == ticket
    }

    /// Returns the instant of the latest event, or of the heat's end once that is over.
    pub(crate) const fn instant(&self) -> HeatInstant {
        if let RacePhase::Over(over) = &self.phase { over.at } else { self.now }
    }

    /// Returns the phase's name for metrics.
    pub const fn phase_name(&self) -> &'static str {
        self.phase.name()
    }

    #[cfg(test)]
    pub const fn result(&self) -> Option<&HeatResult> {
        if let RacePhase::Over(over) = &self.phase { Some(&over.result) } else { None }
    }

    fn running(&self) -> Option<&Running> {
        if let RacePhase::Running(run) = &self.phase { Some(run) } else { None }
    }

    /// Returns a player's seat in a running heat.
    fn seat(&self, player: PlayerId) -> Option<&Seat> {
        self.running()?.seats.get(&player)
    }

    fn dispatch(&mut self, event: Event, out: &mut Effects) {
        let by = event.by();
        let granted = match event {
            event if self.table.is_some() && event.is_of_hosted_rooms() => {
                Err(Refusal::TournamentDecides)
            }
            Event::Join { id, newcomer, token } => {
                self.join(id, newcomer, token, out);
                Ok(())
            }
            Event::Resume { by, presented, next } => self.resume(by, &presented, next, out),
            Event::Return { by, identity, next } => self.return_by_key(by, identity, next, out),
            Event::Confirm { by } => self.confirm(by),
            Event::Leave { by } => self.leave(by, out),
            Event::Lost { by } => self.disconnect(by, out),
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
            Event::Hint { by, style } => self.ask_hint(by, style, out),
            Event::Hinted { by, number, outcome } => self.hint_found(by, number, outcome, out),
            Event::Rated { number, best } => {
                self.rated(number, best, out);
                Ok(())
            }
            Event::GiveUp { by } => self.give_up(by, out),
            Event::Rematch { by, secret } => self.rematch(by, secret, out),
            Event::EndHeat { by } => self.end_heat(by, out),
            Event::Ban { by, player } => self.ban(by, player, out),
            Event::Unban { by, key } => self.unban(by, key, out),
            Event::Hold { by, hold } => self.hold(by, hold, out),
            Event::HandOver { by, player } => self.hand_over(by, player, out),
            Event::Announce { by, text } => self.announce(by, text, out),
            Event::Image { by, image } => self.set_image(by, image, out),
            Event::Configured { operators, is_standing } => {
                self.configure(operators, is_standing, out);
                Ok(())
            }
            Event::Table(event) => {
                self.apply_table_event(event, out);
                Ok(())
            }
            Event::Recording { recorded } => {
                self.set_recorded(recorded);
                Ok(())
            }
            Event::Recovered { away } => {
                self.recovered(away, out);
                Ok(())
            }
            Event::JournalDamaged => {
                self.journal_damaged();
                Ok(())
            }
            Event::AddressChanged { member, address } => {
                self.change_address(member, address, out);
                Ok(())
            }
            Event::Tick => Ok(()),
        };
        // The server's own requests, and those of disconnected members, have no reader.
        if let (Err(why), Some(by)) = (granted, by)
            && self.members.is_connected(by)
        {
            out.send(by, ServerMessage::Refused(why));
        }
    }

    /// Returns whether an event was on its way when its member's connection was lost. A hint that
    /// was found ends the request of a disconnected member, too, and resuming is for those members.
    fn is_void(&self, event: &Event) -> bool {
        let for_the_absent =
            matches!(event, Event::Resume { .. } | Event::Return { .. } | Event::Hinted { .. });
        !for_the_absent && event.by().is_some_and(|by| !self.members.is_connected(by))
    }

    const fn require_lobby(&self) -> Result<(), Refusal> {
        if matches!(self.phase, RacePhase::Lobby) { Ok(()) } else { Err(Refusal::WrongPhase) }
    }
}
