//! Errors in a readable replay, and where they stand.

use crate::heat::commitment::Commitment;
use crate::heat::ids::{PlayerId, Seq};
use crate::heat::options::OptionsError;
use crate::replay::simulate::RuleViolation;
use crate::util::time::Millis;

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
    pub what: VerifyErrorKind,
}

/// The kind of an error in a readable replay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyErrorKind {
    #[error("no heat has such options: {0}")]
    Options(OptionsError),
    #[error("seed and salt give the commitment {given}, and not the one that was published")]
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
    #[error("nobody raced any more at {over}, which is when the heat was over")]
    OtherEnd { over: Millis },
    #[error("the heat ended after its time limit of {limit}")]
    TooLong { limit: Millis },
    /// The heat was over although somebody raced who was there, or could come back.
    #[error(
        "the heat ended before its time limit, while somebody who was not gone for good still raced"
    )]
    TooShort,
    #[error("the player has no row in the standings")]
    NoRow,
    #[error("the row is nobody's, or a second one of a player's")]
    ExtraRow,
    #[error("{part} is {expected}, and {found} is recorded")]
    Row { part: Part, expected: String, found: String },
    /// Bounds that no board can have, or that a finisher refutes.
    #[error(
        "what the board needs is recorded as {at_least} to {at_most}, which can't be, with a finish in {shortest:?}"
    )]
    Best { at_least: u32, at_most: u32, shortest: Option<u32> },
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
        write!(f, ": {}", self.what)
    }
}
