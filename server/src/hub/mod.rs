//! The registry of rooms. It holds handles and nothing else.

mod entrant_keys;
mod persistence;
mod queries;
mod tables;
mod tournaments;

pub use entrant_keys::EntrantKeys;
pub use tables::NewTable;
pub(crate) use tournaments::{Following, NewTournament, Requester};

use crate::platform::shards::TaskWaker;
use crate::race::{Event, HeatSecret, MAX_PLAYERS, OperatorDecisions, RaceConfig, TableConfig};
use crate::room::Room;
use crate::room::services::Services;
use crate::store::tournaments::RecoveredTournament;
use crate::store::{RecoveredRoom, Store};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::Salt;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::{HeatOptions, HintRule, OptionsError};
use gridrace_shared::heat::pin::{Pin, PinHash};
use gridrace_shared::heat::short_text::RoomName;
use gridrace_shared::protocol::codec::{self, Codec};
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::{Millis, ServerInstant};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tournaments::Tournaments;
use tracing::debug;

/// Rooms that may be open at once: a twentieth of all codes, so that codes stay hard to guess.
const MAX_ROOMS: usize = RoomCode::COUNT as usize / 20;

#[derive(Debug)]
pub struct Hub {
    pub(crate) services: Services,
    rooms: DashMap<RoomCode, Arc<Room>>,
    /// The latest list of public rooms, and when it was made.
    listing: Mutex<Option<(ServerInstant, Vec<RoomSummary>)>>,
    /// Rooms that the server's configuration opened: they outlive their members.
    standing: BTreeMap<RoomCode, StandingRoom>,
    entrant_keys: EntrantKeys,
    pub(crate) tournaments: Tournaments,
    is_shutting_down: AtomicBool,
}

/// What an earlier server left in the store.
pub(crate) struct RecoveredRooms {
    pub(crate) store: Arc<Store>,
    pub(crate) rooms: Vec<RecoveredRoom>,
    /// Time between the earlier server's last record and this start.
    pub(crate) downtime: Millis,
    pub(crate) tournaments: Vec<RecoveredTournament>,
    /// The first number that no tournament has.
    pub(crate) next_tournament: i64,
}

/// A room that is open as long as the server runs.
#[derive(Debug, Clone)]
pub struct StandingRoom {
    /// Its name in the list, by which it is found again after a restart.
    pub name: Option<RoomName>,
    pub options: HeatOptions,
    /// The seed of its first heat; random if `None`.
    pub seed: Option<Seed>,
    /// House bots seated from the start.
    pub bots: Vec<Skill>,
    pub pin: Option<Pin>,
}

/// The configuration of a new room, without its secret.
struct NewRoom {
    options: HeatOptions,
    pin: Option<Pin>,
    name: Option<RoomName>,
    is_standing: bool,
    decisions: OperatorDecisions,
    table: Option<TableConfig>,
}

impl NewRoom {
    fn new(options: HeatOptions, pin: Option<Pin>) -> Self {
        Self {
            options,
            pin,
            name: None,
            is_standing: false,
            decisions: OperatorDecisions::default(),
            table: None,
        }
    }
}

impl From<&StandingRoom> for NewRoom {
    fn from(standing: &StandingRoom) -> Self {
        let StandingRoom { name, options, pin, .. } = standing.clone();
        Self { name, is_standing: true, ..Self::new(options, pin) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("too many rooms are open")]
    Full,
    /// The journal's queue is full, or the server is shutting down.
    #[error("the server is busy")]
    Busy,
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error("more bots than seats")]
    TooManyBots,
    #[error("too many rooms are open from this address")]
    Quota,
    #[error("two standing rooms have the same name")]
    SameName,
    #[error("a table has at most {MAX_PLAYERS} seats")]
    TooManySeats,
}

impl Hub {
    /// Opens a hub without a store; returns the codes of its standing rooms in order. Must be
    /// called inside a tokio runtime.
    #[cfg(test)]
    pub fn new(standing: Vec<StandingRoom>) -> Result<(Self, Vec<RoomCode>), OpenError> {
        Self::start(Services::for_test(), None, standing)
    }

