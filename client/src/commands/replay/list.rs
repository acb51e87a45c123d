//! The heats that a server keeps.

use crate::cli::args::replay::DataDirArgs;
use crate::cli::exit_code::Failure;
use crate::cli::report::ReportRow;
use crate::commands::write_json_line;
use crate::display::format::rfc3339;
use crate::display::safe_text;
use gridrace_server::store::{Archive, FinishedSummary};
use gridrace_shared::replay::{Replay, UnixSeconds};
use gridrace_shared::util::time::Millis;
use serde::Serialize;
use std::io::{self, Write};

/// As many are listed: a day's, and more than a screen.
const LISTED: u32 = 200;
/// The characters of a date and time up to the minute.
const MINUTE: usize = 16;
/// The most players that a line names; JSON names them all.
const NAMED: usize = 4;

#[derive(Serialize)]
struct HeatLine {
    id: String,
    ended: String,
    puzzle: String,
    heat: u32,
    /// How many raced, and who, by place; none of a replay that this version can't read.
    players: usize,
    names: Vec<String>,
    winner: Option<String>,
    finished: usize,
    best_millis: Option<u64>,
}

/// Lists the latest heats, the last one first.
pub fn list(place: &DataDirArgs, json: bool) -> Result<(), Failure> {
    let archive = place.archive()?;
    let heats = archive.latest(LISTED).map_err(|error| archive.named(error));
    let heats = heats.map_err(anyhow::Error::from)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for heat in &heats {
        let line = line(&archive, heat)?;
        if json {
            write_json_line(&mut out, &line)?;
        } else {
            writeln!(out, "{}", line.text())?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Puts together what is known of a heat. The names are in its replay.
fn line(archive: &Archive, heat: &FinishedSummary) -> Result<HeatLine, Failure> {
    let replay = archive.replay(&heat.id).map_err(anyhow::Error::from)?;
    let replay = replay.and_then(|replay| Replay::decode(&replay).ok());
    let rows = replay.as_ref().map_or_else(Vec::new, ReportRow::of_replay);
    let winner = rows.iter().find(|row| row.finished);
    Ok(HeatLine {
        id: heat.id.clone(),
        ended: rfc3339(UnixSeconds(heat.ended / 1_000)),
        puzzle: heat.puzzle.clone(),
        heat: heat.number,
        players: rows.len(),
        winner: winner.map(|row| row.name.clone()),
        finished: rows.iter().filter(|row| row.finished).count(),
        best_millis: winner.and_then(|row| row.time_millis),
        names: rows.into_iter().map(|row| row.name).collect(),
    })
}

impl HeatLine {
    fn text(&self) -> String {
        let Self { id, puzzle, finished, players, .. } = self;
        let ended: String = self.ended.replace('T', " ").chars().take(MINUTE).collect();
        let won = match (&self.winner, self.best_millis) {
            (Some(winner), Some(time)) => format!("{winner} won in {}", Millis(time)),
            _ => "no player finished".to_owned(),
        };
        let mut names = self.names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if self.names.len() > NAMED {
            names += ", …";
        }
        let raced = match (*players, *finished) {
            // The replay can't be read.
            (0, _) => won,
            (_, 0) => format!("{won}: {names}"),
            (_, _) => format!("{won}; {finished} of {players} finished: {names}"),
        };
        let text = format!("{id}  {ended}  {puzzle:<18}  {raced}");
        safe_text::text(&text, usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(names: &[&str], finished: usize) -> String {
        let line = HeatLine {
            id: "id".to_owned(),
            ended: "2026-11-26T20:00:00Z".to_owned(),
            puzzle: "slide:4x4".to_owned(),
            heat: 1,
            players: names.len(),
            names: names.iter().map(ToString::to_string).collect(),
            winner: names.first().filter(|_| finished > 0).map(ToString::to_string),
            finished,
            best_millis: (finished > 0).then_some(31_480),
        };
        line.text().split("slide:4x4").nth(1).unwrap().trim().to_owned()
    }

    #[test]
    fn a_line_says_who_won_and_who_raced() {
        let names = &["Otter", "Anna"];
        assert_eq!(text(names, 1), "Otter won in 0:31.480; 1 of 2 finished: Otter, Anna");
        assert_eq!(text(names, 0), "no player finished: Otter, Anna");
        assert_eq!(text(&[], 0), "no player finished");
    }
}
