//! Who may come in by a PIN.

use super::Heat;
use crate::rate::Bucket;
use gridrace_shared::protocol::pin::Pin;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::time::Micros;
use std::sync::{Mutex, PoisonError};

/// Wrong PINs that a heat takes at once, from whomever: everybody may mistype it.
const AT_ONCE: u32 = 30;
/// Seconds after which it takes one more: to try the half of all PINs of four digits takes
/// fourteen hours.
const SECONDS: u32 = 10;

/// How many more wrong PINs a heat takes.
#[derive(Debug)]
pub(super) struct Tries(Mutex<Bucket>);

impl Tries {
    pub(super) fn new(now: Micros) -> Self {
        Self(Mutex::new(Bucket::new(AT_ONCE * SECONDS, 1, now)))
    }
}

impl Heat {
    /// Says whether somebody may come in by this PIN, or without one.
    ///
    /// # Errors
    /// [`Refusal::WrongPin`], or [`Refusal::TooFast`] where too many wrong ones were tried:
    /// then the right one must wait as well, or it could be found out meanwhile.
    pub fn admits(&self, pin: Option<&Pin>) -> Result<(), Refusal> {
        let Some(kept) = self.state().kept.race.pin().cloned() else {
            return Ok(());
        };
        let Some(pin) = pin else {
            return Err(Refusal::WrongPin);
        };
        let mut tries = self.tries.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        if !tries.holds(SECONDS, now) {
            return Err(Refusal::TooFast);
        }
        if kept.admits(pin) {
            return Ok(());
        }
        tries.take(SECONDS, now);
        Err(Refusal::WrongPin)
    }
}
