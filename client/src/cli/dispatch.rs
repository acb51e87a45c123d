//! What each command does, up to the screen or the tool that does it.

use crate::cli::args::host::Host;
use crate::cli::args::place::Place;
use crate::cli::args::play::Play;
use crate::cli::args::replay::Replay;
use crate::cli::args::{Cli, Command};
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::{identity_file, signals};
use crate::commands::{demo, results};
use crate::host::embedded_server::{self, Hosted};
use crate::net::{self, Tcp};
use crate::tui::effect::Exit as ScreenExit;
use crate::tui::launch::Start;
use crate::tui::runtime;
use anyhow::Context;
use clap::Parser;
use gridrace_server::store::Data;
use gridrace_server::tables::{Cache, TableStore};
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::Role;
use std::io::{self, ErrorKind, IsTerminal, Write};
use tokio::net::TcpListener;

/// Does what the command line says.
///
/// # Errors
/// [`Failure`]: why it was ended before it was done.
pub fn run(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        Some(Command::Solve(args)) => crate::commands::solve::run(args),
        Some(Command::Tables(args)) => crate::commands::tables::run(args),
        Some(Command::New(args)) => crate::commands::new::run(args),
        Some(Command::Verify(args)) => crate::commands::verify::run(args),
        Some(Command::Export(args)) => crate::commands::export::run(args),
        Some(Command::Replay(args)) => replay(args, cli),
        Some(Command::Results(args)) => block_on(results::run(args, &cli.trust.tcp()?)),
        Some(Command::Bot(args)) => {
            block_on(crate::commands::bot::run(args, cli.display.name(), &cli.trust.tcp()?))
        }
        Some(Command::Demo(args)) => block_on(demo::run(args)),
        Some(Command::Play(args)) => block_on(play(args, cli)),
        Some(Command::Host(args)) => block_on(host(args, cli)),
        Some(Command::Join(args)) => {
            let role = if args.watch { Role::Spectator } else { Role::Player };
            block_on(join(&args.place.read()?, role, cli))
        }
        Some(Command::Watch(args)) => block_on(join(&args.place.read()?, Role::Spectator, cli)),
        None if has_terminal() => block_on(screen(Start::Home, cli)),
        // As if the demo had been asked for, with all its defaults.
        None => run(&Cli::parse_from(["gridrace", "demo"])),
    }
}

fn block_on(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("can't start")?;
    let outcome = runtime.block_on(command);
    // A deep look of a bot, or a read of the terminal, may still be on its way.
    runtime.shutdown_background();
    outcome
}

fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

fn require_terminal() -> Result<(), Failure> {
    if has_terminal() {
        return Ok(());
    }
    let why = "there is no terminal to play in; gridrace bot and gridrace demo need none";
    Err(Failure::said(Exit::Failure, why))
}

async fn screen(start: Start, cli: &Cli) -> Result<(), Failure> {
    require_terminal()?;
    let key = identity_file::of_this_machine()
        .map_err(|why| Failure::said(Exit::Failure, why.to_string()))?;
    let tcp = cli.trust.tcp()?;
    let ended = runtime::run(start, cli.display.settings(), key, tcp).await;
    match ended.context("the screen ended")? {
        ScreenExit::Quit => Ok(()),
        ScreenExit::Interrupted | ScreenExit::Terminated => {
            Err(Failure::said(Exit::Interrupted, "interrupted"))
        }
    }
}

/// Plays a heat again, or prints what happened where that is wanted or there is no terminal.
fn replay(args: &Replay, cli: &Cli) -> Result<(), Failure> {
    let Some(heat) = &args.heat else {
        return crate::commands::replay::list(&args.place, args.json);
    };
    let replay = args.place.replay(heat)?;
    if args.json || !has_terminal() {
        return crate::commands::replay::print(&replay, args.json);
    }
    block_on(screen(Start::Replay(Box::new(replay)), cli))
}

/// Opens a heat on a server inside the program, and starts it at once.
async fn play(args: &Play, cli: &Cli) -> Result<(), Failure> {
    require_terminal()?;
    let hosted =
        embedded_server::host(false).await.map_err(|why| Failure::said(Exit::Failure, why))?;
    let start = Start::Open {
        address: hosted.place.address.clone(),
        options: args.heat.options(),
        seed: args.heat.seed.clone(),
        pin: None,
        bots: args.bots.0.clone(),
        start: true,
        invitation: Vec::new(),
        news: String::new(),
    };
    let ended = screen(start, cli).await;
    hosted.stop().await;
    ended
}

