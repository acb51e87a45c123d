//! `gridrace join` and `gridrace watch`.

use super::place::PlaceArgs;
use super::screen::ScreenArgs;

/// Join a room by its code or its server's address
///
/// Without an address, the server is one on this machine, or else one that announces the room on the
/// local network. Without a code, you join the server's only open room, or choose from a list.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace join KQZT
  gridrace join KQZT 192.168.1.5
  gridrace join 192.168.1.5:7415
  gridrace join KQZT@box.local --name Anna")]
pub struct JoinArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Watch instead of playing
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Watch a room: every board, live
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace watch KQZT 192.168.1.5
  gridrace watch --big          # for a projector")]
pub struct WatchArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Lay the screen out for a hall: giant clock, all places, pages that turn by themselves
    #[arg(long)]
    pub big: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
