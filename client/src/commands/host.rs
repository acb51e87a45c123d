//! `gridrace host`.

use crate::cli::args::Cli;
use crate::cli::args::host::Host;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::{identity_file, signals};
use crate::commands::screen;
use crate::host::embedded_server::{self, Hosted};
use crate::tui::launch::Start;
use crate::tui::local_server::{LocalServer, ServerPlace, StartServerError};
use anyhow::Context;
use futures_util::future::BoxFuture;
use gridrace_server::store::Data;
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_tables::{Cache, TableStore};
use std::io::{self, ErrorKind, Write};
use tokio::net::TcpListener;

/// Opens a heat for the network, on the screen or without one.
///
/// # Errors
/// [`Failure`] where the server can't be started, or the screen fails.
pub async fn run(args: &Host, cli: &Cli) -> Result<(), Failure> {
    let listener = gridrace_server::listen(args.listen).map_err(|error| {
        let in_use = error.kind() == ErrorKind::AddrInUse;
        let hint = if in_use { "; --listen 0.0.0.0:0 takes a free port" } else { "" };
        Failure::said(Exit::Failure, format!("can't listen on {}: {error}{hint}", args.listen))
    })?;
    if args.headless || !screen::has_terminal() {
        return serve(args, listener).await;
    }
    let key = identity_file::of_this_machine()
        .map_err(|why| Failure::said(Exit::Failure, why.to_string()))?;
    let hosted = embedded_server::serve(listener, config(args, Vec::new())?, key.as_ref())?;
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
    let ended = screen::run(start, cli).await;
    signals::or_interrupted(hosted.stop()).await;
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
    let hosted = embedded_server::serve(listener, config(args, vec![standing])?, None)?;
    let announced = announce(args, &hosted);
    let ended = match announced {
        Ok(()) => signals::asked().await,
        Err(error) => error.into(),
    };
    signals::or_interrupted(hosted.stop()).await;
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

/// Starts a server for the screen.
pub(crate) fn start_for_screen(
    lan: bool,
) -> BoxFuture<'static, Result<LocalServer, StartServerError>> {
    Box::pin(async move {
        let hosted = embedded_server::host(lan).await;
        let hosted = hosted.map_err(|error| StartServerError::Failed(error.to_string()))?;
        let embedded_server::Place { address, invitation } = hosted.place.clone();
        let place = ServerPlace { address, invitation };
        let stop = Box::pin(signals::or_interrupted(hosted.stop()));
        Ok(LocalServer { place, stop })
    })
}
