//! The environment of the server besides its clock: the machine, or a simulation.
//!
//! A simulation gives the same outcome for the same seed only if nothing in it depends on the
//! machine: its randomness comes from the seed, its calendar and its disk are the simulation's,
//! and work that otherwise has its own threads runs inline. The programs use the machine.

use crate::platform::clock;
use crate::platform::rng::Rng;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::UnixMillis;
use tokio::task::JoinHandle;
use tracing::warn;

/// The machine, or a simulation of one. Clones share a simulation's randomness.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub(crate) rng: Rng,
    simulated: Option<Simulated>,
}

#[derive(Debug, Clone, Copy)]
pub struct Simulated {
    /// Returns the time since 1970.
    pub calendar: fn() -> UnixMillis,
    pub disk: fn() -> Disk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disk {
    #[default]
    Sound,
    /// Each commit takes half a second and more.
    Slow,
    Full,
    Hangs,
}

impl Environment {
    /// Makes a simulation whose randomness comes from a seed.
    pub fn simulated(seed: &Seed, simulated: Simulated) -> Self {
        Self { rng: Rng::simulated(seed), simulated: Some(simulated) }
    }

    /// Returns whether blocking work and workers run inline, as tasks.
    pub(crate) const fn is_simulated(&self) -> bool {
        self.simulated.is_some()
    }

    /// Returns the time since 1970 by the calendar, which may be set: it tells when something
    /// was, not how long it took.
    pub(crate) fn calendar(&self) -> UnixMillis {
        self.simulated.map_or_else(clock::system_time, |simulated| (simulated.calendar)())
    }

    /// Returns the state of the disk; the machine's disk is sound until an operation fails.
    pub(crate) fn disk(&self) -> Disk {
        self.simulated.map_or(Disk::Sound, |simulated| (simulated.disk)())
    }

    /// Runs work that blocks its thread.
    pub(crate) fn spawn_blocking<T>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T>
    where
        T: Send + 'static,
    {
        if self.is_simulated() {
            tokio::spawn(async move { work() })
        } else {
            tokio::task::spawn_blocking(work)
        }
    }

    /// Runs work on a thread that the end of the runtime doesn't wait for.
    pub(crate) fn spawn_detached(&self, work: impl FnOnce() + Send + 'static) {
        if self.is_simulated() {
            tokio::spawn(async move { work() });
        } else {
            let thread = std::thread::Builder::new().name("detached".to_owned());
            if let Err(error) = thread.spawn(work) {
                warn!(%error, "failed to start a detached thread");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simulated() -> Environment {
        let simulated = Simulated { calendar: || UnixMillis(7), disk: Disk::default };
        Environment::simulated(&"friday".parse().unwrap(), simulated)
    }

    #[test]
    fn a_seed_names_all_that_a_simulation_draws() {
        let draw = |Environment { rng, .. }: Environment| (rng.code(), rng.seed());
        assert_eq!(draw(simulated()), draw(simulated()));
        assert_ne!(draw(Environment::default()), draw(Environment::default()));
        assert_eq!(simulated().calendar(), UnixMillis(7));
    }
}
