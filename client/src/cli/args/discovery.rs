//! The option that switches the announcement and the search on the local network off.

use super::headings::SHARED_OPTIONS;

/// Discovery of servers.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = SHARED_OPTIONS)]
pub struct DiscoveryArgs {
    /// Neither announce a hosted room on the local network by mDNS nor look for rooms there
    #[arg(long, env = "GRIDRACE_NO_MDNS", hide_short_help = true, value_parser = clap::builder::BoolishValueParser::new())]
    pub no_mdns: bool,
}
