//! Verifies a replay: recomputes everything in it that follows from the rest.

use super::{FieldOffsets, ParseError, Record, RecordKind, Replay, SignatureCheck};
use crate::heat::commitment::Commitment;
use crate::heat::ids::{PlayerId, Seq};
use crate::heat::options::OptionsError;
use crate::heat::player_kind::PlayerKind;
use crate::heat::standings::{RaceState, Ranked, Standing, rank};
use crate::puzzle::PieceProgress;
use crate::replay::simulate::{RuleViolation, SimulatedPlayer, Simulation};
use crate::util::time::Millis;
use std::collections::BTreeSet;

/// Upper bound on reported errors.
pub const MAX_REPORTED_ERRORS: usize = 100;

/// An error in a readable replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// Offset in bytes from the start of the file.
    pub offset: u64,
    pub player: Option<PlayerId>,
    /// The player's last move before the error.
    pub after: Option<Seq>,
    /// When, since GO.
    pub at: Option<Millis>,
    pub kind: VerifyErrorKind,
}

/// The kind of an error in a readable replay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyErrorKind {
    #[error("no heat can have these options: {0}")]
    Options(OptionsError),
    #[error("seed and salt give the commitment {given}, not the one that was published")]
    Commitment { given: Commitment },
    #[error("the seed names another board than the one that was played")]
    Board,
    #[error("a bot has a seat in a heat without bots")]
    Bot,
    #[error("the name looks like that of another player")]
    Name,
    #[error(transparent)]
    RuleViolation(RuleViolation),
    #[error("it happened after the heat's end at {ended}")]
    AfterEnd { ended: Millis },
    #[error("the last race ended at {over}, and the heat didn't end with it")]
    OtherEnd { over: Millis },
    #[error("the heat ended after its time limit of {limit}")]
    TooLong { limit: Millis },
    /// The heat was over although a player still raced who was there, or could come back.
    #[error(
        "the heat ended before its time limit, while a player who was not gone for good still raced"
    )]
    TooShort,
    #[error("the player has no row in the standings")]
    NoRow,
    #[error("the row is of no player, or a second one of a player")]
    ExtraRow,
    #[error("{part} is {expected}, but {found} is recorded")]
    Row { part: Part, expected: String, found: String },
    #[error("the recorded lower bound of {at_least} moves is above the recorded best of {at_most}")]
    BestBounds { at_least: u32, at_most: u32 },
    #[error("a player finished in {shortest} moves, fewer than the recorded best of {at_most}")]
    BestBeaten { at_most: u32, shortest: u32 },
}

/// A part of a row of the standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Part {
    /// 1 for the first.
    #[error("the place")]
    Place,
    #[error("the finish")]
    State,
    /// 0 to 1000.
    #[error("the progress")]
    Progress,
    #[error("the tally of links")]
    Tally,
    /// In both ways of counting.
    #[error("the count of moves")]
    Moves,
    #[error("the count of hints")]
    Hints,
    #[error("the penalty")]
    Penalty,
    #[error("whether the connection stood")]
    Connected,
}

/// A replay, and its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyReport {
    pub replay: Replay,
    /// In the order in which they were found, at most [`MAX_REPORTED_ERRORS`].
    pub errors: Vec<VerifyError>,
    /// The number of all errors.
    pub count: u64,
    /// Players whose records were cut: their later actions are taken as stated.
    pub cut: Vec<PlayerId>,
    /// The signature, which covers what doesn't follow from the rest, such as names and times.
    pub signature: SignatureCheck,
}

/// Reads a replay and recomputes whatever in it follows from the rest: commitment,
/// board, each move by the rules, times, hints and penalties, places and the end. Of a large
/// Numberlink the board may take seconds.
pub fn verify(file: &[u8]) -> Result<VerifyReport, ParseError> {
    let (replay, offsets, signature) = Replay::locate(file)?;
    let mut check = ReplayCheck { offsets: &offsets, errors: Vec::new(), count: 0 };
    check.origin(&replay);
    let mut simulation = Simulation::new(&replay.events, &replay.header.options);
    let over = check.events(&replay, &mut simulation);
    check.end(&replay, &simulation, over);
    simulation.end();
    check.standings(&replay, &simulation);
    check.best(&replay);
    let ReplayCheck { errors, count, .. } = check;
    let cut = |player: &&SimulatedPlayer| player.cut;
    let cut = simulation.players().iter().filter(cut).map(|runner| runner.player);
    Ok(VerifyReport { cut: cut.collect(), errors, count, replay, signature })
}

