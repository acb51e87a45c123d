//! `gridrace replay`, `gridrace verify` and `gridrace export`: heats that are over.

use super::connection::ConnectionArgs;
use super::display::DisplayArgs;
use gridrace_shared::heat::identity::Fingerprint;
use std::path::PathBuf;

/// Play back a heat that is over, on the screen or line by line
///
/// Keys: space pauses; left and right go 5 s; , and . go to the event before and after; + and - or up and down
/// change the speed; tab shows one player, a shows all; ? lists the keys.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace replay final.grr
  gridrace replay --list
  gridrace replay KQZT-20261121-3f9c
  gridrace replay 192.168.1.5/KQZT-20261121-3f9c
  gridrace replay final.grr --json | jq 'select(.what == \"hint\")'")]
pub struct ReplayArgs {
    /// A replay's file; a heat by its id in a server's data; or one from a server that runs:
    /// 192.168.1.5/KQZT-20261121-3f9c, or its page's address
    #[arg(value_name = "FILE|ID|ADDRESS/ID", required_unless_present = "list")]
    pub heat: Option<String>,
    /// List the latest heats in a server's data folder: winner, players, puzzle and id; of a server
    /// that runs, gridrace results ADDRESS lists yours
    #[arg(long)]
    pub list: bool,
    /// Print JSON, a line for each event; with --list, for each heat
    #[arg(long)]
    pub json: bool,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: DataDirArgs,
    #[command(flatten)]
    pub display: DisplayArgs,
    /// The connection to a server.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Check replays: board, moves, times, places and commitment
///
/// What the rules can't check, such as names and times, is vouched for by the server that signed the
/// replay. `curl http://ADDRESS:7415/` shows the fingerprint of a server.
///
/// Exit codes: 0 if everything holds, 1 if anything doesn't, those of all commands where a server can't be
/// asked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace verify final.grr
  gridrace verify *.grr --json
  gridrace verify final.grr --server 4f1d2c3b4a5968778695a4b3c2d1e0f0")]
pub struct VerifyArgs {
    /// Replays' files; heats by their ids in a server's data; or as ADDRESS/ID from a server that
    /// runs
    #[arg(value_name = "FILE|ID|ADDRESS/ID", required = true)]
    pub heats: Vec<String>,
    /// Require the signature of the server with this fingerprint
    #[arg(long, value_name = "FINGERPRINT", value_parser = parse_fingerprint)]
    pub server: Option<Fingerprint>,
    /// Print JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: DataDirArgs,
    /// The connection to a server.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Write the results of finished heats as CSV or JSON
///
/// Of several replays, those that can't be read are left out, and the exit code is 1. `--all` leaves out
/// heats that were kept without a replay.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace export *.grr > results.csv
  gridrace export --all --totals > season.csv
  gridrace export final.grr --json
  gridrace export KQZT-20261121-3f9c --to final.grr
  gridrace export race.example/KQZT-20261121-3f9c --to final.grr")]
pub struct ExportArgs {
    /// Replays' files; heats by their ids in a server's data; or as ADDRESS/ID from a server that
    /// runs
    #[arg(value_name = "FILE|ID|ADDRESS/ID", required_unless_present = "all")]
    pub heats: Vec<String>,
    /// Export every heat in a server's data folder
    #[arg(long)]
    pub all: bool,
    /// Write a line for each player and puzzle: heats, wins, finishes, best and mean time
    #[arg(long)]
    pub totals: bool,
    /// Write comma-separated values, a line for each player (the default)
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write JSON, a line for each heat; with --totals, for each player and puzzle
    #[arg(long)]
    pub json: bool,
    /// Copy the replay of one heat to this file, which must not exist
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "json", "all", "totals"])]
    pub to: Option<PathBuf>,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: DataDirArgs,
    /// The connection to a server.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Where a server keeps its heats.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DataDirArgs {
    /// The folder of the server's data, for ids [default: $GRIDRACE_DATA_DIR, or your
    /// programs' data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

pub(super) fn parse_fingerprint(text: &str) -> Result<Fingerprint, &'static str> {
    text.parse().map_err(|_| "a server's fingerprint has 32 hexadecimal digits")
}
