//! `gridrace replay`, `gridrace verify` and `gridrace export`: heats that are over.

/// Options of `gridrace replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace replay final.grr
  gridrace replay final.grr --json | jq 'select(.what == \"hint\")'

Keys: space pauses, left and right go 5 s, , and . to the event before and after, up and down
change the speed, tab shows one player, a all; ? shows them all.")]
pub struct Replay {
    /// A replay's file
    #[arg(value_name = "FILE")]
    pub heat: String,
    /// Print what happened as JSON, a line for each record
    #[arg(long)]
    pub json: bool,
}

/// Options of `gridrace verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace verify final.grr
  gridrace verify *.grr --json

Exit codes: 0 where everything holds, 1 where anything doesn't.")]
pub struct Verify {
    /// Replays' files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Print JSON, a line for each file
    #[arg(long)]
    pub json: bool,
}

/// Options of `gridrace export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace export *.grr > results.csv
  gridrace export final.grr --json")]
pub struct Export {
    /// Replays' files
    #[arg(value_name = "FILE", required = true)]
    pub heats: Vec<String>,
    /// Write comma-separated values, a line for each player; so it is unless --json is given
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
}