    /// Opens a hub that continues an earlier server's rooms; returns the codes of its standing
    /// rooms in order. Must be called inside a tokio runtime.
    pub(crate) fn start(
        services: Services,
        recovered: Option<RecoveredRooms>,
        standing: Vec<StandingRoom>,
    ) -> Result<(Self, Vec<RoomCode>), OpenError> {
        let waker = TaskWaker::new(services.shards.last());
        let mut hub = Self {
            tournaments: Tournaments::new(waker),
            services,
            rooms: DashMap::new(),
            listing: Mutex::default(),
            standing: BTreeMap::new(),
            entrant_keys: EntrantKeys::default(),
            is_shutting_down: AtomicBool::new(false),
        };
        let mut stood = recovered.map_or_else(BTreeMap::new, |recovered| hub.recover(recovered));
        let recovered = hub.handles();
        let mut codes = Vec::new();
        for room in &standing {
            if let Some(name) = &room.name
                && standing.iter().filter(|other| other.name.as_ref() == Some(name)).count() > 1
            {
                return Err(OpenError::SameName);
            }
        }
        for room in standing {
            let code = match stood.get_mut(&standing_key(&room)).and_then(VecDeque::pop_front) {
                Some(code) => {
                    hub.take_over_options(code, &room);
                    code
                }
                None => hub.open_standing(&room)?,
            };
            codes.push(code);
            hub.standing.insert(code, room);
        }
        for room in recovered {
            let operators = BTreeSet::clone(&hub.services.operators);
            let is_standing = hub.is_standing(room.code());
            room.apply(Event::Configured { operators, is_standing });
        }
        // A room without members has no seat to resume.
        for room in hub.handles() {
            if !hub.is_standing(room.code()) {
                hub.close_if_empty(&room);
            }
        }
        Ok((hub, codes))
    }

    /// Continues the rooms of an earlier server; returns its standing ones by their key, the
    /// first opened first.
    fn recover(&mut self, recovered: RecoveredRooms) -> BTreeMap<String, VecDeque<RoomCode>> {
        let RecoveredRooms { store, rooms, downtime, tournaments, next_tournament } = recovered;
        let mut stood: BTreeMap<String, VecDeque<RoomCode>> = BTreeMap::new();
        self.services.store = Some(Arc::clone(&store));
        self.recover_tournaments(tournaments, next_tournament);
        for found in rooms {
            let code = found.code;
            if let Some(key) = &found.standing {
                stood.entry(key.clone()).or_default().push_back(code);
            }
            let room = Room::recover(self.services.clone(), &store, found, downtime);
            self.rooms.insert(code, room);
        }
        stood
    }

    /// Gives a standing room without members the options of the present configuration, which may be
    /// others than before.
    fn take_over_options(&self, code: RoomCode, standing: &StandingRoom) {
        if let Some(room) = self.find(code)
            && room.close_if_empty()
            && let Some(fresh) = self.reopen(&room, standing, standing.seed.clone())
        {
            self.rooms.insert(code, fresh);
        }
    }

    fn open_standing(&self, standing: &StandingRoom) -> Result<RoomCode, OpenError> {
        let secret = self.services.draw_secret(&standing.options.spec, standing.seed.clone(), None);
        let room = self.open_new(NewRoom::from(standing), secret)?;
        seat_bots(&room, standing)?;
        Ok(room.code())
    }

    #[cfg(test)]
    pub fn open(&self, options: HeatOptions, seed: Option<Seed>) -> Result<Arc<Room>, OpenError> {
        self.open_with_pin(None, options, seed, None)
    }

    /// Opens a room under a fresh code, for a client at this address.
    pub fn open_with_pin(
        &self,
        pin: Option<&Pin>,
        options: HeatOptions,
        seed: Option<Seed>,
        from: Option<IpAddr>,
    ) -> Result<Arc<Room>, OpenError> {
        // Before a board is taken from the stock.
        options.check()?;
        let secret = self.services.draw_secret(&options.spec, seed, from);
        self.open_new(NewRoom::new(options, pin.cloned()), secret)
    }

    fn open_new(&self, new: NewRoom, secret: HeatSecret) -> Result<Arc<Room>, OpenError> {
        if self.rooms.len() >= MAX_ROOMS {
            return Err(OpenError::Full);
        }
        let has_capacity = self.services.store.as_ref().is_none_or(|store| store.has_capacity());
        if !has_capacity || self.is_shutting_down.load(Ordering::Relaxed) {
            return Err(OpenError::Busy);
        }
        loop {
            // 19 of 20 codes are free, so few iterations are needed.
            let code = self.services.environment.rng.code();
            if let Entry::Vacant(vacant) = self.rooms.entry(code) {
                let room = self.create(code, new, secret)?;
                vacant.insert(Arc::clone(&room));
                debug!(room = %code, "room opened");
                return Ok(room);
            }
        }
    }

