//! `gridrace host --tournament`: a server inside this program, and a tournament on it.

use super::following;
use super::list::phase_name;
use crate::cli::args::host::Host;
use crate::cli::exit_code::Failure;
use crate::host::embedded_server::RunningServer;
use crate::session::{NewTournament, SessionError, TournamentSession};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::short_text::ShortText;
use gridrace_shared::protocol::tournament::TournamentError;
use gridrace_shared::tournament::ids::{TOURNAMENT_NAME_CHARACTERS, TournamentName};
use gridrace_shared::tournament::settings::TournamentSettings;
use std::io::{self, Write};

/// What is said at the start where the server has no data folder. It fits a screen of 40 columns.
pub(in crate::commands) const NO_RECORD: &str = "No record is kept without --data DIR.";
/// The name of a tournament without a title.
const DEFAULT_NAME: &str = "evening";

/// Returns the tournament that the options describe, if they do.
pub(in crate::commands) fn new(args: &Host) -> Result<Option<NewTournament>, Failure> {
    let Some(plan) = args.tournament.clone() else { return Ok(None) };
    let title = args.title.clone();
    let name = name_of(title.as_ref().map(ShortText::as_str).unwrap_or_default());
    let name = name.parse::<TournamentName>().map_err(Failure::usage)?;
    let options: HeatOptions = args.options();
    let settings = TournamentSettings { title, ..TournamentSettings::new(options.spec) };
    let settings = TournamentSettings { options, ..settings };
    settings.check().map_err(Failure::usage)?;
    Ok(Some(NewTournament { name, plan, settings, pin: args.pin.clone() }))
}

/// Opens the tournament without a screen, or goes on with the one that the server has, and prints how
/// to enter.
pub(in crate::commands) async fn open(
    args: &Host,
    hosted: &RunningServer,
    new: NewTournament,
) -> Result<TournamentSession, Failure> {
    let tcp = args.screen.connection.tcp()?;
    let key = following::needed_key(&args.screen.connection)?;
    let address = hosted.address.as_str();
    let (name, pin) = (new.name.clone(), new.pin.clone());
    let opened = TournamentSession::open(&tcp, address, new, (key.clone(), false)).await;
    let session = match opened {
        Err(SessionError::Tournament(TournamentError::NameTaken)) => {
            let (name, pin) = (name.clone(), pin.clone());
            TournamentSession::follow(&tcp, address, name, pin, Some((key, false))).await
        }
        opened => opened,
    };
    let session = session.map_err(|error| Failure::of_session(address, error))?;
    let here = std::slice::from_ref(&hosted.address);
    let addresses = if hosted.invitation.is_empty() { here } else { &hosted.invitation };
    let pin = pin.map(|pin| format!(" --pin {}", String::from(pin))).unwrap_or_default();
    let mut out = io::stdout().lock();
    let (plan, phase) = (session.view().log.tournament().plan(), session.view().head.phase);
    writeln!(out, "tournament {name}: {plan}, {}, until Ctrl-C", phase_name(phase))?;
    for address in addresses {
        writeln!(out, "  gridrace tournament enter {name} {address}{pin}")?;
    }
    writeln!(out, "  gridrace tournament command {name}@{address} begin")?;
    if args.data.is_none() {
        writeln!(out, "{NO_RECORD}")?;
    }
    out.flush()?;
    drop(out);
    Ok(session)
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
