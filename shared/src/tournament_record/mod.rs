//! Records of tournaments: the public log and all replays in one file that anyone can verify.
//!
//! - [`TournamentRecord::encode`] and [`TournamentRecord::decode`] are the file, and
//!   [`TournamentRecord::sign`] is the file with a server's signature. `docs/tournaments.md` says how
//!   it is written.
//! - [`verify()`] recomputes what follows from the rest: draws from the revealed secret, results from
//!   the replays, standings and champions from the log, and says what doesn't hold, and where.
//! - [`standing_rows`] and [`result_rows`] are the same as tables.

mod error;
mod file;
mod heat_result;
mod rows;
#[cfg(test)]
mod tests;
mod verify;

pub use error::{RecordError, RecordErrorKind, RecordPart};
pub use heat_result::{HeatResultError, heat_result};
pub use rows::{ResultRow, StandingRow, result_rows, standing_rows};
pub use verify::{MAX_REPORTED_ERRORS, RecordReport, verify};

use crate::heat::commitment::Commitment;
use crate::heat::identity::Fingerprint;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::replay::MAX_REPLAY_BYTES;
use crate::tournament::draw::RoundDraw;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey, TeamTag, TournamentName};
use crate::tournament::log::{LogEntry, MAX_LOG_ENTRIES, Tournament};
use crate::tournament::plan::TournamentPlan;
use crate::tournament::public_log::{LogLine, PublicEvent, fold};
use crate::tournament::rank::Ranked;
use crate::tournament::settings::TournamentSettings;
use crate::tournament::teams::RankedTeam;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that is written, and the latest that is read.
pub const FORMAT: u64 = 1;
/// Upper bound on the bytes of a record: what a program holds in memory while it verifies one.
pub const MAX_RECORD_BYTES: usize = 512 * 1024 * 1024;
/// Most lines of a log: its entries, and as many that tell of something else.
pub const MAX_LOG_LINES: usize = 2 * MAX_LOG_ENTRIES;
/// Most heats of a record.
pub const MAX_RECORDED_HEATS: usize = 65_536;
/// Longest head and longest line of a log in bytes: a draw that names a thousand entrants.
const MAX_JSON_BYTES: usize = 64 * 1024;
/// Most bytes of a heat: the numbers of its key, and its replay.
const MAX_HEAT_BYTES: usize = MAX_REPLAY_BYTES + 64;

/// A tournament from its opening, perhaps to its end.
///
/// ```
/// use gridrace_shared::replay::ParseErrorKind;
/// use gridrace_shared::tournament_record::TournamentRecord;
/// let why = TournamentRecord::decode(b"a letter to a friend").unwrap_err();
/// let expected = "record of a tournament";
/// assert_eq!((why.offset, why.kind), (0, ParseErrorKind::OtherFormat { expected }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentRecord {
    pub head: RecordHead,
    pub log: Vec<LogLine>,
    /// In the order of their keys.
    pub heats: Vec<RecordedHeat>,
    pub outcome: RecordedOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordHead {
    /// Name and version of the program that wrote it.
    pub writer: String,
    pub name: TournamentName,
    pub plan: TournamentPlan,
    pub settings: TournamentSettings,
    /// Seconds since the beginning of 1970, UTC; what the log's times count from.
    pub opened: u64,
    /// What was published before the first draw.
    pub commitment: Commitment,
}

/// A heat that brought in the result of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedHeat {
    pub key: ResultKey,
    /// The file of the replay, with the server's signature.
    pub replay: Vec<u8>,
}

/// What the server said that follows from the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedOutcome {
    pub rounds: Vec<RecordedRound>,
    pub standings: Vec<Ranked>,
    pub teams: Option<Vec<RankedTeam>>,
    /// None while the tournament runs.
    pub champions: Vec<EntrantId>,
}

/// The tables of a round as they were at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRound {
    pub key: RoundKey,
    pub attempt: u16,
    pub draw: RoundDraw,
}

/// An entrant's profile, from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrantCard {
    pub name: PlayerName,
    pub key: Fingerprint,
    pub kind: PlayerKind,
    pub team: Option<TeamTag>,
}

impl TournamentRecord {
    /// Makes a record of what the server has: the outcome follows from the log.
    pub fn new(head: RecordHead, log: Vec<LogLine>, mut heats: Vec<RecordedHeat>) -> Self {
        heats.sort_by_key(|heat| heat.key);
        let outcome = RecordedOutcome::of(&fold(head.plan.clone(), &log));
        Self { head, log, heats, outcome }
    }
}

impl RecordedOutcome {
    pub fn of(tournament: &Tournament) -> Self {
        let stages = (0u8..).zip(tournament.stages());
        let rounds = stages.flat_map(|(stage, state)| {
            (0u16..).zip(state.rounds()).map(move |(round, state)| RecordedRound {
                key: RoundKey { stage, round },
                attempt: state.attempt,
                draw: state.draw.clone(),
            })
        });
        Self {
            rounds: rounds.collect(),
            standings: tournament.standings(),
            teams: tournament.team_standings(),
            champions: tournament.champions(),
        }
    }
}

/// Returns the profiles of the entrants of a log. Of two lines about one entrant the first counts.
pub fn entrant_cards(log: &[LogLine]) -> BTreeMap<EntrantId, EntrantCard> {
    let mut cards = BTreeMap::new();
    for line in log {
        if let PublicEvent::Entrant { entrant, name, key, kind } = &line.event {
            let card = EntrantCard { name: name.clone(), key: *key, kind: *kind, team: None };
            cards.entry(*entrant).or_insert(card);
        }
        if let Some(LogEntry::Enter { entrant, team }) = line.entry()
            && let Some(card) = cards.get_mut(entrant)
        {
            card.team.clone_from(team);
        }
    }
    cards
}
