//! `gridrace tournament new` and `gridrace tournament command`.

use super::following;
use crate::cli::args::tournament::{
    PlanArgs, TournamentCommandArgs, TournamentNewArgs, read_place,
};
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::settings_file::SettingsFile;
use crate::commands::write_json_line;
use crate::display::format::counted;
use crate::display::safe_text;
use crate::display::tournament_text;
use crate::session::{NewTournament, SessionError, TournamentEvent, TournamentSession};
use anyhow::Context;
use gridrace_lan::interfaces::shell_quoted;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::tournament::{
    CommandQuestion, TournamentCommand, TournamentRequest,
};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_view::{TournamentChange, parse_command};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// How many may enter a tournament whose plan is chosen for a field that isn't known yet: as many as a
/// series is the default for.
const DEFAULT_FIELD: usize = 32;
/// The most cells of a line of a plan's file in an error.
const PLAN_LINE: usize = 60;
/// The longest file of a plan.
const MAX_PLAN_BYTES: u64 = 64 * 1024;

#[derive(Serialize)]
struct OpenedDocument {
    name: String,
    address: String,
    plan: String,
    commitment: String,
    enter: String,
}

#[derive(Serialize)]
struct CommandDocument<'a> {
    command: &'a str,
    done: bool,
    discards: u32,
    unraced: u32,
    first: Vec<String>,
}

/// Opens a tournament and prints how others enter.
pub(super) async fn open(args: &TournamentNewArgs, file: &SettingsFile) -> Result<(), Failure> {
    let (name, address) = read_place(&args.tournament, None, &file.servers)?;
    let new = new_tournament(&args.plan, name, args.pin.clone())?;
    let pin =
        args.pin.clone().map(|pin| format!(" --pin {}", String::from(pin))).unwrap_or_default();
    let key = (following::needed_key(&args.connection)?, false);
    let tcp = args.connection.tcp()?;
    let session = TournamentSession::open(&tcp, &address, new, key).await;
    let session = session.map_err(|error| Failure::of_session(&address, error))?;
    let view = session.view();
    let quoted = shell_quoted(&address);
    let enter = format!("gridrace tournament enter {} {quoted}{pin}", view.name);
    let plan = view.log.tournament().plan().to_string();
    let mut out = io::stdout().lock();
    if args.json {
        let document = OpenedDocument {
            name: view.name.to_string(),
            address,
            plan,
            commitment: view.commitment.to_string(),
            enter,
        };
        write_json_line(&mut out, &document)?;
    } else {
        writeln!(out, "tournament {}: {plan}, open for entries", view.name)?;
        writeln!(out, "  {enter}")?;
        writeln!(out, "  gridrace tournament watch {} {quoted}    # your commands", view.name)?;
        writeln!(out, "commitment {}", view.commitment)?;
    }
    drop(out);
    session.close().await;
    Ok(())
}

/// Returns the tournament that the options describe.
pub fn new_tournament(
    args: &PlanArgs,
    name: TournamentName,
    pin: Option<Pin>,
) -> Result<NewTournament, Failure> {
    let defaults = TournamentSettings::new(args.puzzle);
    let options = HeatOptions {
        private: args.private || pin.is_some(),
        bots_allowed: !args.no_bots,
        time_limit_seconds: args.time_limit.unwrap_or(defaults.options.time_limit_seconds),
        ..defaults.options.clone()
    };
    let settings =
        TournamentSettings { title: args.title.clone(), options, ..args.schedule.choose(defaults) };
    settings.check().map_err(Failure::usage)?;
    Ok(NewTournament { name, plan: read_plan(args)?, settings, pin })
}

fn read_plan(args: &PlanArgs) -> Result<TournamentPlan, Failure> {
    if let Some(plan) = &args.plan {
        return Ok(plan.clone());
    }
    let Some(file) = &args.file else {
        let field = args.schedule.max_entrants.map_or(DEFAULT_FIELD, usize::from);
        return Ok(TournamentPlan::for_field(field));
    };
    let text = read_text(file).with_context(|| file.display().to_string())?;
    toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}{}", file.display(), explain(&error, &text))))
}

