//! The invariants at the end of every tournament.

use super::commands::rounds;
use super::counting::Counting;
use super::organiser::{fingerprint, is_own};
use super::plan::TournamentPlan;
use super::run::{Outcome, title};
use crate::common::name;
use crate::counts::Counts;
use gridrace_server::store::{Archive, RecordReader};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::protocol::tournament::TournamentError;
use gridrace_shared::replay::SignatureCheck;
use gridrace_shared::tournament::ids::{EntrantId, RecordName, ResultKey, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Presence, Tournament};
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent, fold};
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::score::ScoreRule;
use gridrace_shared::tournament::stage_state::StageState;
use gridrace_shared::tournament_record::{RecordReport, entrant_cards, verify};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long after a fault of its connection a player may be away: until the loss is noticed, and the
/// attempts to connect again.
const RETURN_TIME: Duration = Duration::from_secs(30);
/// How much earlier than the fault a board's GO may be seen by others.
const SLACK: Duration = Duration::from_secs(1);

/// Returns everything that doesn't hold.
pub fn violations(plan: &TournamentPlan, outcome: &mut Outcome) -> Vec<String> {
    let mut all: Vec<String> = outcome.stuck.iter().cloned().collect();
    for (n, (network, end)) in outcome.players.iter().enumerate() {
        let is_too_late = |end: &&String| is_too_late(plan, n, end);
        let end = end.iter().filter(|end| !is_too_late(end));
        all.extend(end.map(|error| format!("player-{n} gave up: {error}")));
        all.extend(network.notes(|notes| notes.contradictions.clone()));
    }
    all.extend(
        outcome
            .organised
            .refused
            .iter()
            .filter(|(_, why)| !may_refuse(*why))
            .map(|(command, why)| format!("the organiser's {command:?} was refused: {why}")),
    );
    let Some((_, folder)) = &outcome.data else { return all };
    let archive = Archive::at(folder);
    let record = archive
        .tournament_record(&RecordName { tournament: title(), number: None }, RecordReader::Public);
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

/// Returns whether a late bot was told that the format takes no more entrants.
fn is_too_late(plan: &TournamentPlan, player: usize, end: &str) -> bool {
    let first = plan.stages.stages()[0].format;
    let takes_all = matches!(first, Format::Series { .. } | Format::Arena { .. });
    plan.late.is_some()
        && player == 0
        && end.contains(&TournamentError::EntriesClosed.to_string())
        && !takes_all
}

/// Returns whether a command may be refused that made sense when it was given: a board has started, or a
/// result came in, since.
const fn may_refuse(why: TournamentError) -> bool {
    matches!(why, TournamentError::NoGo | TournamentError::Log(_))
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
    let log = &record.log;
    if *log != outcome.organised.log {
        all.push("the organiser was told another log than the store has".to_owned());
    }
    let folded = fold(plan.stages.clone(), log);
    if folded.standings() != tournament.standings() || !folded.is_over() {
        all.push(format!("the log gives other standings: {:?}", folded.standings()));
    }
    let (done, lines) = (outcome.organised.done, log.iter().filter(|line| is_own(line)).count());
    if done != lines {
        all.push(format!("{done} commands were carried out, and the log has {lines}"));
    }
    let cards = entrant_cards(log);
    let is_late_one_out = plan.late.is_some() && outcome.players[0].1.is_some();
    if cards.len() + usize::from(is_late_one_out) != plan.players() {
        all.push(format!("{} entrants of {}", cards.len(), plan.players()));
    }
    if folded.champions().is_empty() && !nobody_came_last(&folded) {
        all.push("there is no champion, though somebody raced in the last round".to_owned());
    }
    Counting::of(log).compare(&folded, all);
    let numbers: BTreeMap<EntrantId, usize> = cards
        .iter()
        .filter_map(|(entrant, card)| {
            let number = (0..plan.players()).find(|&n| card.name.as_str() == name(n))?;
            Some((*entrant, number))
        })
        .collect();
    let raced = Raced::of(plan, outcome, numbers);
    let results = raced.check(log, all);
    for (n, (network, _)) in outcome.players.iter().enumerate() {
        network.notes(|notes| {
            for (key, told) in &notes.boards {
                compare(&format!("player-{n}"), *key, told, results.get(key), log, all);
            }
        });
    }
    count(plan, &folded, log, outcome);
    outcome.counts.add("boards raced to their end", results.len() as u64);
}

/// Returns whether no entrant came to any table of the last round, so that none has won.
fn nobody_came_last(folded: &Tournament) -> bool {
    let Some(round) = rounds(folded).last().and_then(|key| folded.round(key)) else { return false };
    let boards = folded.stages().last().map_or(0, |stage| stage.stage().boards);
    let has_started = |(table, entrant): (u16, EntrantId)| {
        let results = (0..boards).filter_map(|board| round.result(table, board));
        results.into_iter().any(|result| result.outcome(entrant).has_started())
    };
    let tables = round.draw.tables.iter();
    let mut seats = tables.flat_map(|table| table.seats.iter().map(|seat| (table.number, *seat)));
    let has_winner = round.draw.walkovers.iter().any(|walkover| walkover.winner.is_some());
    !has_winner && !seats.any(has_started)
}

/// Finds entrants who may have missed a board.
struct Raced<'a> {
    plan: &'a TournamentPlan,
    /// When a board was seen to be raced first, by any client.
    seen: BTreeMap<ResultKey, Duration>,
    began: Duration,
    numbers: BTreeMap<EntrantId, usize>,
}

