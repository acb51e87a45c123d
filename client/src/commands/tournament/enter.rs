//! `gridrace tournament enter` and `gridrace tournament watch`: the screen, or what a script needs.

use super::following;
use super::show::print_lines;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::args::tournament::{TournamentEnterArgs, TournamentPlaceArgs, TournamentWatchArgs};
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::{find_server, screen, write_json_line};
use crate::net;
use crate::net::address::ServerNames;
use crate::session::{SessionError, TournamentEvent, TournamentSession};
use crate::tui::launch::Start;
use crate::tui::model::{FollowGoal, Intent};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::tournament::{TournamentPhase, TournamentRequest};
use gridrace_shared::tournament::ids::{EntrantId, TournamentName};
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament_record::{EntrantCard, entrant_cards};
use gridrace_shared::tournament_view::TournamentChange;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct EnteredDocument {
    tournament: String,
    entrant: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<String>,
    presence: Option<Presence>,
}

pub(super) async fn enter(args: &TournamentEnterArgs, file: &SettingsFile) -> Result<(), Failure> {
    // A tournament knows its entrants by their keys.
    let key = following::needed_key(&args.screen.connection)?;
    let (name, address) = find(&args.place, &args.screen, &file.servers).await?;
    if screen::has_terminal() && !args.json {
        let goal = FollowGoal { name, entry: Some(args.team.clone()) };
        return show(address, goal, args.place.pin.clone(), &args.screen, file).await;
    }
    let place = (name, address.clone());
    let mut session =
        following::follow(&args.screen.connection, place, args.place.pin.clone(), Some(key))
            .await?;
    let name = args.screen.settings(file).name;
    enter_plainly(&mut session, args, &name)
        .await
        .map_err(|error| Failure::of_session(&address, error))?;
    let Some(entrant) = session.view().you.entrant else {
        return Err(Failure::other(format!("{address}: the entry was not taken")));
    };
    let card = card_of(&mut session, entrant).await?;
    let view = session.view();
    let document = EnteredDocument {
        tournament: view.name.to_string(),
        entrant: entrant.0,
        name: card.name.to_string(),
        team: card.team.as_ref().map(ToString::to_string),
        presence: view.you.presence,
    };
    let mut out = io::stdout().lock();
    if args.json {
        write_json_line(&mut out, &document)?;
    } else {
        writeln!(out, "{} has entered {}", document.name, document.tournament)?;
    }
    drop(out);
    session.close().await;
    Ok(())
}

/// Returns the name, and the address that was given or found.
async fn find(
    place: &TournamentPlaceArgs,
    screen: &ScreenArgs,
    servers: &ServerNames,
) -> Result<(TournamentName, String), Failure> {
    let (name, address) = place.read_given(servers)?;
    let address = match address {
        Some(address) => address,
        None => {
            let tcp = screen.connection.tcp()?;
            find_server::find_tournament(&name, &tcp, !screen.discovery.no_mdns).await?
        }
    };
    Ok((name, address))
}

/// Returns an entrant's profile from the log, which has the entry soon: the key may have entered
/// before, under another name.
async fn card_of(
    session: &mut TournamentSession,
    entrant: EntrantId,
) -> Result<EntrantCard, SessionError> {
    session.load_pages();
    loop {
        if let Some(card) = entrant_cards(session.view().log.lines()).remove(&entrant) {
            return Ok(card);
        }
        session.next().await?;
    }
}

/// Enters, and checks in where that is asked for.
async fn enter_plainly(
    session: &mut TournamentSession,
    args: &TournamentEnterArgs,
    name: &str,
) -> Result<(), SessionError> {
    if session.view().you.entrant.is_none() {
        let (name, team) = (name.to_owned(), args.team.clone());
        session.request(TournamentRequest::Enter { name, bot: false, team });
        answered(session).await?;
    }
    let view = session.view();
    let is_asked = !matches!(view.head.phase, TournamentPhase::Entries | TournamentPhase::Over);
    let is_away = matches!(view.you.presence, Some(Presence::Entered | Presence::Withdrawn));
    if is_asked && is_away {
        session.request(TournamentRequest::CheckIn);
        answered(session).await?;
    }
    Ok(())
}

/// Waits until a request is granted, and what the client is in the tournament is known.
async fn answered(session: &mut TournamentSession) -> Result<(), SessionError> {
    loop {
        match session.next().await? {
            TournamentEvent::View(TournamentChange::Refused(why)) => {
                return Err(SessionError::Tournament(why));
            }
            TournamentEvent::View(TournamentChange::You) => return Ok(()),
            TournamentEvent::View(_)
            | TournamentEvent::Resumed
            | TournamentEvent::Joined
            | TournamentEvent::Refused(_) => {}
        }
    }
}

pub(super) async fn watch(args: &TournamentWatchArgs, file: &SettingsFile) -> Result<(), Failure> {
    let (name, address) = find(&args.place, &args.screen, &file.servers).await?;
    if screen::has_terminal() && !args.json {
        let goal = FollowGoal { name, entry: None };
        return show(address, goal, args.place.pin.clone(), &args.screen, file).await;
    }
    let key = args.screen.connection.existing_key()?;
    let place = (name, address);
    let mut session =
        following::follow(&args.screen.connection, place, args.place.pin.clone(), key).await?;
    session.load_pages();
    let mut printed = 0;
    loop {
        let view = session.view();
        let mut out = io::stdout().lock();
        print_lines(&mut out, view, printed, args.json)?;
        out.flush()?;
        drop(out);
        printed = view.log.lines().len();
        if view.head.phase == TournamentPhase::Over && view.is_loaded() {
            session.close().await;
            return Ok(());
        }
        session.next().await?;
    }
}

/// Opens the screen. Connects before, so that the exit code can tell whether there is a server.
async fn show(
    address: String,
    goal: FollowGoal,
    pin: Option<Pin>,
    args: &ScreenArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    let connection = net::connect_aloud(&args.connection.tcp()?, &address).await;
    let connection = connection.map_err(|error| Failure::at(&address, error))?;
    let start = Start::Tournament { address, intent: Intent::Follow(goal), pin };
    screen::run_on(start, Some(connection), args, file).await
}
