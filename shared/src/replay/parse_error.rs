//! What is wrong with bytes that should be a replay, and where.

/// Why bytes are no replay: the first thing that is wrong, and the byte at which it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}{}: {what}", Within(*section))]
pub struct Damage {
    /// CountedMoves from 0 at the start of the file.
    pub offset: u64,
    /// In which section, once one is begun.
    pub section: Option<&'static str>,
    /// What is wrong there.
    pub what: DamageKind,
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DamageKind {
    /// The first bytes are another file's.
    #[error("no replay of gridrace begins like this")]
    NotAReplay,
    /// A text mode or a mailer has changed line ends on the way.
    #[error("the line ends of this replay were changed on its way; copy it as a binary file")]
    LineEnds,
    /// Written by a later program.
    #[error(
        "format version {found} is expected to be {}, which is what this program reads",
        super::FORMAT
    )]
    Version {
        /// The version that the file says.
        found: u64,
    },
    /// Longer than any replay.
    #[error("a replay has at most {} bytes", super::REPLAY_BYTES)]
    TooLong,
    /// The bytes end where there should be more.
    #[error("the file ends where {missing} more bytes of {expected} are expected")]
    Ends {
        /// Of what.
        expected: &'static str,
        /// At least so many.
        missing: u64,
    },
    /// Another section than the one whose turn it is.
    #[error("section {expected} is expected, and {found:?} is found")]
    Section {
        /// Whose turn it is.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The bytes of a section aren't those that were written.
    #[error(
        "the section's checksum is {found:08x} where {expected:08x} is expected: something in it, its length included, is damaged"
    )]
    Checksum {
        /// What stands at its end.
        expected: u32,
        /// That of what stands before.
        found: u32,
    },
    /// A number in more bytes than it needs, or in more than any may have.
    #[error("{expected} is expected, and no number stands there")]
    Number {
        /// Which.
        expected: &'static str,
    },
    /// A number out of its bounds.
    #[error("{expected} is expected to be at most {most}, and {found} is found")]
    TooLarge {
        /// Which.
        expected: &'static str,
        /// Its bound.
        most: u64,
        /// What stands there.
        found: u64,
    },
    /// A value that means nothing, with the reason.
    #[error("{expected} is expected: {why}")]
    Unknown {
        /// What should stand there.
        expected: &'static str,
        /// What is wrong with what does.
        why: String,
    },
    /// A section with bytes after its last value.
    #[error("{left} bytes follow what belongs here")]
    Trailing {
        /// How many.
        left: u64,
    },
}

struct Within(Option<&'static str>);

impl std::fmt::Display for Within {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(section) => write!(f, ", in section {section}"),
            None => Ok(()),
        }
    }
}
