//! Verifies a record: recomputes what follows from the rest.

use super::file::RecordOffsets;
use super::{
    RecordError, RecordErrorKind, RecordPart, RecordedHeat, RecordedOutcome, TournamentRecord,
    heat_result,
};
use crate::heat::commitment::Commitment;
use crate::heat::identity::Fingerprint;
use crate::heat::options::HeatOptions;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::replay::{self, ParseError, Replay, SignatureCheck};
use crate::tournament::draw_commitment::{DrawKey, TournamentSecret, commit_to_draw};
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::log::{LogEntry, Tournament};
use crate::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use crate::tournament::rank::Ranked;
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::util::seed::Seed;
use std::collections::{BTreeMap, BTreeSet};

/// Upper bound on reported errors.
pub const MAX_REPORTED_ERRORS: usize = 100;

/// Seconds by which the dates of one GO differ at most: they are rounded.
const GO_TOLERANCE: u64 = 1;

/// A record, what follows from its log, and its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordReport {
    pub record: TournamentRecord,
    /// The fold of the log.
    pub tournament: Tournament,
    /// What doesn't hold, in the order of the file; [`MAX_REPORTED_ERRORS`] at most.
    pub errors: Vec<RecordError>,
    pub count: u64,
    /// Results that the organiser set, which no replay proves.
    pub corrections: Vec<ResultKey>,
    /// Whether the secret is revealed, so that draws and boards could be recomputed from it.
    pub is_revealed: bool,
    /// The signature, which covers what doesn't follow from the rest, such as names and times.
    pub signature: SignatureCheck,
}

/// Reads a record and recomputes draws, results, standings and champions, and checks every
/// commitment and every signature.
///
/// # Errors
///
/// The file can't be read.
pub fn verify(file: &[u8]) -> Result<RecordReport, ParseError> {
    let (record, offsets, signature) = TournamentRecord::locate(file)?;
    let mut check = RecordCheck::new(&record, &offsets);
    check.head();
    let tournament = check.log();
    check.heats(signature);
    check.outcome(&RecordedOutcome::of(&tournament));
    let RecordCheck { errors, count, corrections, secret, .. } = check;
    let is_revealed = secret.is_some();
    Ok(RecordReport { tournament, errors, count, corrections, is_revealed, signature, record })
}

struct RecordCheck<'a> {
    record: &'a TournamentRecord,
    offsets: &'a RecordOffsets,
    /// What the log reveals, on any line.
    secret: Option<TournamentSecret>,
    entrants: BTreeMap<PlayerName, (EntrantId, PlayerKind)>,
    /// The results that the server recorded, each with its line.
    results: BTreeMap<ResultKey, (usize, &'a BoardResult)>,
    /// The entrants who had a seat as each result came in: the log has no row of others who raced.
    seated: BTreeMap<ResultKey, Vec<EntrantId>>,
    corrections: Vec<ResultKey>,
    errors: Vec<RecordError>,
    count: u64,
}

impl<'a> RecordCheck<'a> {
    fn new(record: &'a TournamentRecord, offsets: &'a RecordOffsets) -> Self {
        let revealed = record.log.iter().find_map(|line| {
            let PublicEvent::SecretRevealed { secret } = &line.event else { return None };
            Some(secret.clone())
        });
        Self {
            record,
            offsets,
            secret: revealed,
            entrants: BTreeMap::new(),
            results: BTreeMap::new(),
            seated: BTreeMap::new(),
            corrections: Vec::new(),
            errors: Vec::new(),
            count: 0,
        }
    }

    fn add(&mut self, offset: u64, part: RecordPart, kind: RecordErrorKind) {
        self.count += 1;
        if self.errors.len() < MAX_REPORTED_ERRORS {
            self.errors.push(RecordError { offset, part, kind });
        }
    }

    fn add_at_line(&mut self, line: usize, kind: RecordErrorKind) {
        let offset = self.offsets.lines.get(line).copied().unwrap_or(self.offsets.head);
        self.add(offset, RecordPart::Line(line), kind);
    }

