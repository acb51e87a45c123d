//! Who may come in: how many connections there are and how fast they come, how often one
//! address may try a heat's code, and how many heats it may open.
//!
//! This machine's own addresses count in the totals and are bounded by those alone: bots come
//! from there by the hundred, and whoever is on it can stop the server anyway. Who comes through
//! a proxy that the server was told of counts by its own address.

mod per_address;

use crate::hub::{Hub, OpenError};
use crate::room::Room;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::util::time::ServerInstant;
use per_address::{Rate, Rates};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once: what one machine carried in the measurements, with room.
const CONNECTIONS: u32 = 16_384;
/// Connections of one address at once: a school or a tournament's hall behind one router.
const CONNECTIONS_OF_ADDRESS: u32 = 512;
/// New connections of one address: after a cut of its line the hall is back in eight seconds.
const ARRIVALS: Rate = Rate::new(256, 32);
/// Arrivals for which one stands whose connection was closed since it flooded: two floods a
/// second are left.
const FLOOD: u32 = 16;
/// Attempts at a heat's code of one address: a bus full of friends behind it gets in, and to
/// try all codes takes it 18 hours.
const ATTEMPTS: Rate = Rate::new(64, 2);
/// New connections a second of everybody, and attempts at codes, unless the server is told
/// otherwise: ten thousand players are in after fifteen seconds.
pub const ARRIVAL_RATE: u32 = 512;
/// Seconds of that rate that may come at once, of connections and of attempts.
const ARRIVALS_AT_ONCE: u32 = 4;
const ATTEMPTS_AT_ONCE: u32 = 8;
/// Heats that one address has opened and that are still open: a heat for every eight of its
/// connections.
const HEATS_OF_ADDRESS: usize = 64;
/// Addresses whose doings are remembered; those that have been quiet are forgotten.
const REMEMBERED: usize = 4_096;
/// Every place is taken: heats end every few minutes.
const FULL: NoPlace = NoPlace { retry_seconds: 5 };
/// Too many come at once: the buckets have filled by a thousand places until then.
const STORM: NoPlace = NoPlace { retry_seconds: 2 };

/// How many may come in a second, of all addresses together.
#[derive(Debug, Clone, Copy)]
pub struct ArrivalRate(u32);

impl Default for ArrivalRate {
    fn default() -> Self {
        Self(ARRIVAL_RATE)
    }
}

impl ArrivalRate {
    /// Lets in so many a second.
    #[must_use]
    pub const fn new(per_second: u32) -> Self {
        Self(per_second)
    }

    const fn of_all(self, seconds_at_once: u32) -> Rate {
        Rate::new(self.0.saturating_mul(seconds_at_once), self.0)
    }
}

/// The bounds, and what is taken of them.
#[derive(Debug)]
pub(crate) struct Admission {
    places: Arc<Semaphore>,
    by_address: Arc<DashMap<IpAddr, u32>>,
    arrivals: Rates,
    attempts: Rates,
    /// Whose address opened which heats, of which some may be closed by now.
    opened: DashMap<IpAddr, Vec<RoomCode>>,
}

/// One connection's place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _of_all: OwnedSemaphorePermit,
    of_address: Option<PlaceOfAddress>,
}

/// Says that there is no place now, and when to come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoPlace {
    /// In seconds.
    pub(crate) retry_seconds: u16,
}

#[derive(Debug)]
struct PlaceOfAddress {
    address: IpAddr,
    counts: Arc<DashMap<IpAddr, u32>>,
}

impl Admission {
    /// Opens with every place free.
    pub(crate) fn new(rate: ArrivalRate) -> Self {
        Self {
            places: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            by_address: Arc::default(),
            arrivals: Rates::new(ARRIVALS, rate.of_all(ARRIVALS_AT_ONCE)),
            attempts: Rates::new(ATTEMPTS, rate.of_all(ATTEMPTS_AT_ONCE)),
            opened: DashMap::new(),
        }
    }

    /// Takes a place for a new connection.
    ///
    /// # Errors
    /// [`NoPlace`] where the server or the address has none left, or too many come at once.
    pub(crate) fn place(&self, peer: IpAddr, now: ServerInstant) -> Result<Place, NoPlace> {
        let mut place = self.place_of_proxy()?;
        self.count_in(&mut place, peer, now)?;
        Ok(place)
    }

