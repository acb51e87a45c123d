//! Bots from outside: the same minds as the server's own, behind real connections.
//!
//! [`player`] is one bot, [`entry`] its way in; [`crew`] sends any number of them into a heat;
//! [`aids`] are what they think with.

pub mod player;
mod racing;
pub mod resources;

use crate::cli::exit_code::{Exit, Failure};
use crate::net::NetError;
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::server::{Farewell, Refusal, Rejection};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use resources::Aids;
use std::time::Duration;

/// How a bot plays.
#[derive(Debug, Clone)]
pub struct Brain {
    /// How well.
    pub skill: Skill,
    /// How many times as fast as the skill says.
    pub pace: Pace,
    /// What its slips and its unevenness are drawn from.
    pub seed: Seed,
    /// What it thinks with.
    pub aids: Aids,
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

/// Says that a text is no pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pace is a number from 0.1 to 10")]
pub struct PaceError;

impl Pace {
    /// The pace that the skills themselves say.
    pub const REAL: Self = Self(1.0);
    /// Slowest and fastest.
    const BOUNDS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

    /// Makes a pace of a whole number, within the bounds.
    #[must_use]
    pub const fn times(factor: u8) -> Self {
        Self(if factor < 1 {
            1.0
        } else if factor > 10 {
            10.0
        } else {
            factor as f64
        })
    }

    /// Returns how long a pause is at this pace.
    #[must_use]
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

/// Why a bot plays no more.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The connection.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server doesn't grant what a bot needs.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The server ends it.
    #[error("{0}")]
    Dismissed(Farewell),
    /// The server plays by other rules.
    #[error("the server rejected a legal move: {0}")]
    Rejected(Rejection),
    /// The board can't be solved.
    #[error("the bot is at a loss")]
    Unsolved(#[from] Unsolved),
    /// The thinking itself broke off.
    #[error("the bot stopped thinking")]
    Thoughtless,
}

impl From<BotError> for Failure {
    fn from(error: BotError) -> Self {
        let exit = match &error {
            BotError::Net(error) => Exit::from(error),
            BotError::Refused(refusal) => Exit::from(*refusal),
            BotError::Dismissed(farewell) => Exit::from(*farewell),
            BotError::Rejected(_) => Exit::Protocol,
            BotError::Unsolved(_) | BotError::Thoughtless => Exit::Failure,
        };
        Self::new(exit, error)
    }
}

impl Brain {
    /// Makes the brain of the n-th bot of many that share a seed.
    #[must_use]
    pub fn of_many(skill: Skill, pace: Pace, seed: &Seed, n: u32, aids: &Aids) -> Self {
        Self { skill, pace, seed: derive(seed, "bot of many", n), aids: aids.clone() }
    }

    /// Gets ready what the skill needs for a puzzle.
    fn prepare(&self, spec: &PuzzleSpec) {
        if self.skill.uses_tables() {
            self.aids.prepare(spec);
        }
    }

    /// Returns the mind for a heat; another one for every heat.
    fn mind(&self, heat: u32) -> gridrace_shared::bot::Bot {
        gridrace_shared::bot::Bot::new(self.skill, &derive(&self.seed, "heat of a bot", heat))
    }
}

/// Draws a seed from a seed.
fn derive(seed: &Seed, domain: &str, number: u32) -> Seed {
    let mut chance = seed.rng(domain, &number.to_string());
    Seed::from_entropy(std::array::from_fn(|_| u8::try_from(chance.below(256)).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_server::tables::TableStore;

    #[test]
    fn a_pace_has_bounds() {
        for bad in ["", "0", "0.09", "10.1", "-1", "nan", "inf", "fast"] {
            assert_eq!(bad.parse::<Pace>(), Err(PaceError), "{bad}");
        }
        assert_eq!("3".parse(), Ok(Pace::times(3)));
        assert_eq!(Pace::times(3).to_string(), "3");
    }

    #[test]
    fn no_two_bots_share_their_slips() {
        let seed = "friday".parse().unwrap();
        let aids = Aids::of(TableStore::default());
        let brain = |n| Brain::of_many(Skill::Casual, Pace::REAL, &seed, n, &aids).seed;
        assert_ne!(brain(1), brain(2));
        assert_eq!(brain(1), brain(1));
    }
}
