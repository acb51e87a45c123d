//! Attempts at a room's PIN, throttled.
//!
//! The guesses of all addresses together are bounded, or many addresses would find the PIN. Clients
//! that guess must not use up what the invited need, so the bound has two parts: a reserve for the
//! first guesses of a network, and the rest for networks that have used up theirs. A few dozen
//! networks that never stop leave the reserve to the others. Against thousands of networks nothing
//! tells the invited from the rest but a key: one that was in the room before is admitted with the
//! right PIN at any time.

use crate::platform::lock::lock;
use crate::platform::rate_limit_key::network_key;
use crate::platform::token_bucket::Bucket;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::util::time::ServerInstant;
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::Mutex;

/// Wrong PINs of one address: people mistype, and half of all PINs of four digits take it three and
/// a half days.
const ADDRESS_GUESSES: GuessLimit = GuessLimit { burst: 10, interval: 60 };
/// Wrong PINs of one network that count against the reserve: a typing error or two, and few enough
/// for sixty networks never to use up the reserve.
const FIRST_GUESSES: GuessLimit = GuessLimit { burst: 3, interval: 1_200 };
/// First guesses of all networks together. With the others that makes six a minute: half of all
/// PINs of four digits take any number of addresses thirteen hours.
const RESERVED_GUESSES: GuessLimit = GuessLimit { burst: 240, interval: 20 };
/// Further guesses of all networks together.
const FURTHER_GUESSES: GuessLimit = GuessLimit { burst: 60, interval: 20 };
/// Keys that were in the room and are remembered; the oldest is forgotten first.
const MAX_KNOWN_KEYS: usize = 256;

/// How many guesses may be made at once, and the seconds after which one more is allowed.
struct GuessLimit {
    burst: u32,
    interval: u32,
}

/// What is left of a [`GuessLimit`].
#[derive(Debug)]
struct GuessBucket {
    interval: u32,
    /// In seconds.
    bucket: Bucket,
}

/// How many more wrong PINs a room takes, and from whom.
#[derive(Debug)]
pub(crate) struct PinThrottle(Mutex<Guesses>);

#[derive(Debug)]
struct Guesses {
    /// Addresses and networks of recent wrong PINs; this machine's own addresses count as one.
    /// There are at most as many as guesses are allowed in total until a bucket is full again.
    by_address: BTreeMap<Option<IpAddr>, GuessBucket>,
    by_network: BTreeMap<Option<IpAddr>, GuessBucket>,
    reserved: GuessBucket,
    further: GuessBucket,
    known_keys: VecDeque<Fingerprint>,
}

impl GuessLimit {
    fn bucket(&self, now: ServerInstant) -> GuessBucket {
        let bucket = Bucket::new(self.burst * self.interval, 1, now);
        GuessBucket { interval: self.interval, bucket }
    }
}

impl GuessBucket {
    fn has_guess(&self, now: ServerInstant) -> bool {
        self.bucket.holds(self.interval, now)
    }

    fn take_guess(&mut self, now: ServerInstant) {
        self.bucket.take(self.interval, now);
    }
}

impl PinThrottle {
    pub(crate) fn new(now: ServerInstant) -> Self {
        Self(Mutex::new(Guesses {
            by_address: BTreeMap::new(),
            by_network: BTreeMap::new(),
            reserved: RESERVED_GUESSES.bucket(now),
            further: FURTHER_GUESSES.bucket(now),
            known_keys: VecDeque::new(),
        }))
    }

    /// Remembers the key of a client that got into the room.
    pub(crate) fn remember_key(&self, key: Fingerprint) {
        let known_keys = &mut lock(&self.0).known_keys;
        known_keys.retain(|&known| known != key);
        known_keys.push_back(key);
        if known_keys.len() > MAX_KNOWN_KEYS {
            known_keys.pop_front();
        }
    }

