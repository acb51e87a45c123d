//! Comma-separated values as RFC 4180 has them: a line for each player of each heat.

use super::Heat;
use crate::cli::report::Row;
use std::io::{self, Write};

/// The columns.
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

/// Writes a line of names, and one for each player.
///
/// # Errors
/// Where it can't be written.
pub(super) fn write(heats: &[Heat<'_>], out: &mut impl Write) -> io::Result<()> {
    line(out, &COLUMNS.map(str::to_owned))?;
    for heat in heats {
        for row in &heat.standings {
            line(out, &values(heat, row))?;
        }
    }
    Ok(())
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

/// Returns a text that people chose as no spreadsheet takes it for a formula: with an
/// apostrophe before it, where it looks like one.
fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn line(out: &mut impl Write, values: &[String]) -> io::Result<()> {
    for (index, value) in values.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        if value.contains(['"', ',', '\r', '\n']) {
            write!(out, "{comma}\"{}\"", value.replace('"', "\"\""))?;
        } else {
            write!(out, "{comma}{value}")?;
        }
    }
    write!(out, "\r\n")
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
    fn each_player_has_a_line() {
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
    fn a_name_that_looks_like_a_formula_is_none() {
        let lines = lines(|heat| {
            heat.standings[0].name = "=1+2".to_owned();
            heat.standings[1].name = "a\"b".to_owned();
        });
        assert!(lines[1].contains(",'=1+2,"), "{}", lines[1]);
        assert!(lines[2].contains(",\"a\"\"b\","), "{}", lines[2]);
    }
}