    fn head(&mut self) {
        if let Err(error) = self.record.head.settings.check() {
            self.add(self.offsets.head, RecordPart::Head, RecordErrorKind::Settings(error));
        }
    }

    /// Checks the log line by line, and returns what follows from it.
    fn log(&mut self) -> Tournament {
        let record = self.record;
        let mut tournament = Tournament::new(record.head.plan.clone());
        let mut cards = Cards::default();
        let mut commitments = BTreeMap::new();
        let mut before = None;
        for (number, line) in record.log.iter().enumerate() {
            if before.is_some_and(|before| line.at < before) {
                self.add_at_line(number, RecordErrorKind::Earlier);
            }
            before = Some(line.at);
            self.line(number, line, &mut cards, &mut commitments);
            let Some(entry) = line.entry() else { continue };
            if let LogEntry::Result { key, .. } = entry
                && line.by == LogAuthor::Server
                && let Some(round) = tournament.round(key.round)
                && let Some(table) = round.draw.table(key.table)
            {
                self.seated.insert(*key, table.seats.clone());
            }
            if let Err(error) = tournament.apply(entry.clone()) {
                self.add_at_line(number, RecordErrorKind::Entry(error));
            }
        }
        if tournament.is_over() && self.secret.is_none() {
            let last = record.log.len().saturating_sub(1);
            self.add_at_line(last, RecordErrorKind::NoSecret);
        }
        tournament
    }

    fn line(
        &mut self,
        number: usize,
        line: &'a LogLine,
        cards: &mut Cards,
        commitments: &mut BTreeMap<DrawKey, Commitment>,
    ) {
        let by_server = line.by == LogAuthor::Server;
        let event = &line.event;
        if let PublicEvent::Entrant { entrant, name, key, kind } = event {
            if !cards.insert(*entrant, name, *key) {
                self.add_at_line(number, RecordErrorKind::RepeatedEntrant);
            }
            self.entrants.entry(name.clone()).or_insert((*entrant, *kind));
        }
        let is_servers =
            matches!(event, PublicEvent::DrawCommitted { .. } | PublicEvent::SecretRevealed { .. });
        if is_servers && !by_server {
            self.add_at_line(number, RecordErrorKind::NotByServer);
            return;
        }
        if let PublicEvent::DrawCommitted { key, commitment } = event
            && commitments.insert(*key, *commitment).is_some()
        {
            self.add_at_line(number, RecordErrorKind::RepeatedCommitment(*key));
        }
        if let PublicEvent::SecretRevealed { secret } = event {
            self.revealed(number, secret);
        }
        let PublicEvent::Entry { entry, reason } = event else { return };
        if let LogEntry::Enter { entrant, .. } = entry
            && !cards.ids.contains(entrant)
        {
            self.add_at_line(number, RecordErrorKind::UnknownEntrant(*entrant));
        }
        if let LogEntry::Draw { key, seed, .. } = entry {
            self.draw(number, *key, seed, commitments.get(key));
        }
        let LogEntry::Result { key, result } = entry else { return };
        if !by_server {
            self.corrections.push(*key);
            if reason.is_none() {
                self.add_at_line(number, RecordErrorKind::NoReason);
            }
        } else if self.results.insert(*key, (number, result)).is_some() {
            self.add_at_line(number, RecordErrorKind::RepeatedResult);
        }
    }

    fn revealed(&mut self, number: usize, secret: &TournamentSecret) {
        let given = secret.commitment();
        if given != self.record.head.commitment {
            self.add_at_line(number, RecordErrorKind::Secret { given });
        }
        let is_draw = |line: &LogLine| matches!(line.entry(), Some(LogEntry::Draw { .. }));
        if self.record.log.iter().skip(number).any(is_draw) {
            self.add_at_line(number, RecordErrorKind::EarlySecret);
        }
    }

