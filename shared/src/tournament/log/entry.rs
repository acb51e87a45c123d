//! The entries of a tournament's log.

use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey, TeamTag};
use crate::tournament::plan::{FieldError, MAX_ENTRANTS};
use crate::tournament::result::BoardResult;
use crate::tournament::stage_state::DrawError;
use crate::tournament::stage_state::seats::SeatError;
use crate::util::bounded_vec;
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most entries of a log: 1,024 entrants, twelve boards of twenty rounds one on one, and as much again
/// of commands.
pub const MAX_LOG_ENTRIES: usize = 262_144;
/// Most replays and void boards of a log.
pub const MAX_REPLAYS: usize = 4_096;

/// One entry of a tournament's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogEntry {
    /// Enters, before the first draw or late. An entrant is drawn only after a check-in.
    Enter {
        entrant: EntrantId,
        team: Option<TeamTag>,
    },
    /// Says that the entrant is there; takes a withdrawal back.
    CheckIn {
        entrant: EntrantId,
    },
    Withdraw {
        entrant: EntrantId,
    },
    /// Ranks last on all boards of the round drawn last, is drawn no more, and has no place.
    Disqualify {
        entrant: EntrantId,
    },
    /// Puts these first in the order of seeds, the best first; the lot decides about all others.
    Seed {
        #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_ENTRANTS>")]
        order: Vec<EntrantId>,
    },
    /// Draws a round, with the seed that is revealed by it. Of several draws of one round the one of
    /// the highest attempt takes effect.
    Draw {
        key: DrawKey,
        seed: Seed,
        /// Of an arena, who waits and is drawn now; of other formats it has no meaning.
        #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_ENTRANTS>")]
        waiting: Vec<EntrantId>,
    },
    /// What a board brought in, or what the organiser corrected it to.
    Result {
        key: ResultKey,
        result: BoardResult,
    },
    /// Has boards raced again: of one table or all, one board or all. Results of lower attempts are
    /// void. No attempt is used twice in a round, because the seed of a board follows from it.
    Replay {
        round: RoundKey,
        table: Option<u16>,
        board: Option<u8>,
        attempt: u16,
    },
    /// Gives an entrant of the stage a seat at an open table of the round drawn last.
    Seat {
        round: RoundKey,
        table: u16,
        entrant: EntrantId,
    },
    /// Takes an entrant's seat in the round drawn last away; results that name the entrant there
    /// have no effect then.
    Unseat {
        round: RoundKey,
        entrant: EntrantId,
    },
    /// Makes a board of a round void: it doesn't count.
    Void {
        round: RoundKey,
        board: u8,
    },
    /// Draws no further round of the stage that runs, such as when an arena's time is over.
    EndStage {
        stage: u8,
    },
    /// Folds the log without that entry, counted from 0.
    TakeBack {
        entry: u32,
    },
}

/// The reason to refuse an entry. The log is unchanged then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum LogEntryError {
    #[error("the log is full: {MAX_LOG_ENTRIES} entries")]
    LogFull,
    #[error("at most {MAX_REPLAYS} replays and void boards")]
    TooManyReplays,
    #[error("entrant {0} has entered already")]
    AlreadyEntered(EntrantId),
    #[error("there is no entrant {0}")]
    UnknownEntrant(EntrantId),
    #[error("entrant {0} is disqualified")]
    Disqualified(EntrantId),
    #[error("entries are closed: a cut was made, or the bracket or schedule is drawn")]
    EntriesClosed,
    #[error("seeds are set before the first draw, and name each entrant once")]
    Seeds,
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("the next draw is of {expected}, not of {found}")]
    OtherRound { expected: RoundKey, found: RoundKey },
    #[error("a new draw or a replay of {round} has attempt {} or a higher one", .least + 1)]
    UsedAttempt { round: RoundKey, least: u16 },
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error("entrant {0} races at a table that isn't over")]
    Racing(EntrantId),
    #[error("there is no {0}")]
    UnknownRound(RoundKey),
    #[error("there is no such table or board: {0}")]
    UnknownBoard(ResultKey),
    #[error("attempt {} counts, not attempt {}", .expected + 1, .found + 1)]
    OtherAttempt { expected: u16, found: u16 },
    #[error("the result names entrants twice or such as have no seat at the table")]
    OtherSeats,
    #[error("{0} isn't the round that was drawn last")]
    NotLatestRound(RoundKey),
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error("an average needs all its boards: have the board raced again instead")]
    VoidInAverage,
    #[error("a round needs a board that counts: have the board raced again instead")]
    NoBoardLeft,
    #[error("stage {} doesn't run", u16::from(*.0) + 1)]
    StageNotRunning(u8),
    #[error("the log has no entry {}, or it is taken back already", u64::from(*.0) + 1)]
    NoSuchEntry(u32),
    #[error("the tournament is over")]
    Over,
}

/// Returns the entries of a log that aren't taken back, in order.
pub(super) fn effective(log: &[LogEntry]) -> Vec<&LogEntry> {
    let taken_back = taken_back(log);
    let stands = |(index, _): &(usize, &LogEntry)| !taken_back.contains(index);
    log.iter().enumerate().filter(stands).map(|(_, entry)| entry).collect()
}

/// Returns the indices of the entries that are taken back. An entry that takes another one back can
/// be taken back itself.
pub(super) fn taken_back(log: &[LogEntry]) -> BTreeSet<usize> {
    let mut taken_back = BTreeSet::new();
    for (index, entry) in log.iter().enumerate().rev() {
        if let LogEntry::TakeBack { entry } = entry
            && !taken_back.contains(&index)
        {
            let target = usize::try_from(*entry).unwrap_or(usize::MAX);
            if target < index {
                taken_back.insert(target);
            }
        }
    }
    taken_back
}
