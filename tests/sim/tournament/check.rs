//! What must hold at the end of every tournament.

use super::plan::TournamentPlan;
use super::run::{Outcome, title};
use crate::common::name;
use gridrace_server::store::{Archive, RecordReader};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::replay::SignatureCheck;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::fold;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament_record::{RecordReport, entrant_cards, verify};
use std::collections::{BTreeMap, BTreeSet};

/// Returns everything that doesn't hold.
pub fn violations(plan: &TournamentPlan, outcome: &mut Outcome) -> Vec<String> {
    let mut all: Vec<String> = outcome.stuck.iter().cloned().collect();
    for (n, (network, end)) in outcome.players.iter().enumerate() {
        all.extend(end.iter().map(|error| format!("player-{n} gave up: {error}")));
        all.extend(network.notes(|notes| notes.contradictions.clone()));
    }
    let Some((_, folder)) = &outcome.data else { return all };
    let archive = Archive::at(folder);
    let record = archive.tournament_record(&title(), RecordReader::Public);
    let Some(record) = record.expect("an archive that can be read") else {
        all.push("the store has no record".to_owned());
        return all;
    };
    match verify(&record) {
        Ok(report) => check(plan, outcome, &report, &mut all),
        Err(error) => all.push(format!("the record: {error}")),
    }
    all
}

fn check(
    plan: &TournamentPlan,
    outcome: &mut Outcome,
    report: &RecordReport,
    all: &mut Vec<String>,
) {
    let RecordReport { record, tournament, errors, signature, .. } = report;
    // Draws, results, standings and champion follow from the secret and the replays.
    all.extend(errors.iter().map(|error| format!("the record: {error}")));
    if !matches!(signature, SignatureCheck::Valid(_)) {
        all.push(format!("the record: {signature:?}"));
    }
    if record.log != outcome.log {
        all.push("the organiser was told another log than the store has".to_owned());
    }
    let folded = fold(plan.stages.clone(), &record.log);
    if folded.standings() != tournament.standings() || !folded.is_over() {
        all.push(format!("the log gives other standings: {:?}", folded.standings()));
    }
    let cards = entrant_cards(&record.log);
    // A match to which neither side comes in time has no winner.
    let may_be_nobody = (0..plan.players()).any(|player| plan.cuts(player));
    let has_champion = may_be_nobody || !folded.champions().is_empty();
    if cards.len() != plan.players() || !has_champion {
        all.push(format!("{} entrants, champions {:?}", cards.len(), folded.champions()));
    }
    let away: BTreeSet<EntrantId> = cards
        .iter()
        .filter(|(_, card)| {
            (0..plan.players()).any(|n| card.name.as_str() == name(n) && plan.cuts(n))
        })
        .map(|(entrant, _)| *entrant)
        .collect();
    let results = results(report, &away, all);
    for (n, (network, _)) in outcome.players.iter().enumerate() {
        network.notes(|notes| {
            for (key, told) in &notes.boards {
                compare(&format!("player-{n}"), *key, told, results.get(key), all);
            }
        });
    }
    outcome.counts.add("tournaments", 1);
    outcome.counts.add("boards raced to their end", results.len() as u64);
    let replays = |line: &&_| matches!(entry(line), Some(LogEntry::Replay { .. }));
    let replays = record.log.iter().filter(replays).count();
    outcome.counts.add("boards raced again after a kill", replays as u64);
}

fn entry(line: &gridrace_shared::tournament::public_log::LogLine) -> Option<&LogEntry> {
    line.entry()
}

/// Returns the results of the log, each of which must be there once. All who sat at a table have raced
/// to the end, but for those whose connection failed: they may have missed GO.
fn results(
    report: &RecordReport,
    away: &BTreeSet<EntrantId>,
    all: &mut Vec<String>,
) -> BTreeMap<ResultKey, BoardResult> {
    let mut results = BTreeMap::new();
    for line in &report.record.log {
        if let Some(LogEntry::Result { key, result }) = line.entry()
            && results.insert(*key, result.clone()).is_some()
        {
            all.push(format!("a result counts twice: {key}"));
        }
    }
    for (key, result) in &results {
        let round = report.tournament.round(key.round);
        let Some(table) = round.and_then(|round| round.draw.table(key.table)) else {
            all.push(format!("a result of no table: {key}"));
            continue;
        };
        for entrant in &table.seats {
            let outcome = result.outcome(*entrant);
            let is_excused = outcome == BoardOutcome::Dns && away.contains(entrant);
            if !outcome.has_finished() && !is_excused {
                all.push(format!(
                    "entrant {entrant:?} came back and didn't finish {key}: {result:?}"
                ));
            }
        }
    }
    results
}

/// Compares what a client was told of a board that is over with its result in the log.
fn compare(
    who: &str,
    key: ResultKey,
    told: &HeatResult,
    result: Option<&BoardResult>,
    all: &mut Vec<String>,
) {
    let told: Vec<BoardOutcome> = told.standings.iter().map(BoardOutcome::from).collect();
    let Some(result) = result else {
        return all.push(format!("{who} was told of a result that isn't kept: {key}"));
    };
    let kept: Vec<BoardOutcome> = result.rows.iter().map(|(_, outcome)| *outcome).collect();
    if told != kept {
        all.push(format!("{who} was told otherwise of {key}: {told:?}, kept {kept:?}"));
    }
}
