//! Bots from outside: the same policies as the server's own bots, behind real connections.

mod player;
mod schedule;
mod tournament;

pub use player::BotPlayer;
pub use tournament::TournamentBot;

use crate::session::SessionError;
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::solver::plan::SolverResources;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use gridrace_tables::TableStore;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Debug, Clone)]
pub struct BotConfig {
    pub skill: Skill,
    pub pace: Pace,
    /// The seed of its mistakes and its timing.
    pub seed: Seed,
    pub resources: BotResources,
}

/// How many times as fast as its skill says a bot plays: 0.1 to 10.
///
/// ```
/// use gridrace_client::bot::Pace;
/// use gridrace_shared::util::time::Millis;
/// let pace: Pace = "2.5".parse()?;
/// assert_eq!(pace.shorten(Millis(1_000)).as_millis(), 400);
/// assert!("11".parse::<Pace>().is_err());
/// # Ok::<(), gridrace_client::bot::PaceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace(f64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pace is a number from 0.1 to 10")]
pub struct PaceError;

impl Pace {
    const BOUNDS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

    /// Makes a pace of a whole number, within the bounds.
    pub const fn times(factor: u8) -> Self {
        Self(match factor {
            0 => 1.0,
            1..=10 => factor as f64,
            11.. => 10.0,
        })
    }

    /// Returns how long a pause is at this pace.
    pub fn shorten(self, pause: Millis) -> Duration {
        Duration::from_millis(pause.0).div_f64(self.0)
    }
}

impl std::str::FromStr for Pace {
    type Err = PaceError;

    fn from_str(text: &str) -> Result<Self, PaceError> {
        let factor: f64 = text.parse().map_err(|_| PaceError)?;
        if Self::BOUNDS.contains(&factor) { Ok(Self(factor)) } else { Err(PaceError) }
    }
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The solvers' tables, and as many permits to think as the machine has cores, so that a
/// thousand bots don't take a thousand threads at GO. A clone is a handle on the same.
#[derive(Debug, Clone)]
pub struct BotResources {
    tables: TableStore,
    permits: Arc<Semaphore>,
}

impl BotResources {
    pub fn new(tables: TableStore) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self { tables, permits: Arc::new(Semaphore::new(cores)) }
    }

    /// Requests the tables for a puzzle, and doesn't wait for them.
    fn prepare(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            self.tables.request(tables);
        }
    }

    async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so there always is one.
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// Returns the solvers with the tables that are ready.
    fn solvers(&self) -> SolverResources {
        SolverResources::with_tables(self.tables.snapshot())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BotError {
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The server rejected a move that is legal by the shared rules.
    #[error("the server rejected a legal move: {0}")]
    Rejected(Rejection),
    #[error("the bot found no move")]
    Unsolved(#[from] Unsolved),
    /// The bot's policy, or its task, panicked.
    #[error("the bot panicked")]
    Panicked,
}

impl BotConfig {
    pub fn nth(skill: Skill, pace: Pace, seed: &Seed, n: u32, resources: &BotResources) -> Self {
        Self { skill, pace, seed: derive(seed, "bot of many", n), resources: resources.clone() }
    }

    fn prepare(&self, spec: &PuzzleSpec) {
        if self.skill.uses_tables() {
            self.resources.prepare(spec);
        }
    }

    /// Returns the policy for a heat; another one for each heat.
    fn policy(&self, heat: u32) -> gridrace_shared::bot::Bot {
        gridrace_shared::bot::Bot::new(self.skill, &derive(&self.seed, "heat of a bot", heat))
    }
}

fn derive(seed: &Seed, domain: &str, number: u32) -> Seed {
    let mut chance = seed.rng(domain, &number.to_string());
    Seed::from_entropy(std::array::from_fn(|_| u8::try_from(chance.below(256)).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_has_bounds() {
        for bad in ["", "0", "0.09", "10.1", "-1", "nan", "inf", "fast"] {
            assert_eq!(bad.parse::<Pace>(), Err(PaceError), "{bad}");
        }
        assert_eq!("3".parse(), Ok(Pace::times(3)));
        assert_eq!(Pace::times(3).to_string(), "3");
    }

    #[test]
    fn no_two_bots_share_their_mistakes() {
        let seed = "friday".parse().unwrap();
        let resources = BotResources::new(TableStore::default());
        let seed = |n| BotConfig::nth(Skill::Casual, Pace::times(1), &seed, n, &resources).seed;
        assert_ne!(seed(1), seed(2));
        assert_eq!(seed(1), seed(1));
    }
}
