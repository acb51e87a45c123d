//! `gridrace bot`.

use super::place::PlaceArgs;
use crate::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::util::seed::Seed;

/// The most bots that one program sends: each has its own connection and task.
const MAX_BOTS: i64 = 1_000;

/// Options of `gridrace bot`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace bot KQZT --skill expert --count 4
  gridrace bot KQZT 192.168.1.5 --skill beginner,master --stay
  gridrace bot 192.168.1.5 --json

The standings of each heat are printed when it is over. With --name the bots are called
NAME-1, NAME-2 and so on, else after their skills.")]
pub struct Bot {
    /// Where.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How well the bots play: beginner, casual, steady, expert, master; several take turns
    #[arg(long, value_name = "SKILLS", value_delimiter = ',', default_value = "steady")]
    pub skill: Vec<Skill>,
    /// Number of bots
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MAX_BOTS))]
    pub count: u32,
    /// Stay for heat after heat, and open the next where the host is a bot, instead of leaving
    #[arg(long)]
    pub stay: bool,
    /// Multiply the speed of the skill by this factor, 0.1 to 10
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    pub pace: Pace,
    /// Draw the bots' slips and unevenness from this seed [default: drawn]
    #[arg(long)]
    pub seed: Option<Seed>,
    /// Print one JSON document a heat
    #[arg(long)]
    pub json: bool,
}