    /// Takes a place for a proxy's connection, of which it isn't known yet whose it is.
    ///
    /// # Errors
    /// [`NoPlace`] where the server has none left.
    pub(crate) fn place_of_proxy(&self) -> Result<Place, NoPlace> {
        let places = Arc::clone(&self.places);
        Ok(Place { _of_all: places.try_acquire_owned().map_err(|_| FULL)?, of_address: None })
    }

    /// Counts a connection as an address's.
    ///
    /// # Errors
    /// [`NoPlace`] where the address has none left, or too many come at once.
    pub(crate) fn count_in(
        &self,
        place: &mut Place,
        peer: IpAddr,
        now: ServerInstant,
    ) -> Result<(), NoPlace> {
        let source = source(peer);
        if !self.arrivals.take(source, now) {
            return Err(STORM);
        }
        if let Some(address) = source {
            let taken = PlaceOfAddress::take(&self.by_address, address);
            place.of_address = Some(taken.ok_or(FULL)?);
        }
        Ok(())
    }

    /// Takes note of an address of which a connection was closed since it flooded.
    pub(crate) fn flooded(&self, peer: IpAddr, now: ServerInstant) {
        if let Some(address) = source(peer) {
            self.arrivals.charge(address, FLOOD, now);
        }
    }

    /// Counts the connections.
    pub(crate) fn count(&self) -> usize {
        (CONNECTIONS as usize).saturating_sub(self.places.available_permits())
    }

    /// Waits until every place is given back.
    pub(crate) async fn all_gone(&self) {
        // The semaphore is never closed, and if it were, nobody would be left to wait for.
        self.places.acquire_many(CONNECTIONS).await.map(drop).ok();
    }

    /// Says whether an address may try once more to get into a heat. While more addresses
    /// try than are remembered, new ones must wait.
    pub(crate) fn attempt(&self, peer: IpAddr, now: ServerInstant) -> bool {
        self.attempts.take(source(peer), now)
    }

    /// Opens a heat of the hub's, unless the address has as many as it may.
    ///
    /// # Errors
    /// The opening's own, and [`OpenError::Full`] where the address may open no more.
    pub(crate) fn open(
        &self,
        peer: IpAddr,
        hub: &Hub,
        opening: impl FnOnce() -> Result<Arc<Room>, OpenError>,
    ) -> Result<Arc<Room>, OpenError> {
        let Some(address) = source(peer) else {
            return opening();
        };
        let is_open = |code: &RoomCode| hub.find(*code).is_some();
        if self.opened.len() >= REMEMBERED {
            // What is left has an open heat each, and those are bounded.
            self.opened.retain(|_, codes| codes.iter().any(is_open));
        }
        // Held until the heat is open, so that nobody opens one more at the same time.
        let mut codes = self.opened.entry(address).or_default();
        codes.retain(is_open);
        if codes.len() >= HEATS_OF_ADDRESS {
            return Err(OpenError::Full);
        }
        let heat = opening()?;
        codes.push(heat.code());
        Ok(heat)
    }
}

impl PlaceOfAddress {
    fn take(counts: &Arc<DashMap<IpAddr, u32>>, address: IpAddr) -> Option<Self> {
        let mut count = counts.entry(address).or_insert(0);
        if *count >= CONNECTIONS_OF_ADDRESS {
            return None;
        }
        *count += 1;
        Some(Self { address, counts: Arc::clone(counts) })
    }
}

impl Drop for PlaceOfAddress {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.counts.entry(self.address) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Returns whom an address belongs to as far as bounds go: for version 6 the network of
/// 64 bits, of which one machine has every address; nobody for this machine's own.
pub(crate) fn source(peer: IpAddr) -> Option<IpAddr> {
    match peer.to_canonical() {
        own if own.is_loopback() => None,
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Some(Ipv6Addr::from_bits(network).into())
        }
        address @ IpAddr::V4(_) => Some(address),
    }
}

#[cfg(test)]
mod tests;
