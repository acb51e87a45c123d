//! Admission of connections: limits of their number, of the rate at which they arrive, and of an
//! address's attempts at room codes.
//!
//! Loopback addresses count towards the totals and have no limits of their own: bots connect
//! from there by the hundred, and a local user can stop the server anyway. A client behind a
//! trusted proxy counts under its own address. Entrants of tournaments count apart from the others of
//! their address once they have proved their keys: a hall of players is behind one address.

mod per_address_limits;

use crate::platform::rate_limit_key::rate_limit_key;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::util::time::ServerInstant;
use per_address_limits::{PerAddressLimits, RateLimit};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once: what one machine carried in the measurements, with headroom.
const MAX_CONNECTIONS: u32 = 16_384;
/// Connections of one address at once: a school or a tournament behind one router.
const MAX_CONNECTIONS_PER_ADDRESS: u32 = 512;
/// Connections at once of entrants of tournaments at one address, which count apart from its others: a
/// hall of 1,024 players, each of whom may have a second screen.
const MAX_ENTRANT_CONNECTIONS_PER_ADDRESS: u32 = 2_048;
/// Connections of one entrant that count apart: a player's, a second screen's, and each one's
/// successor while the earlier one isn't known to be lost.
const MAX_CONNECTIONS_PER_ENTRANT: u32 = 4;
/// Arrivals of entrants for which an address is not charged: all of a hall come back at once after a
/// restart.
const ENTRANT_ARRIVALS_PER_ADDRESS: RateLimit = RateLimit::new(1_024, 32);
/// New connections of one address: all of [`MAX_CONNECTIONS_PER_ADDRESS`] reconnect within eight
/// seconds.
const ARRIVALS_PER_ADDRESS: RateLimit = RateLimit::new(256, 32);
/// Arrivals charged for a connection that was closed for flooding: two floods a second remain.
const FLOOD_COST: u32 = 16;
/// Attempts at a room's code of one address: dozens of friends behind it get in, and trying all
/// codes takes 18 hours.
const ATTEMPTS_PER_ADDRESS: RateLimit = RateLimit::new(64, 2);
/// New connections a second in total, and attempts at codes, by default: ten thousand players
/// connect within fifteen seconds.
pub const DEFAULT_ARRIVAL_RATE: u32 = 512;
/// Burst of connections, in seconds of the arrival rate.
const ARRIVAL_BURST_SECONDS: u32 = 4;
/// Burst of attempts at codes, in seconds of the arrival rate.
const ATTEMPT_BURST_SECONDS: u32 = 8;
/// All connections are taken. Heats end every few minutes.
const SERVER_FULL: AdmissionError = AdmissionError { retry_seconds: 5 };
/// Connections arrive too fast. Two seconds refill a thousand arrivals.
const ARRIVING_TOO_FAST: AdmissionError = AdmissionError { retry_seconds: 2 };

/// New connections a second, of all addresses together.
#[derive(Debug, Clone, Copy)]
pub struct ArrivalRate(pub u32);

impl Default for ArrivalRate {
    fn default() -> Self {
        Self(DEFAULT_ARRIVAL_RATE)
    }
}

impl ArrivalRate {
    const fn limit(self, burst_seconds: u32) -> RateLimit {
        RateLimit::new(self.0.saturating_mul(burst_seconds), self.0)
    }
}

#[derive(Debug)]
pub(crate) struct AdmissionControl {
    connections: Arc<Semaphore>,
    counts: Arc<ConnectionCounts>,
    arrivals: PerAddressLimits,
    entrant_arrivals: PerAddressLimits,
    attempts: PerAddressLimits,
}

/// One admitted connection, released on drop.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    _total: OwnedSemaphorePermit,
    address: Option<AddressPermit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server is full; retry in {retry_seconds} s")]
pub(crate) struct AdmissionError {
    pub(crate) retry_seconds: u16,
}

#[derive(Debug)]
struct AddressPermit {
    address: IpAddr,
    counts: Arc<ConnectionCounts>,
}

/// A connection of an entrant, which counts apart from the others of its address until this is
/// dropped.
#[derive(Debug)]
pub(crate) struct EntrantPermit {
    address: IpAddr,
    key: Fingerprint,
    counts: Arc<ConnectionCounts>,
}

#[derive(Debug, Default)]
struct ConnectionCounts {
    /// Without those of entrants that count apart.
    by_address: DashMap<IpAddr, u32>,
    entrants_by_address: DashMap<IpAddr, u32>,
    by_entrant: DashMap<Fingerprint, u32>,
}

