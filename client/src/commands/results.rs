//! `gridrace results`: the results of the player's own heats on a server.

use crate::cli::args;
use crate::cli::args::place::server;
use crate::cli::exit_code::Failure;
use crate::cli::signals;
use crate::commands::request::request;
use crate::commands::write_json_line;
use crate::display::format::{INHUMAN_SPEED, rfc3339};
use crate::display::safe_text;
use crate::net::address::{HERE, ServerNames};
use crate::session;
use gridrace_shared::heat::player_name::NAME_GRAPHEMES;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::OwnResult;
use gridrace_shared::replay::UnixSeconds;
use serde::Serialize;
use std::io::{self, Write};

/// The most cells of a heat's name that are shown; a server's names have 18.
const HEAT_CELLS: usize = 32;
/// The characters of a date that say the day.
const DAY: usize = 10;
/// The columns of the table, that of the name, and the first of the numbers.
const COLUMNS: usize = 8;
const NAME: usize = 3;
const NUMBERS: usize = 5;
/// Between two columns.
const GAP: &str = "  ";

/// Asks a server for the results and prints them.
pub async fn run(args: &args::results::ResultsArgs, servers: &ServerNames) -> Result<(), Failure> {
    let address = args.address.as_deref().unwrap_or(HERE);
    let address = &server(address, servers).map_err(Failure::usage)?.to_string();
    let found = tokio::select! {
        found = ask(args, address) => found?,
        interrupted = signals::asked() => return Err(interrupted),
    };
    if found.is_empty() {
        let whose = if args.bots { "your bots" } else { "yours" };
        // stderr may be closed.
        writeln!(io::stderr(), "{address} keeps no results of {whose}").ok();
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        for result in &found {
            write_json_line(&mut out, &ResultLine::of(result))?;
        }
    } else {
        out.write_all(table(&found, args.bots).as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

async fn ask(args: &args::results::ResultsArgs, address: &str) -> Result<Vec<OwnResult>, Failure> {
    let Some(key) = args.connection.key()? else {
        return Err(Failure::other(
            "no results without a key: a server knows you by your key, and --identity or GRIDRACE_KEY \
             says to use none",
        ));
    };
    let (tcp, proof) = (args.connection.tcp()?, Some((&key, args.bots)));
    request(&tcp, address, proof, async |connection| {
        session::request(connection, &ClientMessage::Results, |message| {
            if let ServerMessage::Results(results) = message { Some(results) } else { None }
        })
        .await
    })
    .await
}

#[derive(Serialize)]
struct ResultLine {
    heat: String,
    ended: String,
    puzzle: String,
    name: String,
    place: u16,
    players: u16,
    time_millis: Option<u64>,
    moves: u32,
    hints: u16,
    inhuman_speed: bool,
}

impl ResultLine {
    fn of(result: &OwnResult) -> Self {
        Self {
            heat: safe_text::text(&result.heat, HEAT_CELLS),
            ended: rfc3339(UnixSeconds(result.ended.0 / 1_000)),
            puzzle: result.spec.to_string(),
            name: result.name.to_string(),
            place: result.place,
            players: result.of,
            time_millis: result.time.map(|time| time.0),
            moves: result.moves,
            hints: result.hints,
            inhuman_speed: result.inhuman_speed,
        }
    }
}

/// Formats results in columns with a heading; the empty text if there are none. Bots are named,
/// as several of them are in one heat.
fn table(results: &[OwnResult], bots: bool) -> String {
    let headings = ["heat", "day", "puzzle", "name", "place", "time", "moves", "hints"];
    let mut rows = vec![headings.map(str::to_owned)];
    rows.extend(results.iter().map(cells));
    if results.is_empty() {
        return String::new();
    }
    let mut widths = [0; COLUMNS];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(safe_text::cells(cell));
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let columns = row.iter().zip(widths).enumerate();
        let shown = columns.filter(|(column, _)| bots || *column != NAME);
        let padded = shown.map(|(column, (cell, width))| {
            // Numbers are aligned to the right.
            let blank = " ".repeat(width.saturating_sub(safe_text::cells(cell)));
            if column < NUMBERS { format!("{cell}{blank}") } else { format!("{blank}{cell}") }
        });
        padded.collect::<Vec<_>>().join(GAP)
    };
    let marks = results.iter().map(|result| result.inhuman_speed);
    let marked = rows.iter().zip(std::iter::once(false).chain(marks));
    let mark = |is_marked| if is_marked { format!("{GAP}{INHUMAN_SPEED}") } else { String::new() };
    marked.map(|(row, is_marked)| line(row) + &mark(is_marked) + "\n").collect()
}

fn cells(result: &OwnResult) -> [String; COLUMNS] {
    let day: String = rfc3339(UnixSeconds(result.ended.0 / 1_000)).chars().take(DAY).collect();
    [
        safe_text::text(&result.heat, HEAT_CELLS),
        day,
        result.spec.to_string(),
        safe_text::text(result.name.as_str(), NAME_GRAPHEMES * 2),
        format!("{} of {}", result.place, result.of),
        result.time.map_or_else(|| "DNF".to_owned(), |time| time.to_string()),
        result.moves.to_string(),
        result.hints.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::time::{Millis, UnixMillis};

    fn result(heat: &str, time: Option<u64>) -> OwnResult {
        OwnResult {
            heat: heat.to_owned(),
            ended: UnixMillis(1_795_219_200_000),
            spec: "link:20x20:classic".parse().unwrap(),
            name: "Zoë".parse().unwrap(),
            place: 3,
            of: 12,
            time: time.map(Millis),
            moves: 1_234,
            hints: 0,
            inhuman_speed: time == Some(1_000),
        }
    }

    #[test]
    fn results_are_a_table_that_fits_a_terminal_and_steers_none() {
        let text = table(
            &[result("KQZT-20261121-3f9c", Some(83_250)), result("\u{1b}[2J\nKQZT", None)],
            false,
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!(
            lines[1],
            "KQZT-20261121-3f9c  2026-11-21  link:20x20:classic  3 of 12  1:23.250   1234      0"
        );
        assert!(lines[2].contains("  3 of 12       DNF   1234"), "{text}");
        assert!(!text.contains('\u{1b}'));
        let text = table(&[result("KQZT-20261121-3f9c", Some(1_000))], false);
        assert!(text.ends_with("  too fast for a person\n"), "{text}");
        assert_eq!(table(&[], false), "");
    }

    #[test]
    fn bots_are_named() {
        let text = table(&[result("KQZT-20261121-3f9c", None)], true);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("  puzzle              name  place"), "{text}");
        assert!(lines[1].contains("  link:20x20:classic  Zoë   3 of 12"), "{text}");
    }
}