    /// Checks a PIN, right or wrong, from an address, by a client that has proved a key or none.
    ///
    /// # Errors
    /// [`Refusal::WrongPin`], or [`Refusal::TooFast`] if no guess is left: then the right PIN is
    /// refused as well, as it would be found otherwise.
    pub(crate) fn check(
        &self,
        from: Option<IpAddr>,
        key: Option<Fingerprint>,
        now: ServerInstant,
        is_right: impl Fn() -> bool,
    ) -> Result<(), Refusal> {
        let mut guesses = lock(&self.0);
        let Guesses { by_address, by_network, reserved, further, known_keys } = &mut *guesses;
        // A client that was in the room learns nothing by being admitted again.
        if key.is_some_and(|key| known_keys.contains(&key)) && is_right() {
            return Ok(());
        }
        by_address.retain(|_, guesses| !guesses.bucket.is_full(now));
        by_network.retain(|_, guesses| !guesses.bucket.is_full(now));
        let network = from.map(network_key);
        if by_address.get(&from).is_some_and(|own| !own.has_guess(now)) {
            return Err(Refusal::TooFast);
        }
        let is_first = by_network.get(&network).is_none_or(|own| own.has_guess(now));
        let is_reserved = is_first && reserved.has_guess(now);
        if !is_reserved && !further.has_guess(now) {
            return Err(Refusal::TooFast);
        }
        if is_right() {
            return Ok(());
        }
        by_address.entry(from).or_insert_with(|| ADDRESS_GUESSES.bucket(now)).take_guess(now);
        if is_reserved {
            by_network.entry(network).or_insert_with(|| FIRST_GUESSES.bucket(now)).take_guess(now);
            reserved.take_guess(now);
        } else {
            further.take_guess(now);
        }
        Err(Refusal::WrongPin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::identity::Key;

    const SECOND: u64 = 1_000_000;
    const HOUR_SECONDS: u64 = 3_600;

    /// Returns an address in the `n`th network.
    fn address(n: u32) -> Option<IpAddr> {
        Some(IpAddr::V4((0x0a00_0000 + (n << 8)).into()))
    }

    fn guesses(pin_throttle: &PinThrottle, from: Option<IpAddr>, now: ServerInstant) -> u32 {
        let wrong =
            |_: &u32| pin_throttle.check(from, None, now, || false) == Err(Refusal::WrongPin);
        (0..).take_while(wrong).count() as u32
    }

    fn passes(pin_throttle: &PinThrottle, from: Option<IpAddr>, now: ServerInstant) -> bool {
        pin_throttle.check(from, None, now, || true).is_ok()
    }

    #[test]
    fn a_client_that_guesses_locks_out_itself_alone() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        let start = ServerInstant(0);
        assert_eq!(guesses(&pin_throttle, address(1), start), ADDRESS_GUESSES.burst);
        // Now even the right one would tell too much.
        assert!(!passes(&pin_throttle, address(1), start));
        assert!(passes(&pin_throttle, address(2), start));
        assert!(passes(&pin_throttle, None, start));
        assert_eq!(guesses(&pin_throttle, None, start), ADDRESS_GUESSES.burst);
        assert!(passes(&pin_throttle, address(2), start));
    }

    #[test]
    fn dozens_of_networks_that_never_stop_do_not_lock_out_the_invited() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        for second in 0..3 * HOUR_SECONDS {
            let now = ServerInstant(second * SECOND);
            for n in 0..50 {
                guesses(&pin_throttle, address(n), now);
            }
            let invited = address(1_000 + second as u32);
            if second % 600 == 0 {
                let mistyped = pin_throttle.check(invited, None, now, || false);
                assert_eq!(mistyped, Err(Refusal::WrongPin), "{second}");
            }
            assert!(passes(&pin_throttle, invited, now), "{second}");
        }
    }

    #[test]
    fn neighbours_of_a_network_share_its_first_guesses() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        let mut wrong = 0;
        for n in 0..10_000u128 {
            // A /64 network each, of one /48.
            let from = (0x2001_0db8_u128 << 96 | n << 64).to_be_bytes();
            wrong += guesses(&pin_throttle, Some(from.into()), ServerInstant(0));
        }
        assert_eq!(wrong, FIRST_GUESSES.burst + FURTHER_GUESSES.burst);
        assert!(passes(&pin_throttle, address(1), ServerInstant(0)));
    }

    #[test]
    fn guesses_from_everywhere_are_few_take_little_memory_and_keep_no_known_key_out() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        let [known, stranger] =
            [1, 2].map(|n| Key::from_bytes([n; 32]).public().fingerprint(false));
        pin_throttle.remember_key(known);
        let (mut wrong, mut most) = (0, 0);
        for second in 0..HOUR_SECONDS {
            let now = ServerInstant(second * SECOND);
            for n in 0..20 {
                wrong += guesses(&pin_throttle, address(20 * second as u32 + n), now);
            }
            let guesses = pin_throttle.0.lock().unwrap();
            most = most.max(guesses.by_address.len()).max(guesses.by_network.len());
            drop(guesses);
            let joins = |key, is_right| pin_throttle.check(None, Some(key), now, || is_right);
            assert_eq!(joins(known, true), Ok(()), "{second}");
            if second > 60 {
                assert_eq!(joins(known, false), Err(Refusal::TooFast), "{second}");
                assert_eq!(joins(stranger, true), Err(Refusal::TooFast), "{second}");
            }
        }
        let an_hour = HOUR_SECONDS as u32;
        let bound = |limit: GuessLimit| limit.burst + an_hour / limit.interval;
        let bound = bound(RESERVED_GUESSES) + bound(FURTHER_GUESSES);
        assert!((bound - 5..=bound).contains(&wrong), "{wrong} of {bound}");
        assert!(most <= bound as usize, "{most}");
    }

    #[test]
    fn the_number_of_known_keys_is_bounded() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        for n in 0..2 * MAX_KNOWN_KEYS {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&n.to_le_bytes());
            pin_throttle.remember_key(Key::from_bytes(bytes).public().fingerprint(false));
        }
        assert_eq!(pin_throttle.0.lock().unwrap().known_keys.len(), MAX_KNOWN_KEYS);
    }
}
