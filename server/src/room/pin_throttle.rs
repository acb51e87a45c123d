//! Who may come in by a PIN.
//!
//! Wrong ones are counted by address, so that whoever guesses keeps nobody out but himself. All
//! addresses together are bounded as well, but so wide that it takes a dozen of them to use
//! that up.

use super::Room;
use crate::platform::token_bucket::Bucket;
use crate::transport::admission::source;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::util::time::ServerInstant;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Wrong PINs that a heat takes of one address at once: everybody may mistype it.
const AT_ONCE: u32 = 10;
/// Seconds after which it takes one more of that address: to try the half of all PINs of four
/// digits takes it three and a half days.
const SECONDS: u32 = 60;
/// Wrong PINs that a heat takes at once, from whomever.
const AT_ONCE_OF_ALL: u32 = 120;
/// Seconds after which it takes one more: to try the half of all PINs of four digits takes
/// any number of addresses thirteen and a half hours.
const SECONDS_OF_ALL: u32 = 10;

/// How many more wrong PINs a heat takes.
#[derive(Debug)]
pub(super) struct PinThrottle(Mutex<Left>);

#[derive(Debug)]
struct Left {
    /// Those who said a wrong one lately; all of this machine's own addresses are one. There
    /// are no more than wrong ones are taken of all until the first is forgotten: 180.
    by_address: BTreeMap<Option<IpAddr>, Bucket>,
    of_all: Bucket,
}

impl PinThrottle {
    pub(super) fn new(now: ServerInstant) -> Self {
        let of_all = Bucket::new(AT_ONCE_OF_ALL * SECONDS_OF_ALL, 1, now);
        Self(Mutex::new(Left { by_address: BTreeMap::new(), of_all }))
    }

    /// Takes a PIN, right or wrong.
    fn take(
        &self,
        from: Option<IpAddr>,
        now: ServerInstant,
        is_right: impl FnOnce() -> bool,
    ) -> Result<(), Refusal> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Left { by_address, of_all } = &mut *left;
        let own = by_address.get(&from);
        if !own.is_none_or(|own| own.holds(SECONDS, now)) || !of_all.holds(SECONDS_OF_ALL, now) {
            return Err(Refusal::TooFast);
        }
        if is_right() {
            return Ok(());
        }
        of_all.take(SECONDS_OF_ALL, now);
        by_address.retain(|_, bucket| !bucket.is_full(now));
        by_address
            .entry(from)
            .or_insert_with(|| Bucket::new(AT_ONCE * SECONDS, 1, now))
            .take(SECONDS, now);
        Err(Refusal::WrongPin)
    }
}

impl Room {
    /// Says whether somebody may come in from an address by this PIN, or without one.
    ///
    /// # Errors
    /// [`Refusal::WrongPin`], or [`Refusal::TooFast`] where too many wrong ones were tried from
    /// there: then the right one must wait as well, or it could be found out meanwhile.
    pub fn check_pin(&self, peer: IpAddr, pin: Option<&Pin>) -> Result<(), Refusal> {
        let Some(persisted) = self.state().persisted.race.pin().cloned() else {
            return Ok(());
        };
        let Some(pin) = pin else {
            return Err(Refusal::WrongPin);
        };
        let now = self.clock.now();
        self.pin_throttle.take(source(peer), now, || persisted.admits(pin))
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
        let wrong = |_: &u32| pin_throttle.take(from, now, || false) == Err(Refusal::WrongPin);
        (0..).take_while(wrong).count() as u32
    }

    fn gets_in(pin_throttle: &PinThrottle, from: Option<IpAddr>, now: ServerInstant) -> bool {
        pin_throttle.take(from, now, || true).is_ok()
    }

    #[test]
    fn whoever_guesses_keeps_himself_out_and_nobody_else() {
        let pin_throttle = PinThrottle::new(ServerInstant(0));
        assert_eq!(guesses(&pin_throttle, address(1), ServerInstant(0)), AT_ONCE);
        // Now even the right one would tell too much.
        assert!(!gets_in(&pin_throttle, address(1), ServerInstant(0)));
        assert!(gets_in(&pin_throttle, address(2), ServerInstant(0)));
        assert!(gets_in(&pin_throttle, None, ServerInstant(0)));
        assert_eq!(guesses(&pin_throttle, None, ServerInstant(0)), AT_ONCE);
        assert!(gets_in(&pin_throttle, address(2), ServerInstant(0)));
        // One address that never stops doesn't use up what all have.
        for second in 0..HOUR / SECOND {
            let now = ServerInstant(second * SECOND);
            guesses(&pin_throttle, address(1), now);
            assert!(gets_in(&pin_throttle, address(2), now), "{second}");
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
        assert_eq!(wrong, AT_ONCE_OF_ALL + 3_600 / SECONDS_OF_ALL - 1);
        assert!(most <= 181, "{most}");
    }
}
