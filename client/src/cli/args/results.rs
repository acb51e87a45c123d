//! `gridrace results`.

use super::connection::ConnectionArgs;

/// List your own results on a server
///
/// A server that keeps its heats knows you by your key (see gridrace config), whatever your name was.
/// The latest heats come first, 100 at most; their days are those of Coordinated Universal Time.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gridrace results
  gridrace results 192.168.1.5
  gridrace results wss://race.example --json | jq -r .heat")]
pub struct ResultsArgs {
    /// The server's address, or your name for it [default: this machine]
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// Show the results of the bots that you sent by gridrace bot
    #[arg(long)]
    pub bots: bool,
    /// Print JSON, a line for each heat
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}
