//! Which servers to believe: an option of every command that connects to one.

use crate::cli::exit_code::Failure;
use crate::net::{Tcp, Trust};
use std::path::PathBuf;

/// Whom to trust where a server speaks TLS.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct TrustArgs {
    /// Trust the certificates in this PEM file as well, where the address is wss:// or https://
    #[arg(long, global = true, env = "GRIDRACE_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl TrustArgs {
    /// Returns the way to servers.
    pub fn tcp(&self) -> Result<Tcp, Failure> {
        let file = self.ca.as_ref().filter(|file| !file.as_os_str().is_empty());
        let trust = match file {
            Some(file) => Trust::with(file).map_err(Failure::usage)?,
            None => Trust::default(),
        };
        Ok(Tcp::trusting(trust))
    }
}
