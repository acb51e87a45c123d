//! The options of a heat, as `play` and `host` have them.

use crate::tui::model::read_puzzle;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{
    COUNTDOWN_SECONDS, GRACE_SECONDS, HeatOptions, HintRule, TIME_LIMIT_SECONDS,
};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use std::str::FromStr;

/// What a heat is about, and its rules.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Heat")]
pub struct Heat {
    /// Race on this puzzle: slide:2x2 to slide:16x16, link:4x4 to link:20x20, link:9x9:easy,
    /// :hard or :classic
    #[arg(
        long,
        value_name = "PUZZLE",
        default_value = "slide:4x4",
        env = "GRIDRACE_PUZZLE",
        value_parser = read_puzzle
    )]
    pub puzzle: PuzzleSpec,
    /// Set the seed, which all members are shown as set by the host [default: drawn]
    #[arg(long)]
    pub seed: Option<Seed>,
    /// Hints: off, free, or the seconds that each one costs
    #[arg(long, value_name = "off|free|SECONDS", default_value = "10")]
    pub hints: HintRule,
    /// Length of the countdown, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = seconds(COUNTDOWN_SECONDS))]
    pub countdown: u16,
    /// Time limit of a heat, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = seconds(TIME_LIMIT_SECONDS))]
    pub time_limit: u16,
    /// How long a lost connection keeps its seat, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = seconds(GRACE_SECONDS))]
    pub grace: u16,
}

impl Heat {
    /// Returns the options of the heat that is to be opened.
    pub fn options(&self) -> HeatOptions {
        HeatOptions {
            countdown_seconds: self.countdown,
            time_limit_seconds: self.time_limit,
            hints: self.hints,
            grace_seconds: self.grace,
            ..HeatOptions::new(self.puzzle)
        }
    }
}

/// A parser for seconds within bounds.
pub(super) fn seconds(
    bounds: std::ops::RangeInclusive<u16>,
) -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(i64::from(*bounds.start())..=i64::from(*bounds.end()))
}

/// The bots of a heat: skills with commas between them, or `none`.
///
/// ```
/// use gridrace_client::cli::args::heat::Bots;
/// use gridrace_shared::bot::Skill;
/// let bots: Bots = "beginner,expert".parse()?;
/// assert_eq!(bots.0, [Skill::Beginner, Skill::Expert]);
/// assert_eq!("none".parse::<Bots>()?.0, []);
/// # Ok::<(), gridrace_shared::bot::SkillError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bots(pub Vec<Skill>);

impl FromStr for Bots {
    type Err = gridrace_shared::bot::SkillError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self(Vec::new()));
        }
        text.split(',').map(|skill| skill.trim().parse()).collect::<Result<_, _>>().map(Self)
    }
}
