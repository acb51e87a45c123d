//! `gridrace play`.

use super::heat::{Bots, HeatArgs};
use super::screen::ScreenArgs;
use clap::builder::ArgPredicate;

/// The ghost of the player's own best race on a puzzle.
pub const BEST: &str = "best";

/// Race against bots, on a server inside the program
///
/// Other players can't join, and no server is needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace play
  gridrace play --puzzle slide:5x5 --bots beginner,expert --hints free
  gridrace play --seed friday --bots none
  gridrace play --ghost best --puzzle slide:3x3
  gridrace play --ghost 192.168.1.5/KQZT-20261121-3f9c")]
pub struct PlayArgs {
    #[command(flatten)]
    pub heat: HeatArgs,
    /// Race against a ghost on its board: best, for your own best race on the puzzle; the number of
    /// a race in gridrace stats; a replay's file; a heat by its id in a server's data; or as
    /// ADDRESS/ID from a server that runs
    #[arg(long, value_name = "best|NUMBER|FILE|ID|ADDRESS/ID", conflicts_with = "seed")]
    pub ghost: Option<String>,
    /// Race against these bots: beginner, casual, steady, expert, master, with commas between;
    /// or none
    #[arg(
        long,
        value_name = "SKILLS",
        default_value = "casual,steady,expert",
        default_value_if("ghost", ArgPredicate::IsPresent, "none"),
        env = "GRIDRACE_BOTS"
    )]
    pub bots: Bots,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
