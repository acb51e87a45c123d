//! `gridrace tournament show`, and the public log as it is printed.

use super::documents::TournamentDocument;
use super::following;
use crate::cli::args::tournament::TournamentShowArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::write_json_line;
use crate::display::format;
use crate::display::safe_text;
use crate::display::tournament_text;
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament_view::TournamentView;
use serde::Serialize;
use std::io::{self, Write};

/// The most cells of a name, and of a line of the log.
const NAME: usize = 40;
const LINE: usize = 400;

pub(super) async fn run(args: &TournamentShowArgs, file: &SettingsFile) -> Result<(), Failure> {
    let place = args.place.read(&file.servers)?;
    let key = args.connection.existing_key()?;
    let mut session =
        following::follow(&args.connection, place, args.place.pin.clone(), key).await?;
    following::load(&mut session).await?;
    let view = session.view();
    let mut out = io::BufWriter::new(io::stdout().lock());
    match (args.log, args.json) {
        (true, is_json) => print_lines(&mut out, view, 0, is_json)?,
        (false, true) => write_json_line(&mut out, &TournamentDocument::of(view))?,
        (false, false) => print(&mut out, view)?,
    }
    out.flush()?;
    drop(out);
    session.close().await;
    Ok(())
}

/// A line of the log: its own JSON, and the words that say what it is about.
#[derive(Serialize)]
struct LineDocument<'a> {
    #[serde(flatten)]
    line: &'a LogLine,
    /// The number by which it is taken back, from 1, if it is an entry.
    number: Option<usize>,
    what: String,
    /// The author of the command, if the line is one.
    author: Option<String>,
}

/// Prints the lines of the log after the first `printed`, entries with the number by which they are
/// taken back.
pub(super) fn print_lines(
    out: &mut impl Write,
    view: &TournamentView,
    printed: usize,
    is_json: bool,
) -> io::Result<()> {
    let log = &view.log;
    let mut entries = 0;
    for (index, line) in log.lines().iter().enumerate() {
        let is_entry = line.entry().is_some();
        entries += usize::from(is_entry);
        if index < printed {
            continue;
        }
        let number = is_entry.then_some(entries);
        let what = safe_text::text(&tournament_text::log_line(log, line), LINE);
        let author = tournament_text::author(view, line);
        let author = author.map(|author| safe_text::text(&author, LINE));
        if is_json {
            write_json_line(out, &LineDocument { line, number, what, author })?;
            continue;
        }
        let by = author.map(|author| format!(" - by {author}")).unwrap_or_default();
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let at = format::minutes(line.at.since_epoch());
        writeln!(out, "{number:>4} {at:>7}  {what}{by}")?;
    }
    Ok(())
}

/// Prints the phase and the standings, or who has entered before there are some.
pub(super) fn print(out: &mut impl Write, view: &TournamentView) -> io::Result<()> {
    let log = &view.log;
    let plan = log.tournament().plan();
    let title = view.settings.title.as_ref().map(ToString::to_string).unwrap_or_default();
    let title = safe_text::text(&title, LINE);
    let phase = tournament_text::phase(plan, &view.head);
    let paused = if view.head.paused { ", paused" } else { "" };
    writeln!(out, "{}", format!("{} {title}", view.name).trim_end())?;
    let entrants = format::counted(view.head.counts.entrants.into(), "entrant", "entrants");
    writeln!(out, "{plan}; {phase}{paused}; {entrants}")?;
    for row in log.standings() {
        let name = safe_text::column(&log.name(row.entrant), NAME);
        let score = tournament_text::score_with_unit(row.score);
        writeln!(out, "{:>4}  {name}  {score}", row.place)?;
    }
    for team in log.tournament().team_standings().unwrap_or_default() {
        let score = tournament_text::score_with_unit(team.score);
        writeln!(out, "{:>4}  team {}  {score}", team.place, team.team)?;
    }
    if log.standings().is_empty() {
        let drawn = log.tournament().present();
        for profile in log.profiles() {
            let is_drawn = drawn.contains(&profile.entrant);
            let presence = log.presence(profile.entrant);
            let presence = presence.map_or("", |it| tournament_text::presence(it, is_drawn));
            let name = safe_text::column(profile.name.as_str(), NAME);
            writeln!(out, "      {name}  {presence}")?;
        }
    }
    Ok(())
}