    fn draw(&mut self, number: usize, key: DrawKey, seed: &Seed, committed: Option<&Commitment>) {
        let given = commit_to_draw(key, seed);
        match committed {
            None => self.add_at_line(number, RecordErrorKind::NoCommitment),
            Some(published) if *published != given => {
                self.add_at_line(number, RecordErrorKind::DrawCommitment { given });
            }
            Some(_) => {}
        }
        let given = self.secret.as_ref().map(|secret| secret.draw_seed(key));
        if let Some(given) = given.filter(|given| given != seed) {
            self.add_at_line(number, RecordErrorKind::DrawSeed { given });
        }
    }

    /// Checks each replay by itself, against the log and against the others.
    fn heats(&mut self, signature: SignatureCheck) {
        let record = self.record;
        let mut starts: BTreeMap<(RoundKey, u8, u16), u64> = BTreeMap::new();
        for (heat, &offset) in record.heats.iter().zip(&self.offsets.heats) {
            let Some(replay) = self.replay(heat, offset, signature) else { continue };
            self.heat(heat.key, offset, &replay);
            let ResultKey { round, board, attempt, .. } = heat.key;
            if let Some(began) = replay.header.began {
                let first = *starts.entry((round, board, attempt)).or_insert(began.0);
                if first.abs_diff(began.0) > GO_TOLERANCE {
                    self.add(offset, RecordPart::Heat(heat.key), RecordErrorKind::OtherGo);
                }
            }
        }
        let recorded: BTreeSet<ResultKey> = record.heats.iter().map(|heat| heat.key).collect();
        let missing: Vec<usize> = self
            .results
            .iter()
            .filter(|(key, (_, result))| {
                // A board to which no entrant came has no heat.
                !recorded.contains(key) && result.rows.iter().any(|row| row.1.has_started())
            })
            .map(|(_, (line, _))| *line)
            .collect();
        for line in missing {
            self.add_at_line(line, RecordErrorKind::NoReplay);
        }
    }

    /// Verifies a replay by itself.
    fn replay(
        &mut self,
        heat: &RecordedHeat,
        offset: u64,
        signature: SignatureCheck,
    ) -> Option<Replay> {
        let part = RecordPart::Heat(heat.key);
        let report = match replay::verify(&heat.replay) {
            Ok(report) => report,
            Err(error) => {
                self.add(offset + error.offset, part, RecordErrorKind::Damaged(error.kind));
                return None;
            }
        };
        for error in report.errors {
            self.add(offset + error.offset, part, RecordErrorKind::Replay(error.kind));
        }
        let is_signed_alike = match (signature, report.signature) {
            (SignatureCheck::Valid(record), SignatureCheck::Valid(replay)) => record == replay,
            (SignatureCheck::Valid(_), _) | (_, SignatureCheck::Invalid(_)) => false,
            (SignatureCheck::Unsigned | SignatureCheck::Invalid(_), _) => true,
        };
        if !is_signed_alike {
            self.add(offset, part, RecordErrorKind::ReplaySignature);
        }
        Some(report.replay)
    }

    /// Checks a replay against the log.
    fn heat(&mut self, key: ResultKey, offset: u64, replay: &Replay) {
        let part = RecordPart::Heat(key);
        let ResultKey { round, board, attempt, .. } = key;
        let head = &self.record.head;
        let stage = head.plan.stages().get(usize::from(round.stage));
        let spec =
            stage.and_then(|stage| stage.puzzle(board)).unwrap_or(head.settings.options.spec);
        let found = &replay.header.options;
        if found.spec != spec {
            let (expected, found) = (spec.to_string(), found.spec.to_string());
            self.add(offset, part, RecordErrorKind::Puzzle { expected, found });
        } else if !has_options(found, &head.settings.options) {
            self.add(offset, part, RecordErrorKind::OtherOptions);
        }
        let seed = &replay.header.secret.seed;
        let given = self.secret.as_ref();
        let given = given.map(|secret| secret.board_seed(DrawKey { round, attempt }, board));
        if let Some(given) = given.filter(|given| given != seed) {
            self.add(offset, part, RecordErrorKind::BoardSeed { given });
        }
        let Some((line, recorded)) = self.results.get(&key).copied() else {
            self.add(offset, part, RecordErrorKind::NoResult);
            return;
        };
        match heat_result(replay, &self.entrants) {
            Err(error) => self.add(offset, part, RecordErrorKind::Players(error)),
            Ok(mut expected) => {
                if let Some(seats) = self.seated.get(&key) {
                    expected.rows.retain(|(entrant, _)| seats.contains(entrant));
                }
                // An entrant who did not start may have a row in the log, and has none in the replay.
                let starts = |row: &&(EntrantId, BoardOutcome)| row.1 != BoardOutcome::Dns;
                let found =
                    BoardResult { rows: recorded.rows.iter().filter(starts).copied().collect() };
                if found != expected {
                    let (expected, found) = (describe(&expected), describe(&found));
                    self.add_at_line(line, RecordErrorKind::Result { expected, found });
                }
            }
        }
    }