struct ReplayCheck<'a> {
    offsets: &'a FieldOffsets,
    errors: Vec<VerifyError>,
    count: u64,
}

impl ReplayCheck<'_> {
    fn add(&mut self, error: VerifyError) {
        self.count += 1;
        if self.errors.len() < MAX_REPORTED_ERRORS {
            self.errors.push(error);
        }
    }

    fn find(&mut self, offset: u64, player: Option<PlayerId>, kind: VerifyErrorKind) {
        self.add(VerifyError { offset, player, after: None, at: None, kind });
    }

    /// Options, commitment, board, who may play and under which names.
    fn origin(&mut self, replay: &Replay) {
        let Replay { header, events, .. } = replay;
        let options = &header.options;
        if let Err(error) = options.check() {
            self.find(self.offsets.options, None, VerifyErrorKind::Options(error));
        }
        let given = header.secret.commitment(&options.spec);
        if given != header.commitment {
            self.find(self.offsets.commitment, None, VerifyErrorKind::Commitment { given });
        }
        if options.spec.board(&header.secret.seed) != *events.start() {
            self.find(self.offsets.board, None, VerifyErrorKind::Board);
        }
        for racer in events.racers() {
            if racer.kind != PlayerKind::Human && !options.bots_allowed {
                self.find(self.offsets.racers, Some(racer.id), VerifyErrorKind::Bot);
            }
        }
        let mut names = BTreeSet::new();
        for racer in events.racers() {
            if !names.insert(racer.name.skeleton()) {
                self.find(self.offsets.racers, Some(racer.id), VerifyErrorKind::Name);
            }
        }
    }

    /// Everything that happened, in its order; returns when the last race ended.
    fn events(&mut self, replay: &Replay, simulation: &mut Simulation) -> Option<Millis> {
        let ended = replay.outcome.ended;
        let mut over = None;
        for (offset, record) in replay.events.records() {
            let offset = self.offsets.records + offset;
            let player = player_of(&record);
            let runner = player.and_then(|player| simulation.player(player));
            let after = runner.map(|runner| runner.seq);
            let mut find = |kind| {
                self.add(VerifyError { offset, player, after, at: Some(record.at), kind });
            };
            if record.at > ended {
                find(VerifyErrorKind::AfterEnd { ended });
            }
            if let Err(violation) = simulation.run(&record) {
                find(VerifyErrorKind::RuleViolation(violation));
            }
            if over.is_none() && !simulation.is_raced() {
                over = Some(record.at);
            }
        }
        over
    }

    /// When the heat ended: with the last race in it, at its time limit, or before, where
    /// nobody was left to see it.
    fn end(&mut self, replay: &Replay, simulation: &Simulation, over: Option<Millis>) {
        let limit = replay.header.options.time_limit();
        let ended = replay.outcome.ended;
        let cut = simulation.players().iter().any(|runner| runner.cut);
        if ended > limit {
            self.find(self.offsets.ended, None, VerifyErrorKind::TooLong { limit });
        } else if let Some(over) = over.filter(|&over| over != ended && !cut) {
            self.find(self.offsets.ended, None, VerifyErrorKind::OtherEnd { over });
        } else if ended < limit && !cut && simulation.must_go_on() {
            self.find(self.offsets.ended, None, VerifyErrorKind::TooShort);
        }
    }

    /// The rows, each by itself and in their order.
    fn standings(&mut self, replay: &Replay, simulation: &Simulation) {
        let rows = &replay.outcome.standings;
        let expected = self.expected(rows, simulation);
        let mut seen = Vec::new();
        for (found, &offset) in rows.iter().zip(&self.offsets.rows) {
            let player = found.player;
            let expected = expected.iter().find(|row| row.player == player);
            match expected {
                Some(expected) if !seen.contains(&player) => {
                    seen.push(player);
                    self.row(offset, expected, found);
                }
                Some(_) | None => self.find(offset, Some(player), VerifyErrorKind::ExtraRow),
            }
        }
        for racer in replay.events.racers() {
            if !seen.contains(&racer.id) {
                self.find(self.offsets.best, Some(racer.id), VerifyErrorKind::NoRow);
            }
        }
    }

    /// Returns the rows as they follow from the records. Of a player whose record was cut,
    /// what the row says is believed, and ranked with the others.
    fn expected(&self, rows: &[Standing], simulation: &Simulation) -> Vec<Standing> {
        let believed = |runner: &SimulatedPlayer| {
            let row = rows.iter().find(|row| row.player == runner.player);
            row.filter(|_| runner.cut).cloned()
        };
        let ranked = simulation.players().iter().map(|runner| match believed(runner) {
            // When the believed progress came about isn't known: after everything.
            Some(standing) => Ranked { standing, order: u64::MAX },
            None => runner.ranked(),
        });
        rank(ranked.collect())
    }

    fn row(&mut self, offset: u64, expected: &Standing, found: &Standing) {
        let state = |state: RaceState| match state {
            RaceState::Racing => "racing".to_owned(),
            RaceState::Finished { time } => time.to_string(),
            RaceState::Dnf => "DNF".to_owned(),
        };
        let tally = |row: &Standing| {
            let text = |tally: PieceProgress| {
                format!("{tally}, {} of {} cells", tally.covered, tally.cells)
            };
            row.tally.map_or_else(|| "none".to_owned(), text)
        };
        let moves = |row: &Standing| format!("{} in {}", row.moves.moves, row.moves.acts);
        let parts = [
            (Part::Place, expected.place.to_string(), found.place.to_string()),
            (Part::State, state(expected.state), state(found.state)),
            (Part::Progress, expected.progress.to_string(), found.progress.to_string()),
            (Part::Tally, tally(expected), tally(found)),
            (Part::Moves, moves(expected), moves(found)),
            (Part::Hints, expected.hints.to_string(), found.hints.to_string()),
            (Part::Penalty, expected.penalty.to_string(), found.penalty.to_string()),
            (Part::Connected, expected.connected.to_string(), found.connected.to_string()),
        ];
        for (part, expected, found_text) in parts {
            if expected != found_text {
                let kind = VerifyErrorKind::Row { part, expected, found: found_text };
                self.find(offset, Some(found.player), kind);
            }
        }
    }

    fn best(&mut self, replay: &Replay) {
        let Some(best) = replay.outcome.best else {
            return;
        };
        let finished = replay.outcome.standings.iter().filter_map(|row| match row.state {
            RaceState::Finished { .. } => Some(row.moves.moves),
            RaceState::Racing | RaceState::Dnf => None,
        });
        let (at_least, at_most) = (best.at_least, best.at_most);
        if at_least > at_most {
            let kind = VerifyErrorKind::BestBounds { at_least, at_most };
            self.find(self.offsets.best, None, kind);
        }
        if let Some(shortest) = finished.min().filter(|&shortest| shortest < at_most) {
            let kind = VerifyErrorKind::BestBeaten { at_most, shortest };
            self.find(self.offsets.best, None, kind);
        }
    }
}

const fn player_of(record: &Record) -> Option<PlayerId> {
    match &record.kind {
        RecordKind::Racer { player, event: _ } => Some(*player),
        RecordKind::Outage { .. } => None,
    }
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {}", self.offset)?;
        if let Some(player) = self.player {
            write!(f, ", player {player}")?;
        }
        if let Some(after) = self.after {
            write!(f, ", after move {after}")?;
        }
        if let Some(at) = self.at {
            write!(f, ", at {at}")?;
        }
        write!(f, ": {}", self.kind)
    }
}
