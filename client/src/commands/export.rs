//! `gridrace export`: results of heats, for spreadsheets and for programs.

use crate::cli::args::replay::ExportArgs;
use crate::cli::exit_code::Failure;
use crate::cli::report::ReportRow;
use crate::commands::replay::{NotADataFolder, ReplaySource, decode, report_unread};
use crate::commands::{write_json_line, write_new};
use crate::display::format::rfc3339;
use crate::net::address::ServerNames;
use csv::{Terminator, WriterBuilder};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::replay::{Replay, SignatureCheck};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Default, Serialize)]
struct HeatExport<'a> {
    /// The file or id that it was read from.
    source: &'a str,
    room: String,
    heat: u32,
    began: Option<String>,
    puzzle: String,
    seed: String,
    seed_set_by_host: bool,
    /// The fingerprint of the server that vouches for the replay.
    signed_by: Option<String>,
    ended_millis: u64,
    best: Option<MoveBounds>,
    standings: Vec<ReportRow>,
}

pub async fn run(args: &ExportArgs, servers: &ServerNames) -> Result<(), Failure> {
    let source = ReplaySource { data_dir: &args.place, connection: &args.connection, servers };
    if let (true, Some(name)) = (args.all, args.heats.first()) {
        return Err(Failure::usage(NotADataFolder { option: "--all", name: name.clone() }));
    }
    if let Some(file) = &args.to {
        return copy(args, &source, file).await;
    }
    let names = if args.all { args.place.ids()? } else { args.heats.clone() };
    let (mut heats, mut unread) = (Vec::new(), 0);
    for name in &names {
        match read(name, args, &source).await {
            Ok(Some((replay, signature))) => heats.push(heat(name, &replay, signature)),
            Ok(None) => {}
            // The others are exported all the same.
            Err(failure) if names.len() > 1 => {
                report_unread(&failure);
                unread += 1;
            }
            Err(failure) => return Err(failure),
        }
    }
    let out = &mut io::BufWriter::new(io::stdout().lock());
    match (args.totals, args.json) {
        (false, false) => {
            let records = heats
                .iter()
                .flat_map(|heat| heat.standings.iter().map(move |row| columns(heat, row)));
            write_csv(&columns(&HeatExport::default(), &ReportRow::default()), records, out)?;
        }
        (false, true) => write_json_lines(out, &heats)?,
        (true, false) => {
            let totals = Totals::of(&heats);
            write_csv(&Totals::default().columns(), totals.iter().map(Totals::columns), out)?;
        }
        (true, true) => write_json_lines(out, &Totals::of(&heats))?,
    }
    out.flush()?;
    match unread {
        0 => Ok(()),
        _ => Err(Failure::other(format!("{unread} of {} can't be read", names.len()))),
    }
}

/// Reads a heat's replay; of the heats in a data folder, some have none.
async fn read(
    name: &str,
    args: &ExportArgs,
    source: &ReplaySource<'_>,
) -> Result<Option<(Replay, SignatureCheck)>, Failure> {
    let file = match args.all {
        true => args.place.kept_replay(name)?,
        false => Some(source.read(name).await?),
    };
    file.map(|file| decode(name, &file)).transpose()
}

fn write_json_lines(out: &mut impl Write, lines: &[impl Serialize]) -> io::Result<()> {
    lines.iter().try_for_each(|line| write_json_line(out, line))
}

/// Writes the replay of one heat as it is, but never over another file.
async fn copy(args: &ExportArgs, source: &ReplaySource<'_>, file: &Path) -> Result<(), Failure> {
    let [name] = &args.heats[..] else {
        return Err(Failure::usage("--to writes the replay of one heat"));
    };
    let bytes = source.read(name).await?;
    decode(name, &bytes)?;
    write_new(file, &bytes)
}

fn heat<'a>(source: &'a str, replay: &Replay, signature: SignatureCheck) -> HeatExport<'a> {
    let header = &replay.header;
    let signed_by = match signature {
        SignatureCheck::Valid(server) => Some(server.to_string()),
        SignatureCheck::Unsigned | SignatureCheck::Invalid(_) => None,
    };
    HeatExport {
        source,
        room: header.code.to_string(),
        heat: header.number,
        began: header.began.map(rfc3339),
        puzzle: header.options.spec.to_string(),
        seed: header.secret.seed.to_string(),
        seed_set_by_host: header.origin == SeedOrigin::Host,
        signed_by,
        ended_millis: replay.outcome.ended.0,
        best: replay.outcome.best,
        standings: ReportRow::of_replay(replay),
    }
}

/// Writes CSV as in RFC 4180: the names of the columns, and a record of their values each.
fn write_csv(
    header: &[Column],
    records: impl Iterator<Item = Vec<Column>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    writer.write_record(header.iter().map(|(name, _)| *name))?;
    for record in records {
        writer.write_record(record.into_iter().map(|(_, value)| value))?;
    }
    writer.flush()
}

