//! `gridrace host`.

use super::heat::{Bots, Heat, seconds};
#[cfg(feature = "host")]
use gridrace_server::store::Durability;
use gridrace_shared::heat::options::{DELAY_SECONDS, HeatOptions};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::DEFAULT_PORT;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Options of `gridrace host`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The server runs until this program ends, even if all players leave.

Examples:
  gridrace host
  gridrace host --puzzle slide:3x3 --bots beginner,steady
  gridrace host --headless --listen 0.0.0.0:7415 --private
  gridrace host --data ~/races")]
pub struct Host {
    /// The heat.
    #[command(flatten)]
    pub heat: Heat,
    /// Seat these bots: skills with commas between, or none
    #[arg(long, value_name = "SKILLS", default_value = "none")]
    pub bots: Bots,
    /// Listen on this address and port; port 0 for any free one
    #[arg(long, value_name = "ADDRESS", env = "GRIDRACE_LISTEN",
          default_value_t = SocketAddr::from((Ipv4Addr::UNSPECIFIED, DEFAULT_PORT)))]
    pub listen: SocketAddr,
    /// Leave the heat out of the server's list: only its code leads to it
    #[arg(long)]
    pub private: bool,
    /// Let in only who has this PIN, 4 to 8 digits; the heat is private then
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pub pin: Option<Pin>,
    /// Let no bots in
    #[arg(long, conflicts_with = "bots")]
    pub no_bots: bool,
    /// Delay of the boards that spectators see, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = seconds(DELAY_SECONDS))]
    pub delay: u16,
    /// Keep heats and their replays in this folder, for gridrace replay; a heat that runs when
    /// this program ends goes on with the next one on the same folder
    #[arg(long, value_name = "DIR", env = "GRIDRACE_DATA_DIR")]
    pub data: Option<PathBuf>,
    /// What acknowledged moves survive, where heats are kept: a power cut (they wait for the disk), or
    /// a crash of this program (results wait for the disk)
    #[cfg(feature = "host")]
    #[arg(
        long,
        value_name = "power|crash",
        env = "GRIDRACE_DURABILITY",
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    pub durability: Durability,
    /// Serve without a screen: print how to join, and keep a heat going until Ctrl-C
    #[arg(long)]
    pub headless: bool,
}

impl Host {
    /// Returns the options of the heat that is to be opened.
    pub fn options(&self) -> HeatOptions {
        HeatOptions {
            private: self.private || self.pin.is_some(),
            bots_allowed: !self.no_bots,
            delay_seconds: self.delay,
            ..self.heat.options()
        }
    }
}
