//! The record of the tournament that was raced, as the store has it, verified as by anyone else.

use super::TournamentLoad;
use anyhow::{Context, ensure};
use gridrace_server::store::{Archive, RecordReader};
use gridrace_shared::replay::SignatureCheck;
use gridrace_shared::tournament::ids::{RecordName, TournamentName};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine};
use gridrace_shared::tournament_record::{RecordReport, entrant_cards, verify};
use std::path::Path;

/// Verifies the record of a tournament whose log is `told`, and returns how many boards were raced at
/// tables.
pub(super) fn check(
    folder: &Path,
    name: &TournamentName,
    tournament: &TournamentLoad,
    told: &[LogLine],
) -> anyhow::Result<usize> {
    let record = Archive::at(folder).tournament_record(
        &RecordName { tournament: name.clone(), number: None },
        RecordReader::Public,
    )?;
    let record = record.context("the store has no record")?;
    println!("record            {} KiB", record.len() / 1024);
    if let Some(file) = &tournament.record {
        std::fs::write(file, &record)?;
    }
    let RecordReport { record, tournament: fold, errors, count, corrections, signature, .. } =
        verify(&record)?;
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    ensure!(count == 0, "{count} errors in the record:\n{}", errors.join("\n"));
    ensure!(matches!(signature, SignatureCheck::Valid(_)), "the record: {signature:?}");
    ensure!(record.log == told, "the organiser was told another log than the store has");
    let cards = entrant_cards(&record.log);
    ensure!(cards.len() == tournament.entrants as usize, "{} entrants", cards.len());
    ensure!(corrections.is_empty() != tournament.trouble, "corrections: {corrections:?}");
    // Every entrant raced, but for the one who never comes to a table.
    let absent = usize::from(tournament.trouble);
    for line in record.log.iter().filter(|line| line.by == LogAuthor::Server) {
        let Some(LogEntry::Result { key, result }) = line.entry() else { continue };
        let round = fold.round(key.round).context("a result of no round")?;
        let seats = round.draw.table(key.table).map_or(0, |table| table.seats.len());
        let raced = result.rows.iter().filter(|(_, outcome)| outcome.has_started()).count();
        ensure!(raced + absent >= seats, "{raced} of {seats} raced: {key}");
    }
    let champion = fold.champions();
    let champion = champion.first().context("no champion")?;
    println!("champion          {}", cards[champion].name);
    Ok(record.heats.len())
}