impl<'a> Raced<'a> {
    fn of(
        plan: &'a TournamentPlan,
        outcome: &Outcome,
        numbers: BTreeMap<EntrantId, usize>,
    ) -> Self {
        let mut seen = BTreeMap::new();
        for (network, _) in &outcome.players {
            network.notes(|notes| {
                for (&key, &at) in &notes.raced {
                    let first = seen.entry(key).or_insert(at);
                    *first = at.min(*first);
                }
            });
        }
        Self { plan, seen, began: outcome.began, numbers }
    }

    /// Applies the log entry by entry: no entrant has a seat at two tables at once, each result of a table counts
    /// once, and all who sat there have raced to the end, but for those who may have missed its GO.
    /// Returns what the tables brought in.
    fn check(&self, log: &[LogLine], all: &mut Vec<String>) -> BTreeMap<ResultKey, BoardResult> {
        let mut tournament = Tournament::new(self.plan.stages.clone());
        let mut results = BTreeMap::new();
        // Entrants who got a seat after the draw, and have brought no result in since.
        let mut new: BTreeSet<(RoundKey, EntrantId)> = BTreeSet::new();
        let mut drawn: BTreeMap<RoundKey, BTreeSet<EntrantId>> = BTreeMap::new();
        for line in log {
            let Some(entry) = line.entry() else { continue };
            if let LogEntry::Result { key, result } = entry
                && line.by == LogAuthor::Server
            {
                if results.insert(*key, result.clone()).is_some() {
                    all.push(format!("a table's result counts twice: {key}"));
                }
                let round = tournament.round(key.round);
                let table = round.and_then(|round| round.draw.table(key.table));
                let Some(table) = table else {
                    all.push(format!("a result of no table: {key}"));
                    continue;
                };
                for &entrant in &table.seats {
                    let is_new = new.remove(&(key.round, entrant));
                    let is_out = tournament.presence(entrant) == Some(Presence::Disqualified);
                    let may_miss = is_new || is_out || self.was_away(entrant, *key);
                    let outcome = result.outcome(entrant);
                    if !(outcome.has_finished() || outcome == BoardOutcome::Dns && may_miss) {
                        all.push(format!("entrant {entrant:?} didn't finish {key}: {result:?}"));
                    }
                }
            }
            if let Err(error) = tournament.apply(entry.clone()) {
                all.push(format!("the log has an entry that its rules refuse: {error}: {entry:?}"));
            }
            let stage = tournament.stages().last();
            if let Some(twice) = stage.and_then(StageState::racing_twice) {
                all.push(format!("entrant {twice:?} sits at two tables after {entry:?}"));
            }
            let is_draw = matches!(entry, LogEntry::Draw { .. });
            for round in rounds(&tournament) {
                let tables = &tournament.round(round).unwrap().draw.tables;
                let seated: BTreeSet<EntrantId> =
                    tables.iter().flat_map(|table| table.seats.iter().copied()).collect();
                let count: usize = tables.iter().map(|table| table.seats.len()).sum();
                if count != seated.len() {
                    all.push(format!("an entrant has two seats in {round} after {entry:?}"));
                }
                let before = drawn.insert(round, seated.clone());
                if let Some(before) = before.filter(|_| !is_draw) {
                    new.extend(seated.difference(&before).map(|entrant| (round, *entrant)));
                }
            }
        }
        results
    }

    /// Returns whether a player's connection had failed when a board began.
    fn was_away(&self, entrant: EntrantId, key: ResultKey) -> bool {
        let Some(&number) = self.numbers.get(&entrant) else { return false };
        self.plan.cuts(number).any(|(at, lasts)| {
            let from = (self.began + at).saturating_sub(SLACK);
            let until = self.began + at + lasts + RETURN_TIME;
            // A board that no client saw was missed by all.
            self.seen.get(&key).is_none_or(|seen| (from..until).contains(seen))
        })
    }
}

/// Compares what a client was told of a board that is over with what its table brought in.
fn compare(
    who: &str,
    key: ResultKey,
    told: &HeatResult,
    result: Option<&BoardResult>,
    log: &[LogLine],
    all: &mut Vec<String>,
) {
    let told: Vec<BoardOutcome> = told.standings.iter().map(BoardOutcome::from).collect();
    let Some(result) = result else {
        if !was_ended(key, log) {
            all.push(format!("{who} was told of a result that isn't kept: {key}"));
        }
        return;
    };
    // An entrant who did not start a match has a row in the log alone.
    let kept = result.rows.iter().map(|(_, outcome)| *outcome);
    let kept: Vec<BoardOutcome> = kept.filter(|outcome| *outcome != BoardOutcome::Dns).collect();
    // A player whose seat was taken away in mid-race has no row in the log.
    let unseats = |line: &&LogLine| matches!(line.entry(), Some(LogEntry::Unseat { round, .. }) if *round == key.round);
    let left_out = told.len().saturating_sub(kept.len());
    let mut rest = told.iter();
    let is_part = kept.iter().all(|outcome| rest.any(|told| told == outcome));
    if told != kept && !(is_part && left_out <= log.iter().filter(unseats).count()) {
        all.push(format!("{who} was told otherwise of {key}: {told:?}, kept {kept:?}"));
    }
}

