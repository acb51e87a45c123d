//! `gridrace host`.

use crate::cli::args::host::Host;
use crate::cli::exit_code::Failure;
use crate::cli::signals;
use crate::commands::screen;
use crate::host::embedded_server::{self, Hosted};
use crate::tui::launch::Start;
use crate::tui::model::Intent;
use anyhow::Context;
use gridrace_server::store::Data;
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_shared::protocol::client::Role;
use gridrace_tables::{Cache, TableStore};
use std::io::{self, ErrorKind, Write};
use tokio::net::TcpListener;

/// Opens a heat for the network, on the screen or without one.
pub async fn run(args: &Host) -> Result<(), Failure> {
    let listener = gridrace_server::listen(args.listen).map_err(|error| {
        let in_use = error.kind() == ErrorKind::AddrInUse;
        let hint = if in_use { "; --listen 0.0.0.0:0 takes a free port" } else { "" };
        Failure::other(format!("can't listen on {}: {error}{hint}", args.listen))
    })?;
    if args.headless || !screen::has_terminal() {
        return serve(args, listener).await;
    }
    let key = args.screen.connection.key()?;
    let hosted = embedded_server::serve(listener, config(args, Vec::new())?, key.as_ref())?;
    let (address, invitation) = (hosted.address.clone(), hosted.invitation.clone());
    let (pin, news) = (args.pin.clone(), going_on(&hosted));
    let intent = match hosted.waiting {
        Some(code) => Intent::Join { code, role: Role::Player },
        None => Intent::Open {
            options: args.options(),
            seed: args.heat.seed.clone(),
            bots: args.bots.0.clone(),
            start: false,
        },
    };
    let start = Start::Serve { address, intent, pin, invitation, news };
    let ended = screen::run(start, &args.screen).await;
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
        durability: args.durability,
        tables: TableStore::new(Cache::choose(None)),
        draws_ahead: true,
        ..ServerConfig::default()
    })
}

/// Prints the code, every address, and how to join.
fn announce(args: &Host, hosted: &Hosted) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let here = std::slice::from_ref(&hosted.address);
    let addresses = match &hosted.invitation[..] {
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
    let codes: Vec<String> = hosted.going_on.iter().map(ToString::to_string).collect();
    match &codes[..] {
        [] => String::new(),
        [code] => format!("heat {code} goes on"),
        several => format!("heats {} go on", several.join(", ")),
    }
}
