//! Who may come in: how many connections there are, and how often one address may try a
//! heat's code.
//!
//! This machine's own addresses are bounded by the total alone: bots come from there by
//! the hundred, and whoever is on it can stop the server anyway.

use crate::rate::Bucket;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::time::Micros;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once: what one machine carried in the measurements, with room.
const CONNECTIONS: u32 = 16_384;
/// Connections of one address at once: a school or a tournament's hall behind one router.
const CONNECTIONS_OF_ADDRESS: u32 = 512;
/// Attempts at once, and a second: a bus full of friends behind one address gets in, and
/// to try all codes takes 18 hours.
const ATTEMPTS: (u32, u32) = (64, 2);
/// Addresses whose attempts are remembered; those that have been quiet are forgotten.
const REMEMBERED: usize = 4_096;

/// The bounds, and what is taken of them.
#[derive(Debug)]
pub(crate) struct Admission {
    places: Arc<Semaphore>,
    by_address: Arc<DashMap<IpAddr, u32>>,
    attempts: DashMap<IpAddr, Bucket>,
}

/// One connection's place, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _of_all: OwnedSemaphorePermit,
    _of_address: Option<PlaceOfAddress>,
}

#[derive(Debug)]
struct PlaceOfAddress {
    address: IpAddr,
    counts: Arc<DashMap<IpAddr, u32>>,
}

impl Admission {
    /// Opens with every place free.
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            by_address: Arc::default(),
            attempts: DashMap::new(),
        }
    }

    /// Takes a place for a connection; nothing where the server or the address has none left.
    pub(crate) fn place(&self, peer: IpAddr) -> Option<Place> {
        let of_all = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let of_address = match source(peer) {
            Some(address) => Some(PlaceOfAddress::take(&self.by_address, address)?),
            None => None,
        };
        Some(Place {
            _of_all: of_all,
            _of_address: of_address,
        })
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
    pub(crate) fn attempt(&self, peer: IpAddr, now: Micros) -> bool {
        let Some(address) = source(peer) else {
            return true;
        };
        if self.attempts.len() >= REMEMBERED && !self.attempts.contains_key(&address) {
            self.attempts.retain(|_, bucket| !bucket.is_full(now));
            if self.attempts.len() >= REMEMBERED {
                return false;
            }
        }
        let (burst, per_second) = ATTEMPTS;
        let fresh = || Bucket::new(burst, per_second, now);
        self.attempts
            .entry(address)
            .or_insert_with(fresh)
            .take(1, now)
    }
}

impl PlaceOfAddress {
    fn take(counts: &Arc<DashMap<IpAddr, u32>>, address: IpAddr) -> Option<Self> {
        let mut count = counts.entry(address).or_insert(0);
        if *count >= CONNECTIONS_OF_ADDRESS {
            return None;
        }
        *count += 1;
        Some(Self {
            address,
            counts: Arc::clone(counts),
        })
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
fn source(peer: IpAddr) -> Option<IpAddr> {
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
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn address(n: u32) -> IpAddr {
        IpAddr::V4((0x0a00_0000 + n).into())
    }

    #[test]
    fn one_address_leaves_places_to_the_others_and_gets_its_own_back() {
        let admission = Admission::new();
        let mut places: Vec<_> = (0..CONNECTIONS_OF_ADDRESS)
            .map(|_| admission.place(address(1)).unwrap())
            .collect();
        assert!(admission.place(address(1)).is_none());
        assert!(admission.place(address(2)).is_some());
        places.pop();
        assert!(admission.place(address(1)).is_some());
        places.clear();
        assert!(admission.by_address.is_empty());
    }

    #[test]
    fn this_machine_is_bounded_by_the_total_alone() {
        let admission = Admission::new();
        let places: Vec<_> = (0..CONNECTIONS)
            .map_while(|_| admission.place(HERE))
            .collect();
        assert_eq!(places.len(), CONNECTIONS as usize);
        assert!(admission.place(HERE).is_none());
        assert!(admission.place(address(1)).is_none());
        assert!((0..10_000).all(|_| admission.attempt(HERE, Micros(0))));
    }

    #[test]
    fn attempts_of_one_address_run_out_and_come_back() {
        let admission = Admission::new();
        let granted = (0..100)
            .filter(|_| admission.attempt(address(1), Micros(0)))
            .count();
        assert_eq!(granted, ATTEMPTS.0 as usize);
        assert!(admission.attempt(address(2), Micros(0)));
        assert!(admission.attempt(address(1), Micros(1_000_000)));
    }

    #[test]
    fn no_number_of_addresses_makes_the_memory_grow() {
        let admission = Admission::new();
        let granted = (0..10_000)
            .filter(|&n| admission.attempt(address(n), Micros(0)))
            .count();
        assert_eq!(granted, REMEMBERED);
        assert!(
            admission.attempt(address(0), Micros(0)),
            "whoever is known goes on"
        );
        assert!(
            admission.attempt(address(20_000), Micros(60_000_000)),
            "the quiet are forgotten"
        );
    }

    #[test]
    fn neighbours_of_a_version_6_network_count_as_one() {
        let same = |a: &str, b: &str| source(a.parse().unwrap()) == source(b.parse().unwrap());
        assert!(same("2001:db8::1", "2001:db8::ffff:2"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:10.0.0.1", "10.0.0.1"));
        assert_eq!(source("::1".parse().unwrap()), None);
    }
}
