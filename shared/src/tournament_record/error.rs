//! Errors of a record that doesn't verify, and where they are.

use super::HeatResultError;
use crate::heat::commitment::Commitment;
use crate::replay::{ParseErrorKind, VerifyErrorKind};
use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::log::LogEntryError;
use crate::tournament::settings::SettingsError;
use crate::util::seed::Seed;

/// An error in a readable record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}, {part}: {kind}")]
pub struct RecordError {
    /// In bytes from the start of the file.
    pub offset: u64,
    pub part: RecordPart,
    pub kind: RecordErrorKind,
}

/// The part of a record in which an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordPart {
    #[error("head")]
    Head,
    /// From 0.
    #[error("line {} of the log", .0 + 1)]
    Line(usize),
    #[error("replay of {0}")]
    Heat(ResultKey),
    #[error("outcome")]
    Outcome,
}

/// What is wrong with that part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordErrorKind {
    #[error("no tournament can have these settings: {0}")]
    Settings(SettingsError),
    #[error("the line is earlier than the one before it")]
    Earlier,
    #[error("the log didn't take this entry: {0}")]
    Entry(LogEntryError),
    #[error("an entrant's number, key or name is that of another one")]
    RepeatedEntrant,
    #[error("{0} enters, and no line says who that is")]
    UnknownEntrant(EntrantId),
    #[error("only the server commits to draws and reveals the secret")]
    NotByServer,
    #[error("the draw wasn't committed to before")]
    NoCommitment,
    #[error("the draw's seed gives the commitment {given}, not the one that was published")]
    DrawCommitment { given: Commitment },
    #[error("the tournament's secret gives the seed {given} for this draw")]
    DrawSeed { given: Seed },
    #[error("the secret gives the commitment {given}, not the one that was published")]
    Secret { given: Commitment },
    #[error("the tournament is over and its secret isn't revealed")]
    NoSecret,
    #[error("the secret is revealed although a draw follows")]
    EarlySecret,
    #[error("the server recorded this result, and the record has no replay of it")]
    NoReplay,
    #[error("the server recorded a result of this board before")]
    RepeatedResult,
    #[error("a result that the organiser set has no reason")]
    NoReason,
    #[error("the replay gives another result: {expected}, but {found} is recorded")]
    Result { expected: String, found: String },
    #[error("the log has no result of this heat")]
    NoResult,
    #[error("the replay is damaged: {0}")]
    Damaged(ParseErrorKind),
    #[error("in the replay: {0}")]
    Replay(VerifyErrorKind),
    #[error("no server, or another one, vouches for the replay")]
    ReplaySignature,
    #[error(transparent)]
    Players(HeatResultError),
    #[error("the plan has {expected} for this board, and {found} was raced")]
    Puzzle { expected: String, found: String },
    #[error("the heat had other options than the tournament")]
    OtherOptions,
    #[error("the tournament's secret gives the seed {given} for this board")]
    BoardSeed { given: Seed },
    #[error("the tables of this attempt had their GO at different times")]
    OtherGo,
    #[error("the seed gives other tables of {0} than were drawn")]
    Tables(RoundKey),
    #[error("the log gives other rounds than were drawn")]
    Rounds,
    #[error("line {} of the standings is {expected}, but {found} is recorded", .line + 1)]
    Standings { line: usize, expected: String, found: String },
    #[error("the log gives other standings of the teams")]
    Teams,
    #[error("the champion is {expected}, but {found} is recorded")]
    Champions { expected: String, found: String },
    #[error("the commitment to draw {} of {} is repeated", .0.attempt + 1, .0.round)]
    RepeatedCommitment(DrawKey),
}
