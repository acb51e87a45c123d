//! How often each address may do something, and all of them together.

use super::REMEMBERED;
use crate::platform::token_bucket::Bucket;
use dashmap::DashMap;
use gridrace_shared::util::time::ServerInstant;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// How often something may be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub(super) at_once: u32,
    pub(super) per_second: u32,
}

/// What is left of a rate, for each address and for all of them.
#[derive(Debug)]
pub(super) struct Rates {
    of_one: Rate,
    by_address: DashMap<IpAddr, Bucket>,
    of_all: Mutex<Bucket>,
}

impl Rate {
    pub(super) const fn new(at_once: u32, per_second: u32) -> Self {
        Self { at_once, per_second }
    }

    fn bucket(self, now: ServerInstant) -> Bucket {
        Bucket::new(self.at_once, self.per_second, now)
    }
}

impl Rates {
    /// Starts with full buckets: one address's rate, and everybody's.
    pub(super) fn new(of_one: Rate, of_all: Rate) -> Self {
        Self {
            of_one,
            by_address: DashMap::new(),
            of_all: Mutex::new(of_all.bucket(ServerInstant(0))),
        }
    }

    /// Says whether an address, or one that has no bounds of its own, may do it once more.
    /// Its own bucket is asked first, so that one that does too much takes nothing from the
    /// others. While more addresses try than are remembered, new ones must wait.
    pub(super) fn take(&self, address: Option<IpAddr>, now: ServerInstant) -> bool {
        address.is_none_or(|address| self.take_own(address, now))
            && self.of_all.lock().unwrap_or_else(PoisonError::into_inner).take(1, now)
    }

    /// Takes from an address's own bucket what something else that it has done stands for.
    pub(super) fn charge(&self, address: IpAddr, times: u32, now: ServerInstant) {
        if let Some(mut bucket) = self.by_address.get_mut(&address) {
            bucket.charge(times, now);
        }
    }

    fn take_own(&self, address: IpAddr, now: ServerInstant) -> bool {
        if self.by_address.len() >= REMEMBERED && !self.by_address.contains_key(&address) {
            self.by_address.retain(|_, bucket| !bucket.is_full(now));
            if self.by_address.len() >= REMEMBERED {
                return false;
            }
        }
        self.by_address.entry(address).or_insert_with(|| self.of_one.bucket(now)).take(1, now)
    }
}
