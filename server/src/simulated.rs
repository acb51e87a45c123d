//! What stands in for the machine while the whole server runs in a simulation.
//!
//! A simulation gives the same outcome for the same seed only if nothing in it hangs on the
//! machine: so on its thread chance is drawn from the seed, and what otherwise has threads of
//! its own is done where it is asked for. The programs never begin one.

use gridrace_shared::seed::{PortableRng, Seed};
use std::cell::RefCell;
use std::marker::PhantomData;
use tokio::task::JoinHandle;

thread_local! {
    static CHANCE: RefCell<Option<PortableRng>> = const { RefCell::new(None) };
}

/// A simulation on this thread, as long as it lives.
#[derive(Debug)]
pub struct Simulated {
    /// It belongs to its thread.
    _here: PhantomData<*const ()>,
}

impl Simulated {
    /// Begins one, whose chance comes from a seed.
    #[must_use]
    pub fn begin(seed: &Seed) -> Self {
        CHANCE.set(Some(seed.rng("a simulated machine", "")));
        Self { _here: PhantomData }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        CHANCE.set(None);
    }
}

/// Says whether this thread is a simulation's.
pub(crate) fn is_on() -> bool {
    CHANCE.with_borrow(Option::is_some)
}

/// Draws random bytes, where this thread is a simulation's.
pub(crate) fn bytes<const N: usize>() -> Option<[u8; N]> {
    CHANCE.with_borrow_mut(|chance| {
        let chance = chance.as_mut()?;
        Some(std::array::from_fn(|_| {
            u8::try_from(chance.below(256)).unwrap_or_default()
        }))
    })
}

/// Does work that holds its thread up: on a thread that may be held up, or right here where a
/// simulation's time stands still meanwhile.
pub(crate) fn hold_up<T>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T>
where
    T: Send + 'static,
{
    if is_on() {
        tokio::spawn(async move { work() })
    } else {
        tokio::task::spawn_blocking(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy;

    #[test]
    fn chance_is_the_seeds_as_long_as_the_simulation_lives() {
        let seed: Seed = "friday".parse().unwrap();
        let draw = || {
            let _simulated = Simulated::begin(&seed);
            (entropy::code(), entropy::seed(), entropy::spread())
        };
        assert_eq!(draw(), draw());
        assert!(!is_on());
        assert_ne!(entropy::seed(), entropy::seed());
    }

    #[tokio::test]
    async fn work_that_breaks_takes_nothing_with_it() {
        let _simulated = Simulated::begin(&"friday".parse().unwrap());
        assert_eq!(hold_up(|| 2).await.ok(), Some(2));
        let broken: Result<(), _> = hold_up(|| panic!("as the test wants it")).await;
        assert!(broken.is_err());
    }
}
