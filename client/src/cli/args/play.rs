//! `gridrace play`.

use super::heat::{Bots, Heat};
use super::screen::ScreenArgs;

/// Race against bots, on a server inside the program
///
/// Nobody else can join, and no server is needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace play
  gridrace play --puzzle slide:5x5 --bots beginner,expert --hints free
  gridrace play --seed friday --bots none")]
pub struct Play {
    /// The heat.
    #[command(flatten)]
    pub heat: Heat,
    /// Race against these bots: beginner, casual, steady, expert, master, with commas between;
    /// or none
    #[arg(
        long,
        value_name = "SKILLS",
        default_value = "casual,steady,expert",
        env = "GRIDRACE_BOTS"
    )]
    pub bots: Bots,
    /// The screen.
    #[command(flatten)]
    pub screen: ScreenArgs,
}
