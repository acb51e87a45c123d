//! CSV as in RFC 4180, a record for each player of each heat.

use super::Heat;
use crate::cli::report::Row;
use csv::{Terminator, WriterBuilder};
use std::io::{self, Write};

const COLUMNS: [&str; 19] = [
    "source",
    "heat",
    "number",
    "began",
    "puzzle",
    "seed",
    "place",
    "name",
    "kind",
    "skill",
    "finished",
    "time_millis",
    "moves",
    "acts",
    "hints",
    "penalty_millis",
    "progress",
    "efficiency_percent",
    "best_at_most",
];

/// Writes the header and a record for each player.
pub(super) fn write(heats: &[Heat<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    writer.write_record(COLUMNS)?;
    for heat in heats {
        for row in &heat.standings {
            writer.write_record(values(heat, row))?;
        }
    }
    writer.flush()
}

fn values(heat: &Heat<'_>, row: &Row) -> [String; COLUMNS.len()] {
    [
        text(heat.source),
        heat.heat.clone(),
        heat.number.to_string(),
        heat.began.clone().unwrap_or_default(),
        heat.puzzle.clone(),
        text(&heat.seed),
        row.place.to_string(),
        text(&row.name),
        row.kind.to_owned(),
        row.skill.map(|skill| skill.to_string()).unwrap_or_default(),
        row.finished.to_string(),
        number(row.time_millis),
        row.moves.to_string(),
        row.acts.to_string(),
        row.hints.to_string(),
        row.penalty_millis.to_string(),
        row.progress.to_string(),
        number(row.efficiency_percent),
        number(heat.best.map(|best| best.at_most)),
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
    use crate::commands::export::heat;
    use crate::test_support::replay;

    fn lines(change: impl FnOnce(&mut Heat<'_>)) -> Vec<String> {
        let replay = replay::slides();
        let mut heat = heat("a,b.grr", &replay);
        change(&mut heat);
        let mut out = Vec::new();
        write(&[heat], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("\r\n"));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_player_has_a_record() {
        let lines = lines(|_| {});
        assert_eq!(lines.len(), 1 + replay::slides().course.racers().len());
        assert!(
            lines[1].starts_with(
                "\"a,b.grr\",KQZT,3,2026-11-21T00:00:00Z,slide:2x2,friday,1,Zoë,human,,true,"
            ),
            "{}",
            lines[1]
        );
        assert!(lines.iter().all(|line| line.matches(',').count() >= COLUMNS.len() - 1));
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
