//! Replays: the record of a heat, in a file that anyone can verify.
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

/// Upper bound on players: that of a heat.
pub const MAX_RACERS: usize = 32;

/// Upper bound on the bytes of a replay: the records of all players, and room for the rest.
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
    /// The heat, its options, and the origin of its board.
    pub about: About,
    /// The board, the players, and their actions.
    pub course: EventLog,
    pub outcome: Outcome,
}

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
    pub options: HeatOptions,
    pub origin: SeedOrigin,
    /// What was published before the start.
    pub commitment: Commitment,
    /// Seed and salt, as they were revealed.
    pub secret: Secret,
}

/// Seconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixSeconds(pub u64);

/// A player of the heat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Racer {
    pub id: PlayerId,
    pub name: PlayerName,
    pub kind: PlayerKind,
}

/// One event of a heat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, since GO.
    pub at: Millis,
    pub what: RecordKind,
}

/// The kind of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    Racer {
        player: PlayerId,
        event: RacerEvent,
    },
    /// An outage of the server; the heat's clock stood still meanwhile.
    Outage {
        away: Millis,
    },
}

/// An event of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RacerEvent {
    Move(Move),
    /// Was given a hint, and charged for it.
    Hint,
    /// Out of the race, unless finished.
    Out(ExitReason),
    Lost,
    Back,
    /// Reached the bound on a player's records; none of theirs follow.
    Cut,
}

/// How a player's race ends without a finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    GaveUp,
    Left,
    SentAway,
    /// Lost the connection, and did not reconnect in time.
    Expired,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// When, since GO.
    pub ended: Millis,
    pub standings: Vec<Standing>,
    /// How many moves the board needs, where that is known.
    pub best: Option<MoveBounds>,
}
