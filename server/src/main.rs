//! `gridrace-server`: the server on its own.

mod args;
mod log;

use anyhow::Context;
use args::{Args, MetricsAt};
use clap::Parser;
use gridrace_server::platform::{interfaces, rlimit};
use gridrace_server::tables::{Cache, TableStore};
use gridrace_server::{Allowance, ArrivalRate, Server, ServerConfig, StandingRoom, Tls};
use gridrace_shared::protocol::DEFAULT_PORT;
use std::io::Write;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

/// Where metrics are to be had unless it is said otherwise, next to the usual port of heats.
const METRICS_PORT: u16 = DEFAULT_PORT + 1;

/// The exit code of a program that is asked to end while it does.
const HURRIED: i32 = 130;

fn main() -> ExitCode {
    let args = Args::parse();
    let standing = args.standing().unwrap_or_else(|fault| fault.exit());
    match serve(&args, standing) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gridrace-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the door here, and the heats on the shards' threads.
#[tokio::main(flavor = "current_thread")]
async fn serve(args: &Args, standing: Option<StandingRoom>) -> anyhow::Result<()> {
    log::start(args.log, &args.log_level)?;
    let mut interrupt = signal(SignalKind::interrupt()).context("can't wait for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("can't wait for SIGTERM")?;
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Tls::load(certificate, key)?),
        (None, _) | (_, None) => None,
    };
    rlimit::raise_open_files();
    let listener = gridrace_server::listen(args.listen)
        .with_context(|| format!("can't listen on {}", args.listen))?;
    let config = ServerConfig {
        standing: standing.into_iter().collect(),
        origins: args.origins.clone(),
        hosts: args.hosts.clone(),
        tables: TableStore::new(Cache::choose(args.cache_dir.as_deref())),
        data: args.data()?,
        allowance: Allowance::new(args.client_rate),
        arrivals: ArrivalRate::new(args.arrival_rate),
        proxies: args.proxies.clone(),
        tls,
        shards: args.shards(),
    };
    let (web, join) = if config.tls.is_some() { ("https://", "wss://") } else { ("http://", "") };
    let metrics = metrics(args.metrics).await?;
    let server = Server::new(listener, config)?;
    if let Some(metrics) = metrics {
        info!(address = %metrics.local_addr()?, "metrics");
        server.serve_metrics(metrics);
    }
    announce(&server, web, join, &mut std::io::stdout()).ok(); // whoever closed stdout doesn't want to know
    let asked = async move {
        next(&mut interrupt, &mut terminate).await;
        tokio::spawn(async move {
            next(&mut interrupt, &mut terminate).await;
            // Somebody is in a hurry. Whatever was acknowledged is on the disk.
            std::process::exit(HURRIED);
        });
    };
    server.run(asked).await;
    Ok(())
}

/// Waits for the next signal that asks the program to end.
async fn next(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Listens where metrics are to be had: where it was said, or else on this machine alone.
async fn metrics(at: Option<MetricsAt>) -> anyhow::Result<Option<TcpListener>> {
    match at {
        Some(MetricsAt::Off) => Ok(None),
        Some(MetricsAt::Address(address)) => TcpListener::bind(address)
            .await
            .map(Some)
            .with_context(|| format!("can't listen on {address} for metrics")),
        None => {
            let usual = (Ipv4Addr::LOCALHOST, METRICS_PORT);
            let bound = TcpListener::bind(usual).await;
            if let Err(error) = &bound {
                warn!(port = METRICS_PORT, %error, "no metrics: --metrics says where else");
            }
            Ok(bound.ok())
        }
    }
}

/// Says where the server is and how to join, for each address that others may reach.
fn announce(server: &Server, web: &str, join: &str, out: &mut impl Write) -> std::io::Result<()> {
    let mut addresses = interfaces::addresses(server.address());
    if addresses.is_empty() {
        addresses.push(server.address());
    }
    for address in addresses {
        writeln!(out, "listening on {address}    {web}{address}/")?;
        for code in server.standing() {
            writeln!(out, "  gridrace join {code} {join}{address}")?;
        }
    }
    out.flush()
}
