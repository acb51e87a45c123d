//! What stands in for the machine while the whole server runs in a simulation.
//!
//! A simulation gives the same outcome for the same seed only if nothing in it hangs on the
//! machine: so on its thread chance is drawn from the seed, the calendar is the simulation's,
//! and what otherwise has threads of its own is done where it is asked for. The programs never begin one.

use gridrace_shared::util::seed::{PortableRng, Seed};
use gridrace_shared::util::time::Millis;
use std::cell::RefCell;
use std::marker::PhantomData;
use tokio::task::JoinHandle;
use tracing::warn;

/// What a simulation has in place of the machine.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    /// Tells the time since 1970.
    pub calendar: fn() -> Millis,
    /// Tells how the disk is.
    pub disk: fn() -> Disk,
}

/// How a simulation's disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disk {
    /// It takes its time.
    #[default]
    Sound,
    /// It takes half a second and more over each commit.
    Slow,
    /// Nothing more fits on it.
    Full,
    /// It answers nothing for now.
    Hangs,
}

struct Stand {
    chance: PortableRng,
    machine: Machine,
}

thread_local! {
    static STAND: RefCell<Option<Stand>> = const { RefCell::new(None) };
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
    pub fn begin(seed: &Seed, machine: Machine) -> Self {
        let chance = seed.rng("a simulated machine", "");
        STAND.set(Some(Stand { chance, machine }));
        Self { _here: PhantomData }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        STAND.set(None);
    }
}

/// Says whether this thread is a simulation's.
pub(crate) fn is_on() -> bool {
    STAND.with_borrow(Option::is_some)
}

/// Draws random bytes, where this thread is a simulation's.
pub(crate) fn bytes<const N: usize>() -> Option<[u8; N]> {
    STAND.with_borrow_mut(|stand| {
        let chance = &mut stand.as_mut()?.chance;
        Some(std::array::from_fn(|_| u8::try_from(chance.below(256)).unwrap_or_default()))
    })
}

/// Returns the time since 1970, where this thread is a simulation's.
pub(crate) fn wall() -> Option<Millis> {
    machine().map(|machine| (machine.calendar)())
}

/// Returns how the disk is; a real one says so itself.
pub(crate) fn disk() -> Disk {
    machine().map_or(Disk::Sound, |machine| (machine.disk)())
}

fn machine() -> Option<Machine> {
    STAND.with_borrow(|stand| stand.as_ref().map(|stand| stand.machine))
}

/// Does work that holds its thread up: on a thread that may be held up, or right here where a
/// simulation's time stands still meanwhile.
pub(crate) fn hold_up<T>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T>
where
    T: Send + 'static,
{
    if is_on() { tokio::spawn(async move { work() }) } else { tokio::task::spawn_blocking(work) }
}

/// Does work for whose end nobody may wait, not even a program that is at its own.
pub(crate) fn leave_to_itself(work: impl FnOnce() + Send + 'static) {
    if is_on() {
        tokio::spawn(async move { work() });
    } else {
        let thread = std::thread::Builder::new().name("left to itself".to_owned());
        if let Err(error) = thread.spawn(work) {
            warn!(%error, "there is no thread to give");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::rng;

    const MACHINE: Machine = Machine { calendar: || Millis(0), disk: Disk::default };

    #[test]
    fn chance_is_the_seeds_as_long_as_the_simulation_lives() {
        let seed: Seed = "friday".parse().unwrap();
        let draw = || {
            let _simulated = Simulated::begin(&seed, MACHINE);
            (rng::code(), rng::seed(), rng::spread())
        };
        assert_eq!(draw(), draw());
        assert!(!is_on());
        assert_ne!(rng::seed(), rng::seed());
    }

    #[tokio::test]
    async fn work_that_breaks_takes_nothing_with_it() {
        let _simulated = Simulated::begin(&"friday".parse().unwrap(), MACHINE);
        assert_eq!(hold_up(|| 2).await.ok(), Some(2));
        let broken: Result<(), _> = hold_up(|| panic!("as the test wants it")).await;
        assert!(broken.is_err());
    }
}
