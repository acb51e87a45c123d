//! The server inside this program, as the command line and the environment set it.

use crate::cli::args::host::HostArgs;
use crate::cli::exit_code::Failure;
use crate::host::embedded_server::{self, RunningServer};
use crate::tui::own_server::{ServerPlace, ServerUsage, UsageQuery};
use anyhow::Context;
use gridrace_server::store::Data;
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_shared::protocol::DEFAULT_PORT;
use gridrace_tables::{Cache, TableStore};
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use tokio::net::TcpListener;

/// Where a server listens by default: for the whole network.
pub(super) const EVERYWHERE: SocketAddr =
    SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), DEFAULT_PORT);

/// Starts the server on which the home screen hosts: where the environment says that
/// `gridrace host` listens, and with its folder. Without an address there, any port will do.
pub(super) fn start_from_environment() -> Result<RunningServer, Failure> {
    let args = HostArgs::from_environment().map_err(Failure::usage)?;
    let listener = match (listen(args.listen), args.listen) {
        (Err(_), None) => gridrace_server::listen_everywhere(0),
        (listening, _) => listening,
    };
    let address = args.listen.unwrap_or(EVERYWHERE);
    let listener =
        listener.map_err(|error| Failure::other(format!("can't listen on {address}: {error}")))?;
    let key = args.screen.connection.key()?;
    Ok(embedded_server::serve(listener, config(&args, Vec::new())?, key.as_ref())?)
}

/// Returns what the screen needs to know of a server in this program.
pub(super) fn place(hosted: &RunningServer) -> ServerPlace {
    let query = hosted.usage.clone();
    let usage = move || ServerUsage {
        people: query.people(),
        tournaments: query.open_tournaments().iter().map(ToString::to_string).collect(),
        is_kept: query.is_kept(),
    };
    ServerPlace {
        address: hosted.address.clone(),
        invitation: hosted.invitation.clone(),
        waiting: hosted.waiting,
        usage: UsageQuery::new(usage),
    }
}

pub(super) fn listen(address: Option<SocketAddr>) -> io::Result<TcpListener> {
    match address {
        Some(address) => gridrace_server::listen(address),
        None => gridrace_server::listen_everywhere(DEFAULT_PORT),
    }
}

pub(super) fn config(
    args: &HostArgs,
    standing: Vec<StandingRoom>,
) -> Result<ServerConfig, Failure> {
    let data = match &args.data {
        Some(folder) => Data::choose(Some(folder)).context("no rooms can be kept")?,
        None => Data::Ephemeral,
    };
    Ok(ServerConfig {
        standing,
        data,
        durability: args.durability,
        tables: TableStore::new(Cache::choose(None)),
        draws_ahead: true,
        mdns: !args.screen.discovery.no_mdns,
        ..ServerConfig::default()
    })
}
