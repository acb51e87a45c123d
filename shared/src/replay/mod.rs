//! Replays: the record of a heat, in a file that anyone can verify.
//!
//! A [`Replay`] records what happened, not how a race is built: options, commitment, seed
//! and salt, the board, each player's acts with their times, and the result. `docs/replays.md` says
//! how it is written, for readers in any language.
//!
//! - [`EventLog`] has each act with its player and time, in two or three bytes a move, and
//!   [`EventLogWriter`] writes it while it happens.
//! - [`Replay::encode`] and [`Replay::decode`] are the file; [`ParseError`] says what is wrong
//!   with one, and at which byte.
//! - [`Replay::sign`] is the file with a server's signature, and [`SignatureCheck`] says who
//!   vouches for one.
//! - [`Simulation`] runs a heat again by the rules, [`Playback`] goes to any instant of it, and
//!   [`verify()`] says what doesn't hold.

mod event_log;
mod file;
mod move_codec;
mod playback;
mod sections;
mod signature;
mod simulate;
#[cfg(test)]
mod tests;
mod verify;

pub use crate::util::byte_codec::ReadErrorKind;
pub use crate::util::section_file::{ParseError, ParseErrorKind};
pub use event_log::{
    EventLog, EventLogError, EventLogWriter, ExitReason, MAX_PLAYER_BYTES, MAX_RACERS, MAX_TIME,
    Racer, RacerEvent, Record, RecordCursor, RecordKind,
};
pub use playback::Playback;
pub use sections::FieldOffsets;
pub use signature::{ServerKey, SignatureCheck};
pub use simulate::{RuleViolation, SimulatedPlayer, Simulation};
pub use verify::{MAX_REPORTED_ERRORS, Part, VerifyError, VerifyErrorKind, VerifyReport, verify};

use crate::heat::commitment::{Commitment, Secret, SeedOrigin};
use crate::heat::ids::RoomCode;
use crate::heat::options::HeatOptions;
use crate::heat::standings::Standing;
use crate::puzzle::MoveBounds;
use crate::util::time::Millis;

/// The version of the format that is written, and the latest that is read.
pub const FORMAT: u64 = 1;

/// Upper bound on the bytes of a replay: the records of all players, and room for the rest.
pub const MAX_REPLAY_BYTES: usize = MAX_RACERS * MAX_PLAYER_BYTES + 64 * 1024;

/// A heat from GO to its end.
///
/// ```
/// use gridrace_shared::replay::{ParseError, ParseErrorKind, Replay};
/// let why = Replay::decode(b"a letter to a friend").unwrap_err();
/// assert_eq!((why.offset, why.kind), (0, ParseErrorKind::OtherFormat { expected: "replay" }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    pub header: ReplayHeader,
    pub events: EventLog,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayHeader {
    /// Name and version of the program that wrote it; 64 printable ASCII characters at most
    /// are kept.
    pub writer: String,
    pub code: RoomCode,
    /// Which heat of its group it was.
    pub number: u32,
    /// The date of GO, if it is known.
    pub began: Option<UnixSeconds>,
    pub options: HeatOptions,
    pub origin: SeedOrigin,
    /// What was published before the start.
    pub commitment: Commitment,
    pub secret: Secret,
}

/// Seconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixSeconds(pub u64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// When, since GO.
    pub ended: Millis,
    pub standings: Vec<Standing>,
    /// The moves that the board needs, if they are known.
    pub best: Option<MoveBounds>,
}
