//! Replays: what happened in a heat, in a file that anybody can read and check.
//!
//! A [`Replay`] records what happened, not how a race is built: options, commitment, seed
//! and salt, the board, who did what and when, and the result. `docs/replays.md` says
//! how it is written, for readers in any language.
//!
//! - [`EventLog`] is who did what and when, in two or three bytes a move, and
//!   [`EventLogWriter`] writes it while it happens.
//! - [`Replay::encode`] and [`Replay::decode`] are the file; [`ParseError`] says what is wrong
//!   with one, and at which byte.
//! - [`Simulation`] runs a heat again by the rules, [`Playback`] goes to any instant of it, and
//!   [`verify()`] says what doesn't hold.

mod event_log;
mod file;
mod move_codec;
mod outcome;
mod parse_error;
mod playback;
mod records;
mod sections;
mod simulate;
#[cfg(test)]
mod tests;
mod verify;
mod verify_error;

pub use crate::util::byte_codec::ReadErrorKind;
pub use event_log::{EventLog, EventLogError, EventLogWriter, MAX_PLAYER_BYTES};
pub use file::FieldOffsets;
pub use parse_error::{ParseError, ParseErrorKind};
pub use playback::Playback;
pub use records::{RecordCursor, Records};
pub use simulate::{RuleViolation, SimulatedPlayer, Simulation};
pub use verify::{MAX_REPORTED_ERRORS, VerifyReport, verify};
pub use verify_error::{Part, VerifyError, VerifyErrorKind};

use crate::heat::commitment::SeedOrigin;
use crate::heat::commitment::{Commitment, Secret};
use crate::heat::ids::{PlayerId, RoomCode};
use crate::heat::options::{HeatOptions, TIME_LIMIT_SECONDS};
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::heat::standings::Standing;
use crate::puzzle::Move;
use crate::puzzle::MoveBounds;
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};

/// The version of the format that is written, and the latest that is read.
pub const FORMAT: u64 = 1;

/// As many players as a replay has at most: as many as a heat.
pub const MAX_RACERS: usize = 32;

/// The longest replay in bytes: as much as all players may be recorded with, and room for
/// the rest.
pub const MAX_REPLAY_BYTES: usize = MAX_RACERS * MAX_PLAYER_BYTES + 64 * 1024;

/// No instant of a heat is later: the longest time limit after GO.
pub const MAX_TIME: Millis = Millis::from_seconds(*TIME_LIMIT_SECONDS.end() as u64);

/// A heat from GO to its end.
///
/// ```
/// use gridrace_shared::replay::{ParseError, ParseErrorKind, Replay};
/// let why = Replay::decode(b"a letter to a friend").unwrap_err();
/// assert_eq!((why.offset, why.what), (0, ParseErrorKind::NotAReplay));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Which heat it was, by which rules, and where its board came from.
    pub about: About,
    /// The board, the players, and what they did.
    pub course: EventLog,
    /// How it ended.
    pub outcome: Outcome,
}

/// Which heat it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Name and version of the program that wrote it; 64 printable ASCII characters at most
    /// are kept.
    pub writer: String,
    /// The code by which the heat was joined.
    pub code: RoomCode,
    /// Which heat of its group it was.
    pub number: u32,
    /// When GO was, where that is known.
    pub began: Option<UnixSeconds>,
    /// The options.
    pub options: HeatOptions,
    /// Where the seed came from.
    pub origin: SeedOrigin,
    /// What was published before the start.
    pub commitment: Commitment,
    /// Seed and salt, as they were revealed.
    pub secret: Secret,
}

/// Seconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixSeconds(pub u64);

/// Somebody who raced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Racer {
    /// The number by which the heat called them.
    pub id: PlayerId,
    /// Their name.
    pub name: PlayerName,
    /// Person or program.
    pub kind: PlayerKind,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, since GO.
    pub at: Millis,
    /// What.
    pub what: RecordKind,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    /// A player's doing, or what befell one.
    Racer {
        /// The player.
        player: PlayerId,
        /// The event.
        event: RacerEvent,
    },
    /// The server was away; meanwhile the heat's clock stood still.
    Outage {
        /// For so long.
        away: Millis,
    },
}

/// What a player can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RacerEvent {
    /// Played a move.
    Move(Move),
    /// Was given a hint, and charged for it.
    Hint,
    /// Raced no further, if the race wasn't over for them.
    Out(ExitReason),
    /// Lost the connection.
    Lost,
    /// Had it again.
    Back,
    /// Did more than a replay takes: nothing of theirs follows.
    Cut,
}

/// How a player's race ends without a finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// Gave up, and stayed.
    GaveUp,
    /// Left the heat.
    Left,
    /// Was sent away by the host.
    SentAway,
    /// Lost the connection, and didn't come back in time.
    Expired,
}

/// How a heat ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// When, since GO.
    pub ended: Millis,
    /// The final standings, by place.
    pub standings: Vec<Standing>,
    /// How many moves the board needs, where that is known.
    pub best: Option<MoveBounds>,
}
