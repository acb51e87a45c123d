//! `gridrace-server`: the server as a program.

mod args;
mod data_command;
mod log;

use anyhow::Context;
use args::{Args, MetricsAddress};
use gridrace_lan::interfaces;
use gridrace_lan::page_link::page_link;
use gridrace_lan::qr_code::QrCode;
use gridrace_server::explain_bind_error;
use gridrace_server::platform::environment::Environment;
use gridrace_server::platform::rlimit;
use gridrace_server::{
    ArrivalRate, ClientRate, OperatorKey, Server, ServerConfig, StandingRoom, Tls,
};
use gridrace_shared::protocol::DEFAULT_PORT;
use gridrace_tables::TableStore;
use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

const DEFAULT_METRICS_PORT: u16 = DEFAULT_PORT + 1;

/// Exit code after a second signal during shutdown, as shells report SIGINT.
const EXIT_INTERRUPTED: i32 = 130;

fn main() -> ExitCode {
    let args = Args::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let standing = args.standing().unwrap_or_else(|error| error.exit());
    match run(&args, standing) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(std::io::stderr(), "gridrace-server: {error:#}").ok(); // stderr may be closed
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args, standing: Vec<StandingRoom>) -> anyhow::Result<()> {
    log::start(args.log, &args.log_level)?;
    let Some(command) = &args.command else { return serve(args, standing) };
    let report = command.run(&Environment::default())?;
    writeln!(std::io::stdout(), "{report}").ok(); // stdout may be closed
    Ok(())
}

/// Runs the acceptor on this thread, and the rooms on the shard threads.
#[tokio::main(flavor = "current_thread")]
async fn serve(args: &Args, standing: Vec<StandingRoom>) -> anyhow::Result<()> {
    let mut end_signals = EndSignals::install().context("failed to install signal handlers")?;
    let ends: Vec<String> = standing.iter().map(end_of_command).collect();
    let config = configure(args, standing)?;
    rlimit::raise_open_files();
    let listener = bind(args.listen).await?;
    let is_tls = config.tls.is_some();
    let join_scheme = if is_tls { "wss://" } else { "" };
    let metrics = bind_metrics(args.metrics).await?;
    let server = Server::new(listener, config)?;
    if let Some(metrics) = metrics {
        info!(address = %metrics.local_addr()?, "serving metrics");
        server.serve_metrics(metrics);
    }
    log_operator_key(&server, join_scheme);
    let mut out = std::io::stdout();
    let qr_codes = !args.no_qr && out.is_terminal();
    // By an address a certificate for a name is refused.
    let host = args.hosts.first().filter(|_| is_tls);
    announce(&server, (&ends, host), is_tls, qr_codes, &mut out).ok(); // stdout may be closed
    let shutdown = async move {
        end_signals.next().await;
        tokio::spawn(async move {
            end_signals.next().await;
            // Acknowledged moves are on the disk already.
            std::process::exit(EXIT_INTERRUPTED);
        });
    };
    server.run(shutdown).await;
    Ok(())
}

fn configure(args: &Args, standing: Vec<StandingRoom>) -> anyhow::Result<ServerConfig> {
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Tls::load(certificate, key)?),
        (None, _) | (_, None) => None,
    };
    if let Some(folder) = &args.web_dir
        && !folder.join("index.html").is_file()
    {
        anyhow::bail!("--web-dir {}: there is no index.html", folder.display());
    }
    Ok(ServerConfig {
        environment: Environment::default(),
        standing,
        operators: args.operators(),
        origins: args.origins.clone(),
        hosts: args.hosts.clone(),
        tables: TableStore::new(args.cache()?),
        data: args.data()?,
        durability: args.durability,
        client_rate: ClientRate(args.client_rate),
        arrival_rate: ArrivalRate(args.arrival_rate),
        proxies: args.proxies.clone(),
        tls,
        shards: args.shards(),
        shared_addresses: args.shared_addresses,
        draws_ahead: true,
        mdns: !args.no_mdns,
        web_dir: args.web_dir.clone(),
    })
}

