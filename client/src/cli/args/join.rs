//! `gridrace join` and `gridrace watch`.

use super::place::PlaceArgs;

/// Options of `gridrace join`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace join KQZT 192.168.1.5
  gridrace join 192.168.1.5:7415
  gridrace join KQZT@box.local --name Anna

Without an address: a server on this machine. Without a code: the only open heat, or a choice.")]
pub struct Join {
    /// Where.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Watch instead of playing
    #[arg(long)]
    pub watch: bool,
}

/// Options of `gridrace watch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace watch KQZT 192.168.1.5
  gridrace watch")]
pub struct Watch {
    /// Where.
    #[command(flatten)]
    pub place: PlaceArgs,
}
