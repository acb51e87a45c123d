//! The options of a heat, as `play` and `host` have them.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::{
    COUNTDOWN_SECONDS, GRACE_SECONDS, HeatOptions, HintRule, HintStyles, IDLE_SECONDS,
    TIME_LIMIT_SECONDS,
};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use std::str::FromStr;

/// What a heat is about, and its rules.
#[derive(Debug, Clone, clap::Args)]
pub struct HeatArgs {
    /// Race on this puzzle: slide:2x2 to slide:16x16, or link:4x4 to link:20x20 with :easy,
    /// :normal, :hard or :classic after it
    #[arg(
        long,
        value_name = "PUZZLE",
        default_value = "slide:4x4",
        env = "GRIDRACE_PUZZLE",
        value_parser = PuzzleSpec::from_typed
    )]
    pub puzzle: PuzzleSpec,
    /// Name the board by a seed like friday; the others see that the host set it
    /// [default: random]
    #[arg(long, hide_short_help = true)]
    pub seed: Option<Seed>,
    /// Hints: off, free, or the seconds that each one costs
    #[arg(long, value_name = "RULE", default_value = "10", allow_negative_numbers = true)]
    pub hints: HintRule,
    /// Give hints of one style only: shortest, or method, which teaches; any leaves it to the players
    #[arg(long, value_name = "STYLE", default_value = "any", hide_short_help = true)]
    pub only_hints: HintStyles,
    /// Show a picture on the tiles of the sliding puzzle, up to 8x8; p shows their numbers
    #[arg(long, hide_short_help = true)]
    pub picture: bool,
    /// Length of the countdown, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3, allow_negative_numbers = true,
          value_parser = seconds(COUNTDOWN_SECONDS), hide_short_help = true)]
    pub countdown: u16,
    /// Time limit of a heat, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, allow_negative_numbers = true,
          value_parser = seconds(TIME_LIMIT_SECONDS))]
    pub time_limit: u16,
    /// How long a lost connection keeps its seat, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
          value_parser = seconds(GRACE_SECONDS), hide_short_help = true)]
    pub grace: u16,
    /// How long players may do nothing before a countdown ends the heat, in seconds; 0 for no such limit
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
          value_parser = idle_seconds, hide_short_help = true)]
    pub idle: u16,
}

impl HeatArgs {
    /// Returns the options of the heat that is to be opened.
    pub fn options(&self) -> HeatOptions {
        HeatOptions {
            countdown_seconds: self.countdown,
            time_limit_seconds: self.time_limit,
            hints: self.hints,
            hint_styles: self.only_hints,
            picture: self.picture,
            grace_seconds: self.grace,
            idle_seconds: self.idle,
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

/// Reads the seconds after which a player is idle.
fn idle_seconds(text: &str) -> Result<u16, String> {
    let bounds = IDLE_SECONDS;
    match text.parse() {
        Ok(seconds) if seconds == 0 || bounds.contains(&seconds) => Ok(seconds),
        Ok(_) | Err(_) => Err(format!("{} to {} seconds, or 0", bounds.start(), bounds.end())),
    }
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
