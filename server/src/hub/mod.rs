//! The directory of heats. It holds handles and nothing else.

mod listing;
mod persistence;
mod queries;

use crate::platform::clock::Clock;
use crate::platform::rng;
use crate::platform::shards::Shards;
use crate::race::RaceConfig;
use crate::room::Room;
use crate::room::reaper_queue::ReaperQueue;
use crate::room::services::{RoomEvent, Services};
use crate::store::{Figures, Recovered, Store};
use crate::tables::TableStore;
use crate::telemetry::metrics::Metrics;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::Salt;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::{HeatOptions, OptionsError};
use gridrace_shared::heat::pin::{Pin, PinHash};
use gridrace_shared::protocol::codec::{self, Codec};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use listing::Listing;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::broadcast;
use tracing::debug;

/// Heats that may be open at once: a twentieth of all codes, so that codes stay hard to guess.
const MAX_HEATS: usize = RoomCode::COUNT as usize / 20;

/// All heats that are open.
#[derive(Debug)]
pub struct Hub {
    clock: Clock,
    services: Services,
    heats: DashMap<RoomCode, Arc<Room>>,
    reaper_queue: Arc<ReaperQueue>,
    listing: Listing,
    /// Heats that the server's own command line opened: they outlive their members.
    standing: BTreeMap<RoomCode, StandingRoom>,
    /// No heat is opened any more.
    ends: AtomicBool,
}

/// What an earlier server left.
pub(crate) struct RecoveredRooms {
    /// Where.
    pub(crate) store: Arc<Store>,
    /// The heats that were running.
    pub(crate) heats: Vec<Recovered>,
    /// For how long nobody looked after them.
    pub(crate) away: Millis,
}

/// A heat that stands as long as the server does.
#[derive(Debug, Clone)]
pub struct StandingRoom {
    /// Its options.
    pub options: HeatOptions,
    /// The seed of its first heat, where it is set.
    pub seed: Option<Seed>,
    /// The bots that have a seat from the start.
    pub bots: Vec<Skill>,
    /// The PIN without which nobody gets in, if there is to be one.
    pub pin: Option<Pin>,
}

/// Why a heat can't be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// As many heats as there may be are open.
    #[error("too many heats are open")]
    Full,
    /// The disk can't keep up, or the server shuts down.
    #[error("the server is busy")]
    Busy,
    /// An option is out of bounds.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The bots of a standing heat don't all get a seat.
    #[error("a heat has no seats for so many bots")]
    Bots,
}

impl Hub {
    /// Opens a hub with its standing heats, and returns their codes in order. Must be
    /// called inside a tokio runtime.
    ///
    /// # Errors
    /// Why one of them can't be opened.
    #[cfg(test)]
    pub fn new(
        clock: Clock,
        tables: TableStore,
        standing: Vec<StandingRoom>,
    ) -> Result<(Self, Vec<RoomCode>), OpenError> {
        let shards = Shards::default();
        Self::after(None, clock, Metrics::new(), shards, tables, standing)
    }

    /// Opens a hub in which the heats of an earlier one go on. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// Why a standing heat can't be opened.
    pub(crate) fn after(
        past: Option<RecoveredRooms>,
        clock: Clock,
        metrics: Metrics,
        shards: Shards,
        tables: TableStore,
        standing: Vec<StandingRoom>,
    ) -> Result<(Self, Vec<RoomCode>), OpenError> {
        let mut hub = Self {
            clock,
            services: Services::start(clock, tables, metrics, shards),
            heats: DashMap::new(),
            reaper_queue: Arc::default(),
            listing: Listing::default(),
            standing: BTreeMap::new(),
            ends: AtomicBool::new(false),
        };
        let mut stood = past.map_or_else(BTreeMap::new, |past| hub.go_on(past));
        let mut codes = Vec::new();
        for heat in standing {
            let code = match stood.get_mut(&key(&heat)).and_then(Vec::pop) {
                Some(code) => code,
                None => hub.open_standing(&heat)?,
            };
            codes.push(code);
            hub.standing.insert(code, heat);
        }
        // Nobody comes back to a heat that nobody was in.
        hub.handles().iter().for_each(|heat| hub.forget_if_empty(heat));
        Ok((hub, codes))
    }

    /// Takes over the heats of an earlier server, and returns which of them its command line
    /// had opened, by what it said of them.
    fn go_on(&mut self, past: RecoveredRooms) -> BTreeMap<String, Vec<RoomCode>> {
        let mut stood: BTreeMap<String, Vec<RoomCode>> = BTreeMap::new();
        self.services.store = Some(Arc::clone(&past.store));
        for found in past.heats {
            let code = found.code;
            if let Some(standing) = &found.standing {
                stood.entry(standing.clone()).or_default().push(code);
            }
            let (services, reaper_queue) = (self.services.clone(), Arc::clone(&self.reaper_queue));
            let heat =
                Room::recover(self.clock, services, reaper_queue, &past.store, found, past.away);
            self.heats.insert(code, heat);
        }
        stood
    }

    fn open_standing(&self, standing: &StandingRoom) -> Result<RoomCode, OpenError> {
        let (options, seed) = (standing.options.clone(), standing.seed.clone());
        let heat = self.open_with_pin(standing.pin.as_ref(), options, seed)?;
        seat_bots(&heat, standing)?;
        Ok(heat.code())
    }

    fn forget_if_empty(&self, heat: &Arc<Room>) {
        if !self.standing.contains_key(&heat.code()) {
            self.close_if_empty(heat);
        }
    }

