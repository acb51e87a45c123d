//! `gridrace export`: results of heats, for spreadsheets and for programs.

use crate::cli::args::replay::Export;
use crate::cli::exit_code::Failure;
use crate::cli::report::Row;
use crate::commands::replay::decode;
use crate::commands::write_json_line;
use crate::display::format::rfc3339;
use csv::{Terminator, WriterBuilder};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::replay::{Replay, SignatureCheck};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug, Default, Serialize)]
struct Heat<'a> {
    /// The file or id that it was read from.
    source: &'a str,
    heat: String,
    number: u32,
    began: Option<String>,
    puzzle: String,
    seed: String,
    seed_set_by_host: bool,
    /// The fingerprint of the server that vouches for the replay.
    signed_by: Option<String>,
    ended_millis: u64,
    best: Option<MoveBounds>,
    standings: Vec<Row>,
}

pub fn run(args: &Export) -> Result<(), Failure> {
    if let Some(file) = &args.to {
        return copy(args, file);
    }
    let mut heats = Vec::new();
    for name in &args.heats {
        let (replay, signature) = decode(name, &args.place.read(name)?)?;
        heats.push(heat(name, &replay, signature));
    }
    let out = &mut io::BufWriter::new(io::stdout().lock());
    if args.json {
        for heat in &heats {
            write_json_line(out, heat)?;
        }
    } else {
        write_csv(&heats, out)?;
    }
    out.flush()?;
    Ok(())
}

/// Writes the replay of one heat as it is, but never over another file.
fn copy(args: &Export, file: &Path) -> Result<(), Failure> {
    let [name] = &args.heats[..] else {
        return Err(Failure::usage("--to writes the replay of one heat"));
    };
    let bytes = args.place.read(name)?;
    decode(name, &bytes)?;
    let fail = |error: io::Error| {
        let file = file.display();
        Failure::other(format!("can't write {file}: {error}"))
    };
    let mut out = File::create_new(file).map_err(fail)?;
    out.write_all(&bytes).map_err(fail)
}

fn heat<'a>(source: &'a str, replay: &Replay, signature: SignatureCheck) -> Heat<'a> {
    let header = &replay.header;
    let signed_by = match signature {
        SignatureCheck::Valid(server) => Some(server.to_string()),
        SignatureCheck::Unsigned | SignatureCheck::Invalid(_) => None,
    };
    Heat {
        source,
        heat: header.code.to_string(),
        number: header.number,
        began: header.began.map(rfc3339),
        puzzle: header.options.spec.to_string(),
        seed: header.secret.seed.to_string(),
        seed_set_by_host: header.origin == SeedOrigin::Host,
        signed_by,
        ended_millis: replay.outcome.ended.0,
        best: replay.outcome.best,
        standings: Row::of_replay(replay),
    }
}

/// Writes CSV as in RFC 4180: the header, and a record for each player of each heat.
fn write_csv(heats: &[Heat<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    let header = columns(&Heat::default(), &Row::default()).map(|(name, _)| name);
    writer.write_record(header)?;
    for heat in heats {
        for row in &heat.standings {
            writer.write_record(columns(heat, row).map(|(_, value)| value))?;
        }
    }
    writer.flush()
}

/// Returns the columns, each with its value for a player of a heat.
fn columns(heat: &Heat<'_>, row: &Row) -> [(&'static str, String); 20] {
    [
        ("source", text(heat.source)),
        ("heat", heat.heat.clone()),
        ("number", heat.number.to_string()),
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

    fn lines(change: impl FnOnce(&mut Heat<'_>)) -> Vec<String> {
        let replay = replay::slides();
        let mut heat = heat("a,b.grr", &replay, SignatureCheck::Unsigned);
        change(&mut heat);
        let mut out = Vec::new();
        write_csv(&[heat], &mut out).unwrap();
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
    fn names_are_guarded_against_formula_injection() {
        let lines = lines(|heat| {
            heat.standings[0].name = "=1+2".to_owned();
            heat.standings[1].name = "a\"b".to_owned();
        });
        assert!(lines[1].contains(",'=1+2,"), "{}", lines[1]);
        assert!(lines[2].contains(",\"a\"\"b\","), "{}", lines[2]);
    }
}
