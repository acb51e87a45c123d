//! A room or a tournament on a server inside this program.

use crate::cli::args::host::HostArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;
use crate::commands::own_server::{EVERYWHERE, config, listen, place};
use crate::commands::{invitation, screen, tournament};
use crate::host::embedded_server::{self, RunningServer};
use crate::session::NewTournament;
use crate::tui::launch::Start;
use crate::tui::model::{FollowGoal, Intent};
use gridrace_lan::page_link::page_link;
use gridrace_server::{StandingRoom, explain_bind_error};
use gridrace_shared::protocol::client::Role;
use std::io::{self, Write};
use tokio::net::TcpListener;

/// Opens a room for the network, on the screen or without one.
pub async fn run(args: &HostArgs, file: &SettingsFile) -> Result<(), Failure> {
    let listener = match listen(args.listen) {
        Ok(listener) => listener,
        Err(error) => {
            let address = args.listen.unwrap_or(EVERYWHERE);
            return Err(Failure::other(explain_bind_error(address, &error).await));
        }
    };
    if args.headless || !screen::has_terminal() {
        return serve(args, listener).await;
    }
    // What is wrong on the command line is said before others can join.
    let tournament = tournament::host::new(args)?;
    let room = args.room().map_err(Failure::usage)?;
    let key = args.screen.connection.key()?;
    let hosted = embedded_server::serve(listener, config(args, Vec::new())?, key.as_ref())?;
    let (server, mut news) = (place(&hosted), going_on(&hosted));
    let intent = match (tournament, hosted.waiting) {
        (Some(new), _) => {
            if args.data.is_none() {
                news = tournament::host::NO_RECORD.to_owned();
            }
            match tournament::host::open(args, &hosted, &new).await {
                Ok(session) => session.close().await,
                Err(failure) => {
                    hosted.stop().await;
                    return Err(failure);
                }
            }
            Intent::Follow(FollowGoal { name: new.name, entry: None })
        }
        (None, Some(code)) => Intent::Join { code, role: Role::Player },
        (None, None) => Intent::Open(Box::new(room)),
    };
    let pin = args.pin.clone();
    let ended = screen::run(
        Start::Serve { server, hosts: true, intent, pin, ghost: None, news },
        &args.screen,
        file,
    )
    .await;
    signals::or_interrupted(hosted.stop()).await;
    ended
}

/// Serves without a screen: a heat stands until the program is asked to end.
async fn serve(args: &HostArgs, listener: TcpListener) -> Result<(), Failure> {
    if args.room_image.is_some() {
        return Err(Failure::usage("--room-image needs a screen: the host on it shows the image"));
    }
    let standing = StandingRoom {
        name: None,
        options: args.options(),
        seed: args.heat.seed.clone(),
        bots: args.bots.0.clone(),
        pin: args.pin.clone(),
    };
    if let Some(new) = tournament::host::new(args)? {
        return serve_tournament(args, listener, new).await;
    }
    let hosted = embedded_server::serve(listener, config(args, vec![standing])?, None)?;
    let announced = announce(args, &hosted);
    let ended = match announced {
        Ok(()) => signals::asked().await,
        Err(error) => error.into(),
    };
    signals::or_interrupted(hosted.stop()).await;
    Err(ended)
}

/// Serves a tournament without a screen, until the program is asked to end.
async fn serve_tournament(
    args: &HostArgs,
    listener: TcpListener,
    new: NewTournament,
) -> Result<(), Failure> {
    let hosted = embedded_server::serve(listener, config(args, Vec::new())?, None)?;
    let ended = match tournament::host::open(args, &hosted, &new).await {
        Ok(session) => {
            let announced = tournament::host::announce(args, &hosted, &session);
            let ended = match announced {
                Ok(()) => signals::asked().await,
                Err(error) => error.into(),
            };
            session.close().await;
            ended
        }
        Err(failure) => failure,
    };
    signals::or_interrupted(hosted.stop()).await;
    Err(ended)
}

/// Prints the code, and for each address how to join, the link, and on a terminal a QR code.
fn announce(args: &HostArgs, hosted: &RunningServer) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for code in &hosted.standing {
        writeln!(out, "room {code}: {}, open until Ctrl-C", args.heat.puzzle)?;
        invitation::print(&mut out, args, hosted, |address, authority| {
            (format!("gridrace join {code} {address}"), page_link(false, authority, Some(*code)))
        })?;
    }
    let news = going_on(hosted);
    if !news.is_empty() {
        writeln!(out, "{news}")?;
    }
    out.flush()
}

/// Says which heats of an earlier program go on; nothing where none does.
fn going_on(hosted: &RunningServer) -> String {
    let codes: Vec<String> = hosted.going_on.iter().map(ToString::to_string).collect();
    match &codes[..] {
        [] => String::new(),
        [code] => format!("room {code} goes on"),
        several => format!("rooms {} go on", several.join(", ")),
    }
}