/// Opens a heat for the network, on the screen or without one.
async fn host(args: &Host, cli: &Cli) -> Result<(), Failure> {
    let listener = gridrace_server::listen(args.listen).map_err(|error| {
        let in_use = error.kind() == ErrorKind::AddrInUse;
        let hint = if in_use { "; --listen 0.0.0.0:0 takes a free port" } else { "" };
        Failure::said(Exit::Failure, format!("can't listen on {}: {error}{hint}", args.listen))
    })?;
    if args.headless || !has_terminal() {
        return serve(args, listener).await;
    }
    let key = identity_file::of_this_machine()
        .map_err(|why| Failure::said(Exit::Failure, why.to_string()))?;
    let hosted = started(listener, config(args, Vec::new())?, key.as_ref())?;
    let (address, invitation) = (hosted.place.address.clone(), hosted.place.invitation.clone());
    let (pin, news) = (args.pin.clone(), going_on(&hosted));
    let start = match hosted.waiting {
        Some(code) => Start::Return { address, code, pin, invitation, news },
        None => Start::Open {
            address,
            options: args.options(),
            seed: args.heat.seed.clone(),
            pin,
            bots: args.bots.0.clone(),
            start: false,
            invitation,
            news,
        },
    };
    let ended = screen(start, cli).await;
    hosted.stop().await;
    ended
}

/// Serves without a screen: a heat stands until the program is asked to end.
async fn serve(args: &Host, listener: TcpListener) -> Result<(), Failure> {
    let standing = StandingRoom {
        options: args.options(),
        seed: args.heat.seed.clone(),
        bots: args.bots.0.clone(),
        pin: args.pin.clone(),
    };
    let hosted = started(listener, config(args, vec![standing])?, None)?;
    let announced = announce(args, &hosted);
    let ended = match announced {
        Ok(()) => signals::asked().await,
        Err(error) => error.into(),
    };
    hosted.stop().await;
    Err(ended)
}

fn config(args: &Host, standing: Vec<StandingRoom>) -> Result<ServerConfig, Failure> {
    let data = match &args.data {
        Some(folder) => Data::choose(Some(folder)).context("no heats can be kept")?,
        None => Data::Ephemeral,
    };
    Ok(ServerConfig {
        standing,
        data,
        tables: TableStore::new(Cache::choose(None)),
        ..ServerConfig::default()
    })
}

fn started(
    listener: TcpListener,
    config: ServerConfig,
    key: Option<&Key>,
) -> Result<Hosted, Failure> {
    embedded_server::serve(listener, config, key).map_err(|why| Failure::said(Exit::Failure, why))
}

/// Prints the code, every address, and how to join.
fn announce(args: &Host, hosted: &Hosted) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let here = std::slice::from_ref(&hosted.place.address);
    let addresses = match &hosted.place.invitation[..] {
        [] => here,
        outward => outward,
    };
    for code in &hosted.standing {
        writeln!(out, "heat {code}: {}, open until Ctrl-C", args.heat.puzzle)?;
        for address in addresses {
            writeln!(out, "  gridrace join {code} {address}")?;
        }
    }
    let news = going_on(hosted);
    if !news.is_empty() {
        writeln!(out, "{news}")?;
    }
    out.flush()
}

/// Says which heats of an earlier program go on; nothing where none does.
fn going_on(hosted: &Hosted) -> String {
    let mut codes = hosted.going_on.iter().map(ToString::to_string);
    match (codes.next(), codes.next()) {
        (None, _) => String::new(),
        (Some(code), None) => format!("heat {code} goes on"),
        (Some(first), Some(second)) => {
            let rest: String = codes.map(|code| format!(", {code}")).collect();
            format!("heats {first}, {second}{rest} go on")
        }
    }
}

/// Joins a heat, as a player or to watch. Whether there is a server is found out before
/// the screen opens, so that the exit code can tell.
async fn join(place: &Place, role: Role, cli: &Cli) -> Result<(), Failure> {
    let address = place.address();
    let tcp: Tcp = cli.trust.tcp()?;
    net::connect_aloud(&tcp, &address).await?.close().await;
    screen(Start::Join { address, code: place.code, role, pin: place.pin.clone() }, cli).await
}
