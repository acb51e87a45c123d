//! Attempts at a room's PIN, throttled.
//!
//! Wrong PINs are counted by address, so that a client that guesses locks out no other. All
//! addresses together are bounded as well, but so high that it takes a dozen of them to reach
//! that bound.

use crate::platform::lock::lock;
use crate::platform::token_bucket::Bucket;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::util::time::ServerInstant;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Mutex;

/// Wrong PINs that an address may send at once: people mistype.
const ADDRESS_BURST: u32 = 10;
/// Seconds after which an address may send one more: half of all PINs of four digits take it
/// three and a half days.
const ADDRESS_INTERVAL: u32 = 60;
/// Wrong PINs that all addresses together may send at once.
const TOTAL_BURST: u32 = 120;
/// Seconds after which they may send one more: half of all PINs of four digits take any number
/// of addresses thirteen and a half hours.
const TOTAL_INTERVAL: u32 = 10;

/// How many more wrong PINs a room takes.
#[derive(Debug)]
pub(super) struct PinThrottle(Mutex<Buckets>);

#[derive(Debug)]
struct Buckets {
    /// Sources of recent wrong PINs; this machine's own addresses count as one. There are at most
    /// as many as wrong PINs are taken in total until the first bucket is full again: 180.
    by_address: BTreeMap<Option<IpAddr>, Bucket>,
    total: Bucket,
}

impl PinThrottle {
    pub(super) fn new(now: ServerInstant) -> Self {
        let total = Bucket::new(TOTAL_BURST * TOTAL_INTERVAL, 1, now);
        Self(Mutex::new(Buckets { by_address: BTreeMap::new(), total }))
    }

    /// Checks a PIN, right or wrong, from a source.
    pub(super) fn check(
        &self,
        from: Option<IpAddr>,
        now: ServerInstant,
        is_right: impl FnOnce() -> bool,
    ) -> Result<(), Refusal> {
        let mut buckets = lock(&self.0);
        let Buckets { by_address, total } = &mut *buckets;
        let own = by_address.get(&from);
        if !own.is_none_or(|own| own.holds(ADDRESS_INTERVAL, now))
            || !total.holds(TOTAL_INTERVAL, now)
        {
            return Err(Refusal::TooFast);
        }
        if is_right() {
            return Ok(());
        }
        total.take(TOTAL_INTERVAL, now);
        by_address.retain(|_, bucket| !bucket.is_full(now));
        by_address
            .entry(from)
            .or_insert_with(|| Bucket::new(ADDRESS_BURST * ADDRESS_INTERVAL, 1, now))
            .take(ADDRESS_INTERVAL, now);
        Err(Refusal::WrongPin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;
    const HOUR: u64 = 3_600 * SECOND;

    fn address(n: u32) -> Option<IpAddr> {
        Some(IpAddr::V4((0x0a00_0000 + n).into()))
    }

    fn guesses(pin_throttle: &PinThrottle, from: Option<IpAddr>, now: ServerInstant) -> u32 {
        let wrong = |_: &u32| pin_throttle.check(from, now, || false) == Err(Refusal::WrongPin);
        (0..).take_while(wrong).count() as u32
    }

    fn passes(pin_throttle: &PinThrottle, from: Option<IpAddr>, now: ServerInstant) -> bool {
        pin_throttle.check(from, now, || true).is_ok()
    }

    #[test]
    fn a_client_that_guesses_locks_out_itself_alone() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        assert_eq!(guesses(&pin_throttle, address(1), ServerInstant(0)), ADDRESS_BURST);
        // Now even the right one would tell too much.
        assert!(!passes(&pin_throttle, address(1), ServerInstant(0)));
        assert!(passes(&pin_throttle, address(2), ServerInstant(0)));
        assert!(passes(&pin_throttle, None, ServerInstant(0)));
        assert_eq!(guesses(&pin_throttle, None, ServerInstant(0)), ADDRESS_BURST);
        assert!(passes(&pin_throttle, address(2), ServerInstant(0)));
        // One address that never stops doesn't use up what all have.
        for second in 0..HOUR / SECOND {
            let now = ServerInstant(second * SECOND);
            guesses(&pin_throttle, address(1), now);
            assert!(passes(&pin_throttle, address(2), now), "{second}");
        }
    }

    #[test]
    fn guesses_from_everywhere_are_few_and_take_little_memory() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        let (mut wrong, mut most) = (0, 0);
        for second in 0..HOUR / SECOND {
            for n in 0..20 {
                let from = address(20 * second as u32 + n);
                wrong += guesses(&pin_throttle, from, ServerInstant(second * SECOND));
            }
            most = most.max(pin_throttle.0.lock().unwrap().by_address.len());
        }
        assert_eq!(wrong, TOTAL_BURST + 3_600 / TOTAL_INTERVAL - 1);
        assert!(most <= 181, "{most}");
    }
}