    fn outcome(&mut self, expected: &RecordedOutcome) {
        let found = &self.record.outcome;
        let mut kinds = Vec::new();
        if expected.rounds.len() != found.rounds.len() {
            kinds.push(RecordErrorKind::Rounds);
        }
        let rounds = expected.rounds.iter().zip(&found.rounds);
        kinds.extend(
            rounds
                .filter(|(expected, found)| expected != found)
                .map(|(expected, _)| RecordErrorKind::Tables(expected.key)),
        );
        let lines = expected.standings.len().max(found.standings.len());
        let row = |list: &[Ranked], line: usize| {
            list.get(line).map_or_else(|| "nothing".to_owned(), describe_row)
        };
        kinds.extend(
            (0..lines)
                .filter(|&line| expected.standings.get(line) != found.standings.get(line))
                .map(|line| RecordErrorKind::Standings {
                    line,
                    expected: row(&expected.standings, line),
                    found: row(&found.standings, line),
                }),
        );
        if expected.teams != found.teams {
            kinds.push(RecordErrorKind::Teams);
        }
        if expected.champions != found.champions {
            let list = |list: &[EntrantId]| {
                let names: Vec<String> = list.iter().map(EntrantId::to_string).collect();
                if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
            };
            let (expected, found) = (list(&expected.champions), list(&found.champions));
            kinds.push(RecordErrorKind::Champions { expected, found });
        }
        for kind in kinds {
            self.add(self.offsets.outcome, RecordPart::Outcome, kind);
        }
    }
}

/// The numbers, keys and names of entrants, each of which is one entrant's.
#[derive(Debug, Default)]
struct Cards {
    ids: BTreeSet<EntrantId>,
    keys: BTreeSet<Fingerprint>,
    names: BTreeSet<String>,
}

impl Cards {
    /// Adds an entrant; whether all is new.
    fn insert(&mut self, entrant: EntrantId, name: &PlayerName, key: Fingerprint) -> bool {
        let id_is_new = self.ids.insert(entrant);
        let key_is_new = self.keys.insert(key);
        self.names.insert(name.skeleton()) && id_is_new && key_is_new
    }
}

/// Returns whether a heat was raced by the tournament's options; the countdown, which every board has
/// its own of, and what only concerns the room aside.
fn has_options(heat: &HeatOptions, tournament: &HeatOptions) -> bool {
    heat.time_limit_seconds == tournament.time_limit_seconds && heat.hints == tournament.hints
}

fn describe(result: &BoardResult) -> String {
    let row = |(entrant, outcome): &(EntrantId, BoardOutcome)| match outcome {
        BoardOutcome::Finished { time } => format!("{entrant} {time}"),
        BoardOutcome::Dnf { progress } => format!("{entrant} DNF at {progress}"),
        BoardOutcome::Dns => format!("{entrant} DNS"),
        BoardOutcome::Disqualified => format!("{entrant} disqualified"),
    };
    let rows: Vec<String> = result.rows.iter().map(row).collect();
    if rows.is_empty() { "no row".to_owned() } else { rows.join(", ") }
}

fn describe_row(row: &Ranked) -> String {
    format!("place {}, {}, {}", row.place, row.entrant, row.score)
}