    pub fn find(&self, code: RoomCode) -> Option<Arc<Room>> {
        self.rooms.get(&code).map(|room| Arc::clone(&room))
    }

    /// Returns whether there is a room under this code as long as the server runs.
    pub(crate) fn is_standing(&self, code: RoomCode) -> bool {
        self.standing.contains_key(&code)
    }

    /// Closes a room that has no members. A standing one is replaced by a fresh one, without
    /// what its last members have changed.
    pub fn close_if_empty(&self, room: &Arc<Room>) {
        if !room.close_if_empty() {
            return;
        }
        let code = room.code();
        if self.find(code).is_none_or(|found| !Arc::ptr_eq(&found, room)) {
            return;
        }
        let standing = self.standing.get(&code);
        let fresh = standing.and_then(|standing| self.reopen(room, standing, None));
        match (self.rooms.entry(code), fresh) {
            (Entry::Occupied(mut entry), Some(fresh)) if Arc::ptr_eq(entry.get(), room) => {
                entry.insert(fresh);
            }
            (Entry::Occupied(entry), None) if Arc::ptr_eq(entry.get(), room) => {
                entry.remove();
                debug!(room = %code, "room closed");
            }
            // Another call has replaced it meanwhile.
            (_, Some(fresh)) => fresh.close(),
            (_, None) => {}
        }
    }

    /// Closes rooms whose last member's grace has expired; never returns.
    pub async fn run_reaper(&self) {
        loop {
            for (code, waker) in self.services.reaper_queue.next().await {
                if let Some(room) = self.find(code).filter(|room| room.has_waker(&waker)) {
                    self.close_if_empty(&room);
                }
            }
        }
    }

    /// Closes every room with its house bots.
    pub fn close(&self) {
        self.handles().iter().for_each(|room| room.close());
        self.rooms.clear();
    }

    /// Copies the handles, so that no room is locked under a guard of the map.
    fn handles(&self) -> Vec<Arc<Room>> {
        self.rooms.iter().map(|entry| Arc::clone(&entry)).collect()
    }

    /// Opens a standing room anew under its code, with what operators decided of it.
    fn reopen(
        &self,
        closed: &Arc<Room>,
        standing: &StandingRoom,
        seed: Option<Seed>,
    ) -> Option<Arc<Room>> {
        // The same options and bots were accepted at the start.
        let secret = self.services.draw_secret(&standing.options.spec, seed, None);
        let decisions = closed.operator_decisions();
        let new = NewRoom { decisions, ..NewRoom::from(standing) };
        let room = self.create(closed.code(), new, secret).ok()?;
        seat_bots(&room, standing).ok()?;
        Some(room)
    }

    fn create(
        &self,
        code: RoomCode,
        new: NewRoom,
        secret: HeatSecret,
    ) -> Result<Arc<Room>, OptionsError> {
        let NewRoom { options, pin, name, is_standing, decisions, table } = new;
        if options.hints != HintRule::Off {
            self.services.tables.prepare(&options.spec);
        }
        let operators = BTreeSet::clone(&self.services.operators);
        let config = |epoch| RaceConfig {
            pin,
            name,
            operators,
            is_standing,
            decisions,
            table,
            ..RaceConfig::new(code, epoch, options, secret)
        };
        Room::open(self.services.clone(), config)
    }
}

fn seat_bots(room: &Arc<Room>, standing: &StandingRoom) -> Result<(), OpenError> {
    standing.bots.iter().for_each(|&skill| room.add_bot(skill));
    if room.members() < standing.bots.len() {
        room.close();
        return Err(OpenError::TooManyBots);
    }
    room.persist_standing_key(standing_key(standing));
    Ok(())
}

/// Returns the key that identifies a standing room from one start of the server to the next: its
/// name, or else its puzzle; and in both cases the PIN. Rooms of one key are told apart by their order.
fn standing_key(standing: &StandingRoom) -> String {
    // A constant salt, as keys are compared.
    let salt = Salt::from_bytes([0; 16]);
    let pin = standing.pin.as_ref().map(|pin| PinHash::new(pin, salt));
    let key = match &standing.name {
        Some(name) => codec::encode(Codec::Json, &(name, pin)),
        None => codec::encode(Codec::Json, &(None::<&str>, standing.options.spec, pin)),
    };
    match key {
        Ok(codec::Frame::Text(text)) => text,
        // Options can always be encoded.
        Ok(codec::Frame::Binary(_)) | Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests;
