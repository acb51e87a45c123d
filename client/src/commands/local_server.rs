//! A server inside the program, as the options and variables of `gridrace host` say.

use crate::cli::args::host::Host;
use crate::cli::exit_code::Failure;
use crate::host::embedded_server::{self, Hosted};
use crate::tui::local_server::ServerPlace;
use anyhow::Context;
use gridrace_server::store::Data;
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_shared::protocol::DEFAULT_PORT;
use gridrace_tables::{Cache, TableStore};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

pub(super) const EVERYWHERE: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), DEFAULT_PORT);

/// Starts the server on which the home screen hosts: where the environment says that
/// `gridrace host` listens, and with its folder. Without an address there, any port will do.
pub(super) fn start_from_environment() -> Result<Hosted, Failure> {
    let args = Host::from_environment().map_err(Failure::usage)?;
    let listener = match args.listen {
        Some(address) => listen(address)?,
        None => listen(EVERYWHERE).or_else(|_| listen(SocketAddr::new(EVERYWHERE.ip(), 0)))?,
    };
    let key = args.screen.connection.key()?;
    Ok(embedded_server::serve(listener, config(&args, Vec::new())?, key.as_ref())?)
}

/// Returns what the screen needs to know of a server in this program.
pub(super) fn place(hosted: &Hosted) -> ServerPlace {
    ServerPlace {
        address: hosted.address.clone(),
        invitation: hosted.invitation.clone(),
        waiting: hosted.waiting,
    }
}

fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    gridrace_server::listen(address)
        .map_err(|error| Failure::other(format!("can't listen on {address}: {error}")))
}

pub(super) fn config(args: &Host, standing: Vec<StandingRoom>) -> Result<ServerConfig, Failure> {
    let data = match &args.data {
        Some(folder) => Data::choose(Some(folder)).context("no heats can be kept")?,
        None => Data::Ephemeral,
    };
    Ok(ServerConfig {
        standing,
        data,
        durability: args.durability,
        tables: TableStore::new(Cache::choose(None)),
        draws_ahead: true,
        ..ServerConfig::default()
    })
}