impl AdmissionControl {
    pub(crate) fn new(rate: ArrivalRate) -> Self {
        Self {
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS as usize)),
            counts: Arc::default(),
            arrivals: PerAddressLimits::new(
                ARRIVALS_PER_ADDRESS,
                rate.limit(ARRIVAL_BURST_SECONDS),
            ),
            entrant_arrivals: PerAddressLimits::new(
                ENTRANT_ARRIVALS_PER_ADDRESS,
                rate.limit(ARRIVAL_BURST_SECONDS),
            ),
            attempts: PerAddressLimits::new(
                ATTEMPTS_PER_ADDRESS,
                rate.limit(ATTEMPT_BURST_SECONDS),
            ),
        }
    }

    pub(crate) fn admit(
        &self,
        peer: IpAddr,
        now: ServerInstant,
    ) -> Result<ConnectionPermit, AdmissionError> {
        let mut permit = self.admit_proxied()?;
        self.assign_address(&mut permit, peer, now)?;
        Ok(permit)
    }

    /// Admits a trusted proxy's connection, whose client's address isn't known yet.
    pub(crate) fn admit_proxied(&self) -> Result<ConnectionPermit, AdmissionError> {
        let connections = Arc::clone(&self.connections);
        let total = connections.try_acquire_owned().map_err(|_| SERVER_FULL)?;
        Ok(ConnectionPermit { _total: total, address: None })
    }

    /// Counts an admitted connection towards an address.
    ///
    /// # Errors
    /// [`AdmissionError`] if the address has too many connections, or too many arrive.
    pub(crate) fn assign_address(
        &self,
        permit: &mut ConnectionPermit,
        peer: IpAddr,
        now: ServerInstant,
    ) -> Result<(), AdmissionError> {
        let key = rate_limit_key(peer);
        if !self.arrivals.take(key, now) {
            return Err(ARRIVING_TOO_FAST);
        }
        if let Some(address) = key {
            let own = AddressPermit::acquire(&self.counts, address);
            permit.address = Some(own.ok_or(SERVER_FULL)?);
        }
        Ok(())
    }

    /// Counts a connection of an entrant, who proved its key, apart from the others of its address as
    /// long as the permit is held. Returns nothing if too many count apart already, or the address has
    /// no limit.
    pub(crate) fn count_apart(
        &self,
        peer: IpAddr,
        key: Fingerprint,
        now: ServerInstant,
    ) -> Option<EntrantPermit> {
        let address = rate_limit_key(peer)?;
        let permit = EntrantPermit::acquire(&self.counts, address, key)?;
        if self.entrant_arrivals.take(Some(address), now) {
            self.arrivals.refund(address, 1, now);
        }
        Some(permit)
    }

    /// Charges an address for a connection that was closed for flooding.
    pub(crate) fn penalize_flood(&self, peer: IpAddr, now: ServerInstant) {
        if let Some(address) = rate_limit_key(peer) {
            self.arrivals.charge(address, FLOOD_COST, now);
        }
    }

    pub(crate) fn connection_count(&self) -> usize {
        (MAX_CONNECTIONS as usize).saturating_sub(self.connections.available_permits())
    }

    pub(crate) async fn wait_until_empty(&self) {
        // The semaphore is never closed, so this can't fail.
        self.connections.acquire_many(MAX_CONNECTIONS).await.map(drop).ok();
    }

    /// Takes one attempt to get into a room, and returns whether the address had one left.
    pub(crate) fn take_attempt(&self, peer: IpAddr, now: ServerInstant) -> bool {
        self.attempts.take(rate_limit_key(peer), now)
    }

    /// Gives an address an attempt back.
    pub(crate) fn refund_attempt(&self, peer: IpAddr, now: ServerInstant) {
        if let Some(address) = rate_limit_key(peer) {
            self.attempts.refund(address, 1, now);
        }
    }
}

impl AddressPermit {
    fn acquire(counts: &Arc<ConnectionCounts>, address: IpAddr) -> Option<Self> {
        let counted = increment(&counts.by_address, address, MAX_CONNECTIONS_PER_ADDRESS);
        counted.then(|| Self { address, counts: Arc::clone(counts) })
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        decrement(&self.counts.by_address, self.address);
    }
}

impl EntrantPermit {
    fn acquire(counts: &Arc<ConnectionCounts>, address: IpAddr, key: Fingerprint) -> Option<Self> {
        if !increment(&counts.by_entrant, key, MAX_CONNECTIONS_PER_ENTRANT) {
            return None;
        }
        let most = MAX_ENTRANT_CONNECTIONS_PER_ADDRESS;
        if !increment(&counts.entrants_by_address, address, most) {
            decrement(&counts.by_entrant, key);
            return None;
        }
        decrement(&counts.by_address, address);
        Some(Self { address, key, counts: Arc::clone(counts) })
    }
}

impl Drop for EntrantPermit {
    fn drop(&mut self) {
        // The connection's own permit is dropped after this one.
        increment(&self.counts.by_address, self.address, u32::MAX);
        decrement(&self.counts.entrants_by_address, self.address);
        decrement(&self.counts.by_entrant, self.key);
    }
}

/// Counts one more, unless there are `most` already.
fn increment<K: Eq + Hash>(counts: &DashMap<K, u32>, key: K, most: u32) -> bool {
    let mut count = counts.entry(key).or_insert(0);
    let has_place = *count < most;
    *count += u32::from(has_place);
    has_place
}

fn decrement<K: Eq + Hash>(counts: &DashMap<K, u32>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() = count.get().saturating_sub(1);
        if *count.get() == 0 {
            count.remove();
        }
    }
}

#[cfg(test)]
mod tests;
