//! Standings and results of a tournament as tables, a row for each line of a file.

use super::{EntrantCard, entrant_cards};
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::log::{LogEntry, Tournament};
use crate::tournament::public_log::{LogAuthor, LogLine};
use crate::tournament::result::BoardOutcome;
use crate::tournament::score::Score;
use serde::Serialize;
use std::collections::BTreeMap;

/// A line of the standings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StandingRow {
    pub place: u16,
    pub entrant: u32,
    pub name: String,
    pub team: Option<String>,
    /// The fingerprint of the entrant's key.
    pub key: String,
    pub points: Option<u32>,
    pub places: Option<u32>,
    /// An average, a mean or a sum; none for a DNF.
    pub time_millis: Option<u64>,
}

/// How an entrant ended on one board. Numbers of stage, round, table, board and attempt count from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResultRow {
    pub stage: u32,
    pub round: u32,
    pub table: u32,
    pub board: u32,
    pub attempt: u32,
    pub entrant: u32,
    pub name: String,
    /// "finished", "dnf", "dns" or "disqualified".
    pub outcome: &'static str,
    pub time_millis: Option<u64>,
    /// 0 to 1000, of those who didn't finish.
    pub progress: Option<u16>,
    /// Whether the organiser set the result; none if no result is in the log.
    pub is_set: Option<bool>,
}

/// Returns the standings of a tournament and its log.
pub fn standing_rows(tournament: &Tournament, log: &[LogLine]) -> Vec<StandingRow> {
    let cards = entrant_cards(log);
    let rows = tournament.standings().into_iter().map(|row| {
        let card = cards.get(&row.entrant);
        let mut line = StandingRow {
            place: row.place,
            entrant: row.entrant.0,
            name: name(card),
            team: card.and_then(|card| card.team.as_ref()).map(ToString::to_string),
            key: card.map(|card| card.key.to_string()).unwrap_or_default(),
            points: None,
            places: None,
            time_millis: None,
        };
        match row.score {
            Score::Points(points) => line.points = Some(points),
            Score::Places(places) => line.places = Some(places),
            Score::Time(time) => line.time_millis = time.map(|time| time.0),
        }
        line
    });
    rows.collect()
}

/// Returns the results that count, board by board, each seat of a table in the order of the result.
pub fn result_rows(tournament: &Tournament, log: &[LogLine]) -> Vec<ResultRow> {
    let cards = entrant_cards(log);
    let mut is_set: BTreeMap<ResultKey, bool> = BTreeMap::new();
    for line in log {
        if let Some(LogEntry::Result { key, .. }) = line.entry() {
            is_set.insert(*key, line.by != LogAuthor::Server);
        }
    }
    let mut rows = Vec::new();
    for (stage, state) in (0u8..).zip(tournament.stages()) {
        for (round, raced) in (0u16..).zip(state.rounds()) {
            let round = RoundKey { stage, round };
            for table in &raced.draw.tables {
                for board in (0..state.stage().boards).filter(|board| !raced.is_void(*board)) {
                    let Some(result) = raced.result(table.number, board) else { continue };
                    let attempt = tournament.attempt(round, table.number, board).unwrap_or(0);
                    let key = ResultKey { round, table: table.number, board, attempt };
                    let named = result.rows.iter().map(|(entrant, _)| *entrant);
                    let absent = table.seats.iter().copied();
                    let absent = absent.filter(|seat| result.rows.iter().all(|(it, _)| it != seat));
                    rows.extend(named.chain(absent).map(|entrant| {
                        let name = name(cards.get(&entrant));
                        let outcome = result.outcome(entrant);
                        row(key, entrant, name, outcome, is_set.get(&key).copied())
                    }));
                }
            }
        }
    }
    rows
}

fn name(card: Option<&EntrantCard>) -> String {
    card.map(|card| card.name.as_str().to_owned()).unwrap_or_default()
}

fn row(
    key: ResultKey,
    entrant: EntrantId,
    name: String,
    outcome: BoardOutcome,
    is_set: Option<bool>,
) -> ResultRow {
    let (outcome, time_millis, progress) = match outcome {
        BoardOutcome::Finished { time } => ("finished", Some(time.0), None),
        BoardOutcome::Dnf { progress } => ("dnf", None, Some(progress)),
        BoardOutcome::Dns => ("dns", None, None),
        BoardOutcome::Disqualified => ("disqualified", None, None),
    };
    ResultRow {
        stage: u32::from(key.round.stage) + 1,
        round: u32::from(key.round.round) + 1,
        table: u32::from(key.table) + 1,
        board: u32::from(key.board) + 1,
        attempt: u32::from(key.attempt) + 1,
        entrant: entrant.0,
        name,
        outcome,
        time_millis,
        progress,
        is_set,
    }
}
