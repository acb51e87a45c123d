//! `gridrace bot`.

use super::connection::ConnectionArgs;
use super::discovery::DiscoveryArgs;
use super::place::PlaceArgs;
use crate::bot::Pace;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::tournament::ids::TeamTag;
use gridrace_shared::util::seed::Seed;

/// The most bots that one program sends: each has its own connection and task.
const MAX_BOTS: i64 = 1_000;

/// Send bots into a room, as many as you like
///
/// The standings of each heat are printed when it is over.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace bot KQZT --skill expert --count 4
  gridrace bot KQZT 192.168.1.5 --skill beginner,master --stay
  gridrace bot 192.168.1.5 --json
  gridrace bot --tournament friday 192.168.1.5 --count 8")]
pub struct BotArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Enter this tournament, or NAME@ADDRESS, and play in it to the end
    #[arg(long, value_name = "NAME", conflicts_with = "stay")]
    pub tournament: Option<String>,
    /// The team for which the bots enter the tournament
    #[arg(long, value_name = "TAG", requires = "tournament", hide_short_help = true)]
    pub team: Option<TeamTag>,
    /// How well the bots play: beginner, casual, steady, expert or master; of several, each bot
    /// takes the next
    #[arg(long, value_name = "SKILLS", value_delimiter = ',', default_value = "steady")]
    pub skill: Vec<Skill>,
    /// Number of bots [default: one of each skill]
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=MAX_BOTS))]
    pub count: Option<u32>,
    /// Stay for heat after heat; a bot that is the host starts the next
    #[arg(long)]
    pub stay: bool,
    /// Multiply the bots' speed by this factor, 0.1 to 10
    #[arg(long, value_name = "FACTOR", default_value = "1", allow_negative_numbers = true)]
    pub pace: Pace,
    /// Repeat the bots' slips and unevenness by this seed [default: random]
    #[arg(long, hide_short_help = true)]
    pub seed: Option<Seed>,
    /// Call the bots NAME-1, NAME-2 and so on [default: after their skills]
    #[arg(long, env = "GRIDRACE_NAME")]
    pub name: Option<PlayerName>,
    /// Print JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
}

impl BotArgs {
    /// Returns how many bots are sent.
    pub fn count(&self) -> u32 {
        self.count.unwrap_or_else(|| u32::try_from(self.skill.len()).unwrap_or(1))
    }
}
