//! `gridrace host --tournament`: a server inside this program, and a tournament on it.

use super::list::phase_name;
use super::{following, organise};
use crate::cli::args::host::HostArgs;
use crate::cli::exit_code::Failure;
use crate::commands::invitation;
use crate::host::embedded_server::RunningServer;
use crate::net::Tcp;
use crate::session::{NewTournament, SessionError, TournamentSession};
use gridrace_lan::interfaces::shell_quoted;
use gridrace_lan::page_link::tournament_link;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::short_text::ShortText;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentPhase, TournamentRequest,
};
use gridrace_shared::tournament::ids::{TOURNAMENT_NAME_CHARACTERS, TournamentName};
use gridrace_shared::tournament::plan::MAX_ENTRANTS;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_view::TournamentView;
use std::io::{self, Write};
use std::time::Duration;

/// What is said at the start where the server has no data folder. It fits a screen of 40 columns.
pub(in crate::commands) const NO_RECORD: &str = "No record is kept without --data DIR.";
/// The name of a tournament without a title.
const DEFAULT_NAME: &str = "evening";
/// How often it is tried to open a tournament while the one before it closes, and the time between.
const CLOSING_ATTEMPTS: usize = 25;
const CLOSING_TIME: Duration = Duration::from_millis(200);

/// Returns the tournament that the options describe, if they do.
pub(in crate::commands) fn new(args: &HostArgs) -> Result<Option<NewTournament>, Failure> {
    let Some(plan) = args.tournament.clone() else { return Ok(None) };
    let title = args.title.clone();
    let name = name_of(title.as_ref().map(ShortText::as_str).unwrap_or_default());
    let name = name.parse::<TournamentName>().map_err(Failure::usage)?;
    let options: HeatOptions = args.options();
    let settings = args.schedule.choose(TournamentSettings::new(options.spec));
    let settings = TournamentSettings { title, options, ..settings };
    settings.check().map_err(Failure::usage)?;
    Ok(Some(NewTournament { name, plan, settings, pin: args.pin.clone() }))
}

/// Opens the tournament, or goes on with the one that an earlier program opened by the same options. One
/// that is over makes way for it.
pub(in crate::commands) async fn open(
    args: &HostArgs,
    hosted: &RunningServer,
    new: &NewTournament,
) -> Result<TournamentSession, Failure> {
    let tcp = args.screen.connection.tcp()?;
    let key = (following::needed_key(&args.screen.connection)?, false);
    let address = hosted.address.as_str();
    let failed = |error| Failure::of_session(address, error);
    let mut refusal = TournamentError::NameTaken;
    for _ in 0..CLOSING_ATTEMPTS {
        match TournamentSession::open(&tcp, address, new.clone(), key.clone()).await {
            Err(SessionError::Tournament(TournamentError::NameTaken)) => {}
            // Its tables close.
            Err(SessionError::Tournament(TournamentError::Busy)) => {
                refusal = TournamentError::Busy;
                tokio::time::sleep(CLOSING_TIME).await;
                continue;
            }
            opened => return opened.map_err(failed),
        }
        let (name, pin) = (new.name.clone(), new.pin.clone());
        let earlier = TournamentSession::follow(&tcp, address, name, pin, Some(key.clone())).await;
        let mut earlier = match earlier {
            // It has closed meanwhile.
            Err(SessionError::Tournament(TournamentError::NoSuchTournament)) => continue,
            earlier => earlier.map_err(failed)?,
        };
        if earlier.view().head.phase == TournamentPhase::Over {
            let command = TournamentCommand::End { reason: None };
            earlier.request(TournamentRequest::Command { command, confirmed: true });
            // It may have closed by itself.
            organise::answer(&mut earlier).await.ok();
            earlier.close().await;
            tokio::time::sleep(CLOSING_TIME).await;
            continue;
        }
        if let Some(other) = difference(new, earlier.view()) {
            let (name, plan) = (&new.name, earlier.view().log.tournament().plan());
            return Err(Failure::other(format!(
                "tournament {name} is still open here with {other}: it is a {plan}. Give the options \
                 that it was opened with to go on with it and to end it, or choose another --title"
            )));
        }
        if !has_pin(&tcp, address, new).await {
            let name = &new.name;
            let asked = if new.pin.is_some() { "without this PIN" } else { "with a PIN" };
            return Err(Failure::other(format!(
                "tournament {name} is still open here {asked}: give the one that it was opened with, or \
                 choose another --title"
            )));
        }
        return Ok(earlier);
    }
    Err(failed(SessionError::Tournament(refusal)))
}

/// Returns what an open tournament has other than the new one, if anything.
fn difference(new: &NewTournament, view: &TournamentView) -> Option<&'static str> {
    let settings = TournamentSettings {
        max_entrants: match new.settings.max_entrants {
            // The server takes as many as the plan does.
            default if usize::from(default) == MAX_ENTRANTS => {
                u16::try_from(new.plan.largest_field()).unwrap_or(default)
            }
            chosen => chosen,
        },
        ..new.settings.clone()
    };
    if new.plan != *view.log.tournament().plan() {
        Some("another plan")
    } else if settings.options.spec != view.settings.options.spec {
        Some("another puzzle")
    } else if settings != view.settings {
        Some("other options")
    } else {
        None
    }
}

/// Returns whether a tournament that is followed without a key asks for the PIN of the new one, or for none.
async fn has_pin(tcp: &Tcp, address: &str, new: &NewTournament) -> bool {
    let follow = |pin| TournamentSession::follow(tcp, address, new.name.clone(), pin, None);
    let is_open = follow(None).await.is_ok();
    match &new.pin {
        None => is_open,
        Some(pin) => !is_open && follow(Some(pin.clone())).await.is_ok(),
    }
}

/// Prints how to enter a tournament, and how to begin it.
pub(in crate::commands) fn announce(
    args: &HostArgs,
    hosted: &RunningServer,
    session: &TournamentSession,
) -> io::Result<()> {
    let view = session.view();
    let (name, plan, phase) = (&view.name, view.log.tournament().plan(), view.head.phase);
    let mut out = io::stdout().lock();
    writeln!(out, "tournament {name}: {plan}, {}, until Ctrl-C", phase_name(phase))?;
    invitation::print(&mut out, args, hosted, |address, authority| {
        let command = format!("gridrace tournament enter {name} {address}");
        (command, tournament_link(false, authority, name))
    })?;
    let place = shell_quoted(&format!("{name}@{}", hosted.address));
    writeln!(out, "  gridrace tournament command {place} begin")?;
    if args.data.is_none() {
        writeln!(out, "{NO_RECORD}")?;
    }
    out.flush()
}

/// Makes a name of a title: its letters and digits, with - between words.
fn name_of(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    name.truncate(TOURNAMENT_NAME_CHARACTERS);
    let name = name.trim_end_matches('-');
    if name.is_empty() { DEFAULT_NAME.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_of_the_title() {
        for (title, name) in [
            ("", "evening"),
            ("Friday cup", "friday-cup"),
            ("  Café 2026!! ", "caf-2026"),
            ("東京", "evening"),
        ] {
            assert_eq!(name_of(title), name, "{title}");
        }
        let long = name_of(&"ab ".repeat(40));
        assert!(long.parse::<TournamentName>().is_ok(), "{long}");
    }
}
