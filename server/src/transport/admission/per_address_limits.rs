//! Rate limits for each address, and for all addresses together.

use crate::platform::lock::lock;
use crate::platform::token_bucket::Bucket;
use dashmap::DashMap;
use gridrace_shared::util::time::ServerInstant;
use std::net::IpAddr;
use std::sync::Mutex;

/// Addresses whose rates are tracked; those with full buckets are dropped first.
pub(super) const MAX_TRACKED_ADDRESSES: usize = 4_096;

#[derive(Debug, Clone, Copy)]
pub(super) struct RateLimit {
    pub(super) burst: u32,
    pub(super) per_second: u32,
}

impl RateLimit {
    pub(super) const fn new(burst: u32, per_second: u32) -> Self {
        Self { burst, per_second }
    }

    fn bucket(self, now: ServerInstant) -> Bucket {
        Bucket::new(self.burst, self.per_second, now)
    }
}

/// Token buckets: one for each address, and one for all of them.
#[derive(Debug)]
pub(super) struct PerAddressLimits {
    limit: RateLimit,
    by_address: DashMap<IpAddr, Bucket>,
    total: Mutex<Bucket>,
}

impl PerAddressLimits {
    pub(super) fn new(per_address: RateLimit, total: RateLimit) -> Self {
        let total = Mutex::new(total.bucket(ServerInstant(0)));
        Self { limit: per_address, by_address: DashMap::new(), total }
    }

    /// Takes a token, and returns whether there was one. The address's own bucket is asked
    /// first, so that an address above its limit takes nothing from the others. While the map is
    /// full, new addresses are refused; `None` has the total limit alone.
    pub(super) fn take(&self, address: Option<IpAddr>, now: ServerInstant) -> bool {
        address.is_none_or(|address| self.take_own(address, now)) && lock(&self.total).take(1, now)
    }

    /// Charges an address `tokens` of its own bucket, below zero if need be.
    pub(super) fn charge(&self, address: IpAddr, tokens: u32, now: ServerInstant) {
        if let Some(mut bucket) = self.by_address.get_mut(&address) {
            bucket.charge(tokens, now);
        }
    }

    /// Gives an address tokens back.
    pub(super) fn refund(&self, address: IpAddr, tokens: u32, now: ServerInstant) {
        if let Some(mut bucket) = self.by_address.get_mut(&address) {
            bucket.refund(tokens, now);
        }
    }

    fn take_own(&self, address: IpAddr, now: ServerInstant) -> bool {
        if self.by_address.len() >= MAX_TRACKED_ADDRESSES && !self.by_address.contains_key(&address)
        {
            self.by_address.retain(|_, bucket| !bucket.is_full(now));
            if self.by_address.len() >= MAX_TRACKED_ADDRESSES {
                return false;
            }
        }
        self.by_address.entry(address).or_insert_with(|| self.limit.bucket(now)).take(1, now)
    }
}
