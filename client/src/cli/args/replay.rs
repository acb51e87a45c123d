//! `gridrace replay`, `gridrace verify` and `gridrace export`: heats that are over.

use gridrace_shared::heat::identity::Fingerprint;
use std::path::PathBuf;

/// Options of `gridrace replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace replay final.grr
  gridrace replay --list
  gridrace replay KQZT-20261121-3f9c
  gridrace replay final.grr --json | jq 'select(.what == \"hint\")'

Keys: space pauses, left and right go 5 s, , and . to the event before and after, up and down
change the speed, tab shows one player, a all; ? shows them all.")]
pub struct Replay {
    /// A replay's file, or a heat by its id in a server's data
    #[arg(value_name = "FILE|ID", required_unless_present = "list")]
    pub heat: Option<String>,
    /// List the latest heats in a server's data
    #[arg(long, conflicts_with = "heat")]
    pub list: bool,
    /// Print what happened as JSON, a line for each record; with --list one for each heat
    #[arg(long)]
    pub json: bool,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: KeptAt,
}

/// Options of `gridrace verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace verify final.grr
  gridrace verify *.grr --json
  gridrace verify final.grr --server 4f1d2c3b4a5968778695a4b3c2d1e0f0

What the rules can't check, such as names and times, is vouched for by the server that signed the
replay. A server shows its fingerprint at its address in a browser.

Exit codes: 0 where everything holds, 1 where anything doesn't.")]
pub struct Verify {
    /// Replays' files, or heats by their ids in a server's data
    #[arg(value_name = "FILE|ID", required = true)]
    pub heats: Vec<String>,
    /// Require the signature of the server with this fingerprint
    #[arg(long, value_name = "FINGERPRINT", value_parser = parse_fingerprint)]
    pub server: Option<Fingerprint>,
    /// Print JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: KeptAt,
}

/// Options of `gridrace export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace export *.grr > results.csv
  gridrace export final.grr --json
  gridrace export KQZT-20261121-3f9c --to final.grr")]
pub struct Export {
    /// Replays' files, or heats by their ids in a server's data
    #[arg(value_name = "FILE|ID", required = true)]
    pub heats: Vec<String>,
    /// Write comma-separated values, a line for each player; so it is unless --json is given
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
    /// Write the replay of one heat to this file, which mustn't be there yet
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "json"])]
    pub to: Option<PathBuf>,
    /// Where the server keeps its heats.
    #[command(flatten)]
    pub place: KeptAt,
}

/// Where a server keeps its heats.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct KeptAt {
    /// The folder of the server's data, for ids [default: $GRIDRACE_DATA_DIR, or your
    /// programs' data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

fn parse_fingerprint(text: &str) -> Result<Fingerprint, &'static str> {
    text.parse().map_err(|_| "a server's fingerprint has 32 hexadecimal digits")
}