/// Returns whether a command ended a board in mid-race: one that has it raced again or made void, or one
/// that concerns an earlier board of which it follows.
fn was_ended(key: ResultKey, log: &[LogLine]) -> bool {
    let replays = |entry: &LogEntry| match entry {
        LogEntry::Replay { round, table, board, attempt } => {
            *round == key.round
                && table.is_none_or(|table| table == key.table)
                && board.is_none_or(|board| board == key.board)
                && *attempt > key.attempt
        }
        LogEntry::Void { round, board } => *round == key.round && *board == key.board,
        LogEntry::Draw { key: draw, .. } => draw.round == key.round && draw.attempt > key.attempt,
        LogEntry::Enter { .. }
        | LogEntry::CheckIn { .. }
        | LogEntry::Withdraw { .. }
        | LogEntry::Disqualify { .. }
        | LogEntry::Seed { .. }
        | LogEntry::Result { .. }
        | LogEntry::Seat { .. }
        | LogEntry::Unseat { .. }
        | LogEntry::EndStage { .. }
        | LogEntry::TakeBack { .. } => false,
    };
    let reopens = |line: &LogLine| {
        let is_own = line.by == LogAuthor::Key(fingerprint());
        let round = match line.entry() {
            Some(LogEntry::Result { key, .. }) => key.round,
            Some(LogEntry::Replay { round, .. } | LogEntry::Void { round, .. }) => *round,
            Some(LogEntry::TakeBack { .. }) => return is_own,
            _ => return false,
        };
        is_own && round < key.round
    };
    log.iter().any(|line| line.entry().is_some_and(replays) || reopens(line))
}

/// Counts what happened, by the log.
fn count(plan: &TournamentPlan, folded: &Tournament, log: &[LogLine], outcome: &mut Outcome) {
    let Outcome { counts, organised, .. } = outcome;
    counts.add("tournaments", 1);
    counts.add("commands given again", organised.given_again);
    counts.add("commands refused", organised.refused.len() as u64);
    counts.add("tournaments with no champion", u64::from(folded.champions().is_empty()));
    for line in log {
        let own = line.by == LogAuthor::Key(fingerprint());
        let what = if line.event == PublicEvent::Paused {
            Some("pauses")
        } else if matches!(line.event, PublicEvent::GoMoved { .. }) {
            Some("GOs moved")
        } else {
            line.entry().and_then(|entry| entered(entry, own))
        };
        what.into_iter().for_each(|what| counts.add(what, 1));
    }
    let begun = log.iter().position(|line| line.event == PublicEvent::Begun);
    let late = log.iter().skip(begun.unwrap_or(log.len()));
    let entries = late.filter(|line| matches!(line.entry(), Some(LogEntry::Enter { .. })));
    counts.add("late entries", entries.count() as u64);
    formats(plan, counts);
}

/// Names what an entry of the log is counted as; `own` says whether the organiser ordered it.
const fn entered(entry: &LogEntry, own: bool) -> Option<&'static str> {
    match entry {
        LogEntry::Result { .. } if own => Some("results corrected"),
        LogEntry::TakeBack { .. } => Some("entries taken back"),
        LogEntry::Replay { board: None, .. } if own => Some("tables raced again"),
        LogEntry::Replay { .. } if own => Some("boards raced again"),
        LogEntry::Replay { .. } => Some("boards raced again by the server"),
        LogEntry::Void { .. } => Some("boards voided"),
        LogEntry::Withdraw { .. } => Some("withdrawals"),
        LogEntry::Seat { .. } => Some("seats changed"),
        LogEntry::Disqualify { .. } => Some("disqualifications"),
        LogEntry::Draw { .. } if own => Some("rounds drawn again"),
        LogEntry::EndStage { .. } if own => Some("stages ended"),
        LogEntry::Result { .. }
        | LogEntry::Draw { .. }
        | LogEntry::EndStage { .. }
        | LogEntry::Enter { .. }
        | LogEntry::CheckIn { .. }
        | LogEntry::Seed { .. }
        | LogEntry::Unseat { .. } => None,
    }
}

fn formats(plan: &TournamentPlan, counts: &mut Counts) {
    counts.add("rankings of teams", u64::from(plan.stages.team_scorers().is_some()));
    for stage in plan.stages.stages() {
        let what = match (stage.format, &stage.score) {
            (Format::Arena { .. }, _) => "arenas",
            (Format::RoundRobin { .. }, _) => "round robins",
            (_, ScoreRule::Average) => "averages",
            (_, ScoreRule::Mean) => "means",
            _ => continue,
        };
        counts.add(what, 1);
    }
}
