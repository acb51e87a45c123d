//! `gridrace results`.

use crate::net::address::Address;

/// Options of `gridrace results`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace results
  gridrace results 192.168.1.5
  gridrace results wss://race.example --json | jq -r .heat

A server that keeps its heats knows you again by your key, ~/.config/gridrace/key or what
GRIDRACE_KEY names, whatever your name was. The latest heats come first, 100 at most; their
days are those of Coordinated Universal Time.")]
pub struct Results {
    /// The server's address [default: this machine]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<Address>,
    /// Show how the bots did that you sent by `gridrace bot`
    #[arg(long)]
    pub bots: bool,
    /// Print JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
}