/// A column's name and a value.
type Column = (&'static str, String);

/// Returns the columns, each with its value for a player of a heat.
fn columns(heat: &HeatExport<'_>, row: &ReportRow) -> Vec<Column> {
    vec![
        ("source", text(heat.source)),
        ("room", heat.room.clone()),
        ("heat", heat.heat.to_string()),
        ("began", heat.began.clone().unwrap_or_default()),
        ("puzzle", heat.puzzle.clone()),
        ("seed", text(&heat.seed)),
        ("place", row.place.to_string()),
        ("name", text(&row.name)),
        ("kind", row.kind.to_owned()),
        ("skill", row.skill.map(|skill| skill.to_string()).unwrap_or_default()),
        ("finished", row.finished.to_string()),
        ("time_millis", number(row.time_millis)),
        ("moves", row.moves.to_string()),
        ("acts", row.acts.to_string()),
        ("hints", row.hints.to_string()),
        ("penalty_millis", row.penalty_millis.to_string()),
        ("progress", row.progress.to_string()),
        ("efficiency_percent", number(row.efficiency_percent)),
        ("inhuman_speed", row.inhuman_speed.to_string()),
        ("best_at_most", number(heat.best.map(|best| best.at_most))),
    ]
}

/// What a player did in all heats of a puzzle. Players are told apart by name and kind, which is
/// what a replay knows of them.
#[derive(Debug, Default, Serialize)]
struct Totals {
    name: String,
    kind: &'static str,
    skill: Option<Skill>,
    puzzle: String,
    heats: u32,
    wins: u32,
    finished: u32,
    best_millis: Option<u64>,
    /// Of the heats that were finished.
    mean_millis: Option<u64>,
    moves: u64,
    hints: u64,
    #[serde(skip)]
    finish_millis: u64,
}

impl Totals {
    /// Adds up heats, the most successful players of each puzzle first.
    fn of(heats: &[HeatExport<'_>]) -> Vec<Self> {
        let mut totals: BTreeMap<_, Self> = BTreeMap::new();
        for heat in heats {
            for row in &heat.standings {
                let key = (&heat.puzzle, &row.name, row.kind, row.skill);
                totals.entry(key).or_insert_with(|| Self::new(heat, row)).add(row);
            }
        }
        let mut totals: Vec<Self> = totals.into_values().collect();
        totals.sort_by(|a, b| {
            let by_success = (b.wins, b.finished).cmp(&(a.wins, a.finished));
            a.puzzle.cmp(&b.puzzle).then(by_success).then(a.mean_millis.cmp(&b.mean_millis))
        });
        totals
    }

    fn new(heat: &HeatExport<'_>, row: &ReportRow) -> Self {
        Self {
            name: row.name.clone(),
            kind: row.kind,
            skill: row.skill,
            puzzle: heat.puzzle.clone(),
            ..Self::default()
        }
    }

    fn add(&mut self, row: &ReportRow) {
        self.heats += 1;
        self.moves += u64::from(row.moves);
        self.hints += u64::from(row.hints);
        if let Some(time) = row.time_millis {
            self.finished += 1;
            self.wins += u32::from(row.place == 1);
            self.best_millis = Some(self.best_millis.map_or(time, |best| best.min(time)));
            self.finish_millis = self.finish_millis.saturating_add(time);
            self.mean_millis = self.finish_millis.checked_div(u64::from(self.finished));
        }
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            ("name", text(&self.name)),
            ("kind", self.kind.to_owned()),
            ("skill", self.skill.map(|skill| skill.to_string()).unwrap_or_default()),
            ("puzzle", self.puzzle.clone()),
            ("heats", self.heats.to_string()),
            ("wins", self.wins.to_string()),
            ("finished", self.finished.to_string()),
            ("best_millis", number(self.best_millis)),
            ("mean_millis", number(self.mean_millis)),
            ("moves", self.moves.to_string()),
            ("hints", self.hints.to_string()),
        ]
    }
}

fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// Guards text that players chose against formula injection: an apostrophe before what a
/// spreadsheet would take for a formula.
fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::replay;

    fn lines(change: impl FnOnce(&mut HeatExport<'_>)) -> Vec<String> {
        let replay = replay::slides();
        let mut heat = heat("a,b.grr", &replay, SignatureCheck::Unsigned);
        change(&mut heat);
        let mut out = Vec::new();
        let header = columns(&HeatExport::default(), &ReportRow::default());
        let records = heat.standings.iter().map(|row| columns(&heat, row));
        write_csv(&header, records, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("\r\n"));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_player_has_a_record() {
        let lines = lines(|_| {});
        assert_eq!(lines.len(), 1 + replay::slides().events.racers().len());
        assert!(
            lines[1].starts_with(
                "\"a,b.grr\",KQZT,3,2026-11-21T00:00:00Z,slide:2x2,friday,1,Zoë,human,,true,"
            ),
            "{}",
            lines[1]
        );
        assert!(lines.iter().all(|line| line.matches(',').count() >= 18));
    }

    #[test]
    fn totals_add_up_each_player_s_heats_of_a_puzzle() {
        let replay = replay::slides();
        let first = heat("a.grr", &replay, SignatureCheck::Unsigned);
        let mut second = heat("b.grr", &replay, SignatureCheck::Unsigned);
        second.standings[0].time_millis = Some(1_000);
        let mut third = heat("c.grr", &replay, SignatureCheck::Unsigned);
        third.puzzle = "slide:3x3".to_owned();
        let best = first.standings[0].time_millis.unwrap();
        let totals = Totals::of(&[first, second, third]);
        let zoe: Vec<&Totals> = totals.iter().filter(|total| total.name == "Zoë").collect();
        let [two, one] = zoe[..] else { panic!("{zoe:?}") };
        assert_eq!(
            (two.puzzle.as_str(), two.heats, two.wins, two.finished),
            ("slide:2x2", 2, 2, 2)
        );
        assert_eq!(two.best_millis, Some(best.min(1_000)));
        assert_eq!(two.mean_millis, Some(best.midpoint(1_000)));
        assert_eq!((one.puzzle.as_str(), one.heats), ("slide:3x3", 1));
    }

    #[test]
    fn names_are_guarded_against_formula_injection() {
        let lines = lines(|heat| {
            heat.standings[0].name = "=1+2".to_owned();
            heat.standings[1].name = "a\"b".to_owned();
        });
        assert!(lines[1].contains(",'=1+2,"), "{}", lines[1]);
        assert!(lines[2].contains(",\"a\"\"b\","), "{}", lines[2]);
    }
}
