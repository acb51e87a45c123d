//! The heats that a server keeps.

use crate::cli::args::replay::KeptAt;
use crate::cli::exit_code::Failure;
use crate::commands::write_json_line;
use crate::display::format::rfc3339;
use gridrace_server::store::FinishedSummary;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::replay::UnixSeconds;
use serde::Serialize;
use std::io::{self, Write};

/// As many are listed: a day's, and more than a screen.
const LISTED: u32 = 200;

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    ended: String,
    puzzle: &'a str,
    number: u32,
    players: usize,
    finished: usize,
    best_millis: Option<u64>,
}

/// Lists the latest heats, the last one first.
pub fn list(place: &KeptAt, json: bool) -> Result<(), Failure> {
    let heats = place.archive()?.latest(LISTED).map_err(anyhow::Error::from)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for heat in &heats {
        let line = line(heat);
        if json {
            write_json_line(&mut out, &line)?;
        } else {
            let Line { id, ended, puzzle, players, finished, .. } = line;
            writeln!(out, "{id}  {ended}  {puzzle:<18}  {finished} of {players} finished")?;
        }
    }
    out.flush()?;
    Ok(())
}

fn line(heat: &FinishedSummary) -> Line<'_> {
    // Of a result that another version wrote nothing is known here; the replay has it all.
    let result = serde_json::from_str::<HeatResult>(&heat.result);
    let rows = result.map_or_else(|_| Vec::new(), |result| result.standings);
    let times = rows.iter().filter_map(|row| match row.state {
        State::Finished { time } => Some(time.0),
        State::Racing | State::Dnf => None,
    });
    Line {
        id: &heat.id,
        ended: rfc3339(UnixSeconds(heat.ended / 1_000)),
        puzzle: &heat.puzzle,
        number: heat.number,
        players: rows.len(),
        finished: times.clone().count(),
        best_millis: times.min(),
    }
}