    /// Opens a heat under a code of its own.
    #[cfg(test)]
    pub fn open(&self, options: HeatOptions, seed: Option<Seed>) -> Result<Arc<Room>, OpenError> {
        self.open_with_pin(None, options, seed)
    }

    /// Opens a heat under a code of its own, behind a PIN or open to all who have the code.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open_with_pin(
        &self,
        pin: Option<&Pin>,
        options: HeatOptions,
        seed: Option<Seed>,
    ) -> Result<Arc<Room>, OpenError> {
        if self.heats.len() >= MAX_HEATS {
            return Err(OpenError::Full);
        }
        let has_room = self.services.store.as_ref().is_none_or(|store| store.has_room());
        if !has_room || self.ends.load(Ordering::Relaxed) {
            return Err(OpenError::Busy);
        }
        loop {
            // Nineteen of twenty codes are free, so this ends soon.
            let code = rng::code();
            if let Entry::Vacant(vacant) = self.heats.entry(code) {
                let heat = self.make(code, options, seed, pin)?;
                vacant.insert(Arc::clone(&heat));
                debug!(heat = %code, "heat opened");
                return Ok(heat);
            }
        }
    }

    /// Subscribes to what happens in all heats from now on, once it is durable. A subscriber that
    /// lags far behind misses events, and is told so.
    #[cfg_attr(not(test), expect(dead_code, reason = "tournaments will subscribe"))]
    pub fn subscribe(&self) -> broadcast::Receiver<RoomEvent> {
        self.services.heat_events.subscribe()
    }

    /// Finds a heat by its code.
    #[must_use]
    pub fn find(&self, code: RoomCode) -> Option<Arc<Room>> {
        self.heats.get(&code).map(|heat| Arc::clone(&heat))
    }

    /// Returns what is counted.
    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.services.metrics
    }

    /// Returns where heats are kept, unless they end with the server.
    pub(crate) fn store(&self) -> Option<Arc<Store>> {
        self.services.store.clone()
    }

    /// Returns what the store has done, where there is one.
    pub(crate) fn figures(&self) -> Option<Figures> {
        self.services.store.as_ref().map(|store| store.figures())
    }

    /// Closes a heat that everybody has left. In place of a standing one a fresh one is
    /// opened: whatever its last visitors have made of it goes with them.
    pub fn close_if_empty(&self, heat: &Arc<Room>) {
        if !heat.close_if_empty() {
            return;
        }
        let code = heat.code();
        let fresh = self.standing.get(&code).and_then(|standing| self.stand(code, standing));
        match (self.heats.entry(code), fresh) {
            (Entry::Occupied(mut held), Some(fresh)) if Arc::ptr_eq(held.get(), heat) => {
                held.insert(fresh);
            }
            (Entry::Occupied(held), None) if Arc::ptr_eq(held.get(), heat) => {
                held.remove();
                debug!(heat = %code, "heat closed");
            }
            // Somebody else was quicker.
            (_, Some(fresh)) => fresh.close(),
            (_, None) => {}
        }
    }

    /// Closes the heats that have been waited for in vain: their last member didn't come back.
    pub async fn run_reaper(&self) {
        loop {
            for code in self.reaper_queue.next().await {
                if let Some(heat) = self.find(code) {
                    self.close_if_empty(&heat);
                }
            }
        }
    }

    /// Closes every heat, and ends the bots in them.
    pub fn close(&self) {
        self.handles().iter().for_each(|heat| heat.close());
        self.heats.clear();
    }

    /// Copies the handles out, so that no heat's lock is taken under a guard of the map.
    fn handles(&self) -> Vec<Arc<Room>> {
        self.heats.iter().map(|entry| Arc::clone(&entry)).collect()
    }

    fn stand(&self, code: RoomCode, standing: &StandingRoom) -> Option<Arc<Room>> {
        // The same options were good enough before.
        let pin = standing.pin.as_ref();
        let heat = self.make(code, standing.options.clone(), None, pin).ok()?;
        seat_bots(&heat, standing).ok()?;
        Some(heat)
    }

    fn make(
        &self,
        code: RoomCode,
        options: HeatOptions,
        seed: Option<Seed>,
        pin: Option<&Pin>,
    ) -> Result<Arc<Room>, OptionsError> {
        self.services.shelf.prepare(&options.spec);
        let secret = rng::draw(seed);
        let pin = pin.map(rng::pin_hash);
        let config = |epoch| RaceConfig { code, epoch, options, secret, pin };
        let reaper_queue = Arc::clone(&self.reaper_queue);
        Room::open(self.clock, self.services.clone(), reaper_queue, config)
    }
}

/// Seats the bots of a standing heat.
fn seat_bots(heat: &Arc<Room>, standing: &StandingRoom) -> Result<(), OpenError> {
    standing.bots.iter().for_each(|&skill| heat.add_bot(skill));
    if heat.members() < standing.bots.len() {
        heat.close();
        return Err(OpenError::Bots);
    }
    heat.persist_standing_key(key(standing));
    Ok(())
}

/// Returns what a standing heat is known by from one start of the server to the next.
fn key(standing: &StandingRoom) -> String {
    let in_the_open = Salt::from_bytes([0; 16]); // alike each time, so that it can be compared
    let pin = standing.pin.as_ref();
    let pin = pin.map(|pin| PinHash::new(pin, in_the_open));
    match codec::encode(Codec::Json, &(&standing.options, &standing.bots, pin)) {
        Ok(codec::Frame::Text(text)) => text,
        // Options have their JSON.
        Ok(codec::Frame::Binary(_)) | Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests;
