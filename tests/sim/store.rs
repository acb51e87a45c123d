//! Reads the heats that the server has stored.

use crate::run::Outcome;
use gridrace_server::store::Archive;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::{RacerEvent, RecordKind, Replay, verify};
use std::collections::BTreeMap;

/// More heats than any simulation has.
const MAX_HEATS: u32 = 100;

/// Reads the replay of each heat by its number, and reports what doesn't verify.
pub fn read(outcome: &mut Outcome, all: &mut Vec<String>) -> BTreeMap<u32, Replay> {
    let mut replays = BTreeMap::new();
    let Some((_, folder)) = &outcome.data else {
        return replays;
    };
    let archive = Archive::at(folder);
    for heat in archive.latest(MAX_HEATS).expect("an archive that can be read") {
        let number = heat.number;
        let Some(file) = archive.replay(&heat.id).expect("a heat that can be read") else {
            all.push(format!("heat {number} has no replay"));
            continue;
        };
        let verdict = match verify(&file) {
            Ok(verdict) => verdict,
            Err(damage) => {
                all.push(format!("the replay of heat {number}: {damage}"));
                continue;
            }
        };
        let faults = verdict.errors.iter();
        all.extend(faults.map(|fault| format!("the replay of heat {number}: {fault}")));
        let result: HeatResult = serde_json::from_str(&heat.result).expect("a result");
        if verdict.replay.outcome.standings != result.standings {
            all.push(format!("replay and result of heat {number} differ"));
        }
        if replays.insert(number, verdict.replay).is_some() {
            all.push(format!("heat {number} is kept twice"));
        }
        outcome.counts.add("replays that hold", 1);
    }
    replays
}

/// Returns a player's moves.
pub fn moves(replay: &Replay, player: PlayerId) -> Vec<Move> {
    let records = replay.events.records();
    records
        .filter_map(|(_, record)| match record.kind {
            RecordKind::Racer { player: who, event: RacerEvent::Move(play) } if who == player => {
                Some(play)
            }
            RecordKind::Racer { .. } | RecordKind::Outage { .. } => None,
        })
        .collect()
}