/// Binds the listener of players: at this address, or at the default port of all.
async fn bind(at: Option<SocketAddr>) -> anyhow::Result<TcpListener> {
    let bound = match at {
        Some(address) => gridrace_server::listen(address),
        None => gridrace_server::listen_everywhere(DEFAULT_PORT),
    };
    match bound {
        Ok(listener) => Ok(listener),
        Err(error) => {
            let everywhere = (Ipv6Addr::UNSPECIFIED, DEFAULT_PORT).into();
            anyhow::bail!(explain_bind_error(at.unwrap_or(everywhere), &error).await)
        }
    }
}

/// The signals that end the server.
struct EndSignals {
    interrupt: Signal,
    terminate: Signal,
    /// Of a terminal that is closed; none if the program was started with it ignored, as by `nohup`.
    hangup: Option<Signal>,
}

impl EndSignals {
    fn install() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: (!is_hangup_ignored()).then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Returns whether the program was started with SIGHUP ignored, where the system says so.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Signal n is bit n - 1.
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 != 0)
}

/// Binds the metrics listener; the default address may be in use, a given one must not be.
async fn bind_metrics(at: Option<MetricsAddress>) -> anyhow::Result<Option<TcpListener>> {
    match at {
        Some(MetricsAddress::Off) => Ok(None),
        Some(MetricsAddress::Address(address)) => {
            TcpListener::bind(address).await.map(Some).with_context(|| {
                format!("can't listen on {address} for metrics (--metrics off serves none)")
            })
        }
        None => {
            let default = (Ipv4Addr::LOCALHOST, DEFAULT_METRICS_PORT);
            let bound = TcpListener::bind(default).await;
            if let Err(error) = &bound {
                warn!(port = DEFAULT_METRICS_PORT, %error, "metrics disabled; choose an address with --metrics");
            }
            Ok(bound.ok())
        }
    }
}

/// Logs the operator's key in the data folder, and how to join with it.
fn log_operator_key(server: &Server, join_scheme: &str) {
    let Some(OperatorKey { path, fingerprint, is_new }) = server.operator_key() else {
        return;
    };
    let path = path.display();
    let addresses = interfaces::addresses(server.address());
    let address = addresses.first().copied().unwrap_or_else(|| server.address());
    let address = interfaces::shell_quoted(&format!("{join_scheme}{address}"));
    let command = format!("gridrace join {address} --identity {path}");
    let what = if *is_new { "operator key created" } else { "operator key" };
    info!(%fingerprint, %path, command, "{what}");
}

/// Returns what follows the address in the command that joins a room: that it has a PIN, which a service's
/// journal must not show, and the room's name.
fn end_of_command(room: &StandingRoom) -> String {
    let pin = room.pin.as_ref().map_or("", |_| " --pin PIN");
    let name = room.name.as_ref().map(|name| format!("    {name}")).unwrap_or_default();
    pin.to_owned() + &name
}

/// Prints for the server's host name, if it has one, and for each reachable address the link to its page,
/// the commands that join the standing rooms, and for the first of these, which others most likely reach,
/// the QR code of the link to the only standing room, or to the page: several don't fit a screen.
fn announce(
    server: &Server,
    (ends, host): (&[String], Option<&String>),
    is_tls: bool,
    qr_codes: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let join_scheme = if is_tls { "wss://" } else { "" };
    let mut addresses = interfaces::addresses(server.address());
    if addresses.is_empty() {
        addresses.push(server.address());
    }
    let only_room = match server.standing() {
        [code] => Some(*code),
        _ => None,
    };
    let host = host.map(|host| (format!("{host}:{}", server.address().port()), true));
    let addresses = addresses.into_iter().map(|it| (it.to_string(), !it.ip().is_loopback()));
    for (index, (authority, is_reached)) in host.into_iter().chain(addresses).enumerate() {
        writeln!(out, "listening on {authority}    {}", page_link(is_tls, &authority, None))?;
        for (code, end) in server.standing().iter().zip(ends) {
            let address = interfaces::shell_quoted(&format!("{join_scheme}{authority}"));
            writeln!(out, "  gridrace join {code} {address}{end}")?;
        }
        let link = page_link(is_tls, &authority, only_room);
        let qr_code = QrCode::of_link(&link).filter(|_| qr_codes && is_reached && index == 0);
        for line in qr_code.iter().flat_map(QrCode::terminal_lines) {
            writeln!(out, "  {line}")?;
        }
    }
    out.flush()
}
