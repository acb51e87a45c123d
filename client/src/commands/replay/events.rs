//! A replay line by line: for pipes, and for programs.

use crate::cli::report::ReportRow;
use crate::commands::write_json_line;
use crate::display::format;
use crate::families::narration::narrate_record;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::{ExitReason, RacerEvent, Record, RecordKind, Replay};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The first line.
#[derive(Serialize)]
struct Head {
    room: String,
    heat: u32,
    began: Option<String>,
    puzzle: String,
    commitment: String,
    salt: String,
    time_limit_seconds: u16,
    players: Vec<Player>,
}

#[derive(Serialize)]
struct Player {
    player: u32,
    name: String,
    kind: PlayerKind,
}

#[derive(Default, Serialize)]
struct EventLine<'a> {
    at_millis: u64,
    what: &'static str,
    player: Option<u32>,
    number: Option<u32>,
    play: Option<&'a Move>,
    away_millis: Option<u64>,
}

/// The last line.
#[derive(Serialize)]
struct Tail {
    ended_millis: u64,
    standings: Vec<ReportRow>,
}

/// Prints a line of JSON for the heat, one for each record, and one for the result.
pub(super) fn json(replay: &Replay, out: &mut impl Write) -> io::Result<()> {
    let header = &replay.header;
    let racers = replay.events.racers().iter();
    let players = racers.map(|racer| Player {
        player: racer.id.0,
        name: racer.name.to_string(),
        kind: racer.kind,
    });
    let head = Head {
        room: header.code.to_string(),
        heat: header.number,
        began: header.began.map(format::rfc3339),
        puzzle: format!("{}#{}", header.options.spec, header.secret.seed),
        commitment: header.commitment.to_string(),
        salt: header.secret.salt.to_string(),
        time_limit_seconds: header.options.time_limit_seconds,
        players: players.collect(),
    };
    write_json_line(out, &head)?;
    let mut numbers = BTreeMap::new();
    for (_, record) in replay.events.records() {
        write_json_line(out, &line(&record, &mut numbers))?;
    }
    let tail =
        Tail { ended_millis: replay.outcome.ended.0, standings: ReportRow::of_replay(replay) };
    write_json_line(out, &tail)
}

/// Prints a line for each record, and the result.
pub(super) fn text(replay: &Replay, out: &mut impl Write) -> io::Result<()> {
    for (_, record) in replay.events.records() {
        let (who, what) = narrate_record(&replay.events, &record);
        writeln!(out, "{:>8}  {who} {what}", format::clock(record.at))?;
    }
    writeln!(out, "{:>8}  the heat is over", format::clock(replay.outcome.ended))?;
    for row in ReportRow::of_replay(replay) {
        writeln!(out, "{:>8}  {row}", row.place)?;
    }
    Ok(())
}

fn line<'a>(record: &'a Record, numbers: &mut BTreeMap<u32, u32>) -> EventLine<'a> {
    let at_millis = record.at.0;
    let (player, event) = match &record.kind {
        RecordKind::Racer { player, event } => (player.0, event),
        RecordKind::Outage { away } => {
            let away_millis = Some(away.0);
            return EventLine { at_millis, what: "outage", away_millis, ..EventLine::default() };
        }
    };
    let mut line =
        EventLine { at_millis, what: word(event), player: Some(player), ..EventLine::default() };
    if let RacerEvent::Move(play) = event {
        let number = numbers.entry(player).or_insert(0);
        *number += 1;
        (line.number, line.play) = (Some(*number), Some(play));
    }
    line
}

const fn word(act: &RacerEvent) -> &'static str {
    match act {
        RacerEvent::Move(_) => "move",
        RacerEvent::Hint => "hint",
        RacerEvent::Out(ExitReason::GaveUp) => "gave_up",
        RacerEvent::Out(ExitReason::Left) => "left",
        RacerEvent::Out(ExitReason::SentAway) => "sent_away",
        RacerEvent::Out(ExitReason::Expired) => "expired",
        RacerEvent::Out(ExitReason::HeatEnded) => "heat_ended",
        RacerEvent::Lost => "lost",
        RacerEvent::Back => "back",
        RacerEvent::Cut => "cut",
    }
}
