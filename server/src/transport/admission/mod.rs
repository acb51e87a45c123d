//! Admission of connections: how many there are, how fast they arrive, and how often an address
//! may try a room's code.
//!
//! Loopback addresses count towards the totals and have no limits of their own: bots connect
//! from there by the hundred, and a local user can stop the server anyway. A client behind a
//! trusted proxy counts under its own address.

mod per_address_limits;

use crate::platform::rate_limit_key::rate_limit_key;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::util::time::ServerInstant;
use per_address_limits::{PerAddressLimits, RateLimit};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once: what one machine carried in the measurements, with headroom.
const MAX_CONNECTIONS: u32 = 16_384;
/// Connections of one address at once: a school or a tournament behind one router.
const MAX_CONNECTIONS_PER_ADDRESS: u32 = 512;
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
    by_address: Arc<DashMap<IpAddr, u32>>,
    arrivals: PerAddressLimits,
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
    counts: Arc<DashMap<IpAddr, u32>>,
}

impl AdmissionControl {
    pub(crate) fn new(rate: ArrivalRate) -> Self {
        Self {
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS as usize)),
            by_address: Arc::default(),
            arrivals: PerAddressLimits::new(
                ARRIVALS_PER_ADDRESS,
                rate.limit(ARRIVAL_BURST_SECONDS),
            ),
            attempts: PerAddressLimits::new(
                ATTEMPTS_PER_ADDRESS,
                rate.limit(ATTEMPT_BURST_SECONDS),
            ),
        }
    }

    /// Admits a connection.
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
            let own = AddressPermit::acquire(&self.by_address, address);
            permit.address = Some(own.ok_or(SERVER_FULL)?);
        }
        Ok(())
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
}

impl AddressPermit {
    fn acquire(counts: &Arc<DashMap<IpAddr, u32>>, address: IpAddr) -> Option<Self> {
        let mut count = counts.entry(address).or_insert(0);
        if *count >= MAX_CONNECTIONS_PER_ADDRESS {
            return None;
        }
        *count += 1;
        Some(Self { address, counts: Arc::clone(counts) })
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.counts.entry(self.address) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests;
