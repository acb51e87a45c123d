//! `gridrace host`.

use super::environment::name_variable;
use super::heat::{Bots, HeatArgs, seconds};
use super::screen::ScreenArgs;
use super::tournament::ScheduleArgs;
use crate::display::own_image::{OwnImage, OwnImageError};
use crate::tui::model::NewRoom;
use clap::{Args as _, FromArgMatches as _};
use gridrace_lan::interfaces::parse_listen_address;
#[cfg(feature = "host")]
use gridrace_server::store::Durability;
use gridrace_shared::heat::options::{DELAY_SECONDS, HeatOptions};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentTitle;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Open a room for your network, and race in it
///
/// The server runs until this program ends, even if all players leave. With --on the room is on
/// another server, and goes on there without this program.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace host
  gridrace host --puzzle slide:3x3 --bots beginner,steady
  gridrace host --headless --listen 0.0.0.0:7415 --private
  gridrace host --on race.example --pin 4711
  gridrace host --tournament knockout:bo3 --title 'Friday cup'")]
pub struct HostArgs {
    #[command(flatten)]
    pub heat: HeatArgs,
    /// Open a tournament of this plan instead, such as series:5 or knockout:bo3
    ///
    /// You direct it on the screen, and others enter it. docs/tournaments.md has the plans. Its
    /// record, which `tournament export` saves and `tournament verify` checks, is kept with --data
    /// alone.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["bots", "on", "seed"])]
    pub tournament: Option<TournamentPlan>,
    /// The title of the tournament, from which its name is made
    #[arg(long, requires = "tournament", hide_short_help = true)]
    pub title: Option<TournamentTitle>,
    /// Entries and times of the tournament.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Seat these bots: beginner, casual, steady, expert, master, with commas between; or none
    #[arg(long, value_name = "SKILLS", default_value = "none")]
    pub bots: Bots,
    /// Open the room on this server instead of inside this program
    ///
    /// An address, or your name for it; --listen and --data don't apply then.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "headless")]
    pub on: Option<String>,
    /// Listen on this address and port; port 0 picks a free one [default: port 7415 of all
    /// addresses, IPv6 and IPv4]
    #[arg(long, value_name = "ADDRESS", env = "GRIDRACE_LISTEN", value_parser = parse_listen_address)]
    pub listen: Option<SocketAddr>,
    /// Leave the room out of the server's list, so that only its code leads to it
    #[arg(long)]
    pub private: bool,
    /// Show the middle of this PNG, JPEG, WebP or GIF on the tiles of all members, in 80x80 pixels; the
    /// room is private then, and its tiles have a picture
    #[arg(long, value_name = "FILE", conflicts_with_all = ["headless", "tournament"],
          hide_short_help = true)]
    pub room_image: Option<PathBuf>,
    /// Ask everybody for this PIN, 4 to 8 digits; the room is private then
    #[arg(long, env = "GRIDRACE_PIN", hide_env_values = true)]
    pub pin: Option<Pin>,
    /// Disallow bots
    #[arg(long, conflicts_with = "bots", hide_short_help = true)]
    pub no_bots: bool,
    /// Delay of the boards that spectators see, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2, allow_negative_numbers = true,
          value_parser = seconds(DELAY_SECONDS), hide_short_help = true)]
    pub delay: u16,
    /// Keep finished heats and their replays in this folder; a heat that is cut off by the
    /// program's end goes on when the next program uses the folder
    #[arg(long, value_name = "DIR", env = "GRIDRACE_DATA_DIR")]
    pub data: Option<PathBuf>,
    /// What acknowledged moves survive if heats are kept: a power cut (each move waits for the
    /// disk), or a crash of this program (only results wait)
    #[cfg(feature = "host")]
    #[arg(
        long,
        value_name = "power|crash",
        env = "GRIDRACE_DURABILITY",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub durability: Durability,
    /// Serve without a screen until Ctrl-C, and print how to join
    ///
    /// It goes without --on and --room-image.
    #[arg(long)]
    pub headless: bool,
    /// With --headless, print no QR code of the first link, which a terminal is shown
    #[arg(long, hide_short_help = true)]
    pub no_qr: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

impl HostArgs {
    /// Reads what the environment says, with the defaults of everything else.
    pub fn from_environment() -> Result<Self, clap::Error> {
        let mut command = Self::augment_args(clap::Command::new("host").no_binary_name(true));
        let nothing: [&str; 0] = [];
        let matches = command.try_get_matches_from_mut(nothing);
        Self::from_arg_matches(&matches.map_err(|error| name_variable(&command, error))?)
    }

    /// Returns the room that is to be opened.
    pub fn room(&self) -> Result<NewRoom, OwnImageError> {
        let image = self.room_image.as_deref().map(OwnImage::read).transpose()?;
        Ok(NewRoom {
            options: self.options(),
            seed: self.heat.seed.clone(),
            bots: self.bots.0.clone(),
            image: image.map(|image| image.room_image()),
            start: false,
        })
    }

    /// Returns the options of the heat that is to be opened.
    pub fn options(&self) -> HeatOptions {
        HeatOptions {
            private: self.private || self.pin.is_some() || self.room_image.is_some(),
            picture: self.heat.picture || self.room_image.is_some(),
            bots_allowed: !self.no_bots,
            delay_seconds: self.delay,
            ..self.heat.options()
        }
    }
}
