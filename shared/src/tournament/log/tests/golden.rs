//! The draws of every format, as a file that other implementations are compared with.
//!
//! A draw that differs from it is another draw: records of earlier tournaments don't verify any more.
//! `GRIDRACE_BLESS=1 cargo test -p gridrace-shared draws_are_golden` rewrites the file;
//! `tests/python/pairings.py` and `tests/node/brackets.js` read it.

use super::*;
use crate::tournament::draw::bracket::Source;
use crate::tournament::draw::{RoundDraw, round_robin};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Fields of round robins, and of Swiss stages.
const ROUND_ROBINS: std::ops::RangeInclusive<u32> = 2..=24;
const SWISS: [u32; 10] = [4, 5, 6, 7, 8, 9, 12, 15, 24, 33];
const SWISS_ROUNDS: usize = 5;
const BRACKETS: [u32; 12] = [2, 3, 4, 5, 6, 7, 8, 11, 16, 21, 32, 64];

/// The strength of an entrant: of two, the lower value wins. No two are equal.
fn strength(entrant: EntrantId) -> u32 {
    entrant.0 * 37 % 101
}

fn ids(entrants: impl IntoIterator<Item = EntrantId>) -> Vec<u32> {
    entrants.into_iter().map(|entrant| entrant.0).collect()
}

fn seeded(plan: &str, field: u32) -> Tournament {
    let mut tournament = begun(plan, field);
    let order = (1..=field).map(EntrantId).collect();
    tournament.apply(LogEntry::Seed { order }).unwrap();
    tournament
}

/// Races a round in which the stronger is always ahead.
fn race_by_strength(tournament: &mut Tournament, round: RoundKey) {
    while let Some(&key) = open_boards(tournament, round).first() {
        let table = tournament.round(round).unwrap().draw.table(key.table).unwrap();
        let mut order = table.seats.clone();
        order.sort_by_key(|&entrant| strength(entrant));
        let result = in_order(&ids(order));
        tournament.apply(LogEntry::Result { key, result }).unwrap();
    }
}

fn round_robins() -> Value {
    let rounds = |field: u32| {
        let entrants: Vec<EntrantId> = (1..=field).map(EntrantId).collect();
        let round = |number| {
            let draw = round_robin::draw(&entrants, number);
            json!({ "pairs": pairs(&draw), "resting": ids(draw.resting) })
        };
        (0..round_robin::rounds(entrants.len())).map(round).collect::<Vec<_>>()
    };
    ROUND_ROBINS.map(|field| (field.to_string(), json!(rounds(field)))).collect()
}

fn pairs(draw: &RoundDraw) -> Vec<Vec<u32>> {
    draw.tables.iter().map(|table| ids(table.seats.iter().copied())).collect()
}

fn swiss(field: u32) -> Value {
    let mut tournament = seeded(&format!("swiss:2x{SWISS_ROUNDS}"), field);
    let mut rounds = Vec::new();
    while let Some(round) = tournament.next_draw() {
        let key = DrawKey { round, attempt: 0 };
        let standing: Vec<(u32, u32)> = match tournament.stages().last() {
            // The order by points and lot, in which the round is drawn.
            Some(stage) => {
                let points: BTreeMap<EntrantId, u32> =
                    stage.ranking().iter().map(|row| (row.entrant, row.score.points())).collect();
                let order = stage.standing_by_lot(&secret().draw_seed(key));
                order.iter().map(|entrant| (entrant.0, points[entrant])).collect()
            }
            None => (1..=field).map(|entrant| (entrant, 0)).collect(),
        };
        draw(&mut tournament);
        let drawn = &tournament.round(round).unwrap().draw;
        let byes = ids(drawn.walkovers.iter().filter_map(|walkover| walkover.winner));
        rounds.push(json!({ "standing": standing, "pairs": pairs(drawn), "byes": byes }));
        race_by_strength(&mut tournament, round);
    }
    json!({ "field": field, "rounds": rounds })
}

fn bracket(elimination: &str, plan: &str, field: u32) -> Value {
    let mut tournament = seeded(plan, field);
    while tournament.next_draw().is_some() {
        let round = draw(&mut tournament);
        race_by_strength(&mut tournament, round);
    }
    let stage = &tournament.stages()[0];
    let bracket = stage.bracket();
    // The matches of the upper bracket have no loser among their sides.
    let mut is_upper: Vec<bool> = Vec::new();
    for it in bracket.matches() {
        let upper = it.sources.iter().all(|source| match *source {
            Source::Seed(_) => true,
            Source::Winner(number) => is_upper[number],
            Source::Loser(_) | Source::Reset(_) => false,
        });
        is_upper.push(upper);
    }
    let mut matches = Vec::new();
    for round in stage.rounds() {
        for table in &round.draw.tables {
            let mut pair = ids(table.seats.iter().copied());
            pair.sort_unstable();
            matches.push(json!({ "pair": pair, "upper": is_upper[usize::from(table.number)] }));
        }
    }
    let standings = tournament.standings();
    json!({
        "elimination": elimination,
        "field": field,
        "strength": (1..=field).map(|entrant| strength(EntrantId(entrant))).collect::<Vec<_>>(),
        "matches": matches,
        "champion": standings[0].entrant,
        "second": standings[1].entrant,
    })
}

/// Returns the tables of each round of a tournament that the seed alone decides.
fn tables(plan: &str) -> Value {
    let mut tournament = begun(plan, 11);
    let mut rounds = Vec::new();
    // Each table of an arena is drawn from all who wait.
    while let Some(round) = tournament.next_draw().filter(|_| rounds.len() < 6) {
        let waiting = (1..=11).map(EntrantId).collect();
        tournament.apply(draw_of(round, 0, waiting)).unwrap();
        rounds.push(json!(tournament.round(round).unwrap().draw));
        race_by_strength(&mut tournament, round);
    }
    json!({ "plan": plan, "rounds": rounds })
}

#[test]
fn draws_are_golden() {
    let brackets = BRACKETS.iter().flat_map(|&field| {
        [("single", "knockout"), ("double", "double")]
            .map(|(elimination, plan)| bracket(elimination, plan, field))
    });
    let lines: Vec<(&str, Vec<Value>)> = vec![
        ("swiss", SWISS.map(swiss).to_vec()),
        ("brackets", brackets.collect()),
        ("tables", PLANS.map(tables).to_vec()),
    ];
    // A line for each draw, so that a difference is seen.
    let mut text = format!("{{\"round_robin\":{},\n", round_robins());
    for (index, (name, values)) in lines.iter().enumerate() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        let end = if index + 1 == lines.len() { "}" } else { "," };
        text += &format!("\"{name}\":[\n{}\n]{end}\n", values.join(",\n"));
    }
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/tournament-draws.json");
    if std::env::var_os("GRIDRACE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (golden, drawn) in golden.lines().zip(text.lines()) {
        assert_eq!(golden, drawn);
    }
    assert_eq!(golden.len(), text.len());
}