/// Says where a plan's file has an error and which, as a continuation of its name.
fn explain(error: &toml::de::Error, text: &str) -> String {
    // An error of the whole plan names its stage.
    let span = error.span().filter(|span| *span != (0..text.len()));
    let before = span.and_then(|span| text.get(..span.start));
    let line = before.map(|before| before.matches('\n').count());
    let place = line.map_or_else(String::new, |line| {
        let written = text.lines().nth(line).unwrap_or_default().trim();
        format!(", line {}, {}", line + 1, safe_text::text(written, PLAN_LINE))
    });
    let what = error.message();
    let what = if what.contains("struct variant") || what.contains("unit variant") {
        "knockout and double are written format = \"knockout\", the others with braces: \
         format = { series = {} }, format = { heats = { table = 32, top = 8 } }"
            .to_owned()
    } else {
        what.replace("expected u8", "expected a number up to 255")
            .replace("expected u16", "expected a number up to 65535")
    };
    format!("{place}: {what}\ndocs/tournaments.md#plans shows such a file")
}

/// Reads a plan's file, which is short.
fn read_text(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(file)?.take(MAX_PLAN_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_PLAN_BYTES {
        return Err(io::Error::other(format!("a plan has at most {MAX_PLAN_BYTES} bytes")));
    }
    Ok(text)
}

/// Gives a command, and waits for its answer.
pub(super) async fn command(
    args: &TournamentCommandArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    let (name, address, words) = args.read(&file.servers)?;
    let key = following::needed_key(&args.connection)?;
    let mut session = following::follow(&args.connection, (name, address), None, Some(key)).await?;
    // Names and rounds are those of the log.
    following::load(&mut session).await?;
    let text = words.join(" ");
    let command = parse_command(session.view(), &text).map_err(Failure::usage)?;
    let is_end = matches!(command, TournamentCommand::End { .. });
    session.request(TournamentRequest::Command { command, confirmed: args.yes });
    let asked = answer(&mut session).await?;
    session.close().await;
    let done = asked.is_none();
    let (discards, unraced, first) =
        asked.map(|asked| (asked.discards, asked.unraced, asked.first)).unwrap_or_default();
    let first: Vec<String> = first.iter().map(ToString::to_string).collect();
    let lost = if is_end {
        format!("{}; {text} leaves the standings as they are", tournament_text::unraced(unraced))
    } else {
        format!(
            "{text} throws away {}",
            counted(usize::try_from(discards).unwrap_or(usize::MAX), "result", "results")
        )
    };
    let mut out = io::stdout().lock();
    if args.json {
        let document = CommandDocument { command: &text, done, discards, unraced, first };
        write_json_line(&mut out, &document)?;
    } else if done {
        writeln!(out, "done: {text}")?;
    } else {
        writeln!(out, "{lost}")?;
        for key in &first {
            writeln!(out, "  {key}")?;
        }
    }
    if done {
        return Ok(());
    }
    let why = anyhow::anyhow!("nothing is done: give --yes to do it all the same");
    Err(Failure::new(Exit::Refused, why))
}

/// Waits for what becomes of the command: none if it is carried out.
pub(super) async fn answer(
    session: &mut TournamentSession,
) -> Result<Option<CommandQuestion>, SessionError> {
    loop {
        match session.next().await? {
            TournamentEvent::View(TournamentChange::Done) => return Ok(None),
            TournamentEvent::View(TournamentChange::Refused(why)) => {
                return Err(SessionError::Tournament(why));
            }
            TournamentEvent::View(TournamentChange::NeedsConfirmation(asked)) => {
                return Ok(Some(asked));
            }
            TournamentEvent::View(_)
            | TournamentEvent::Resumed
            | TournamentEvent::Joined
            | TournamentEvent::Refused(_) => {}
        }
    }
}
