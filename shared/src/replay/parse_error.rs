//! Errors in the bytes of a replay.

use crate::util::byte_codec::{ByteReader, ReadError, ReadErrorKind};

/// The first error in the bytes of a replay, and its offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}{}: {what}", Within(*section))]
pub struct ParseError {
    /// Counted from 0 at the start of the file.
    pub offset: u64,
    /// In which section, once one is begun.
    pub section: Option<&'static str>,
    pub what: ParseErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
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
    #[error("a replay has at most {} bytes", super::MAX_REPLAY_BYTES)]
    TooLong,
    /// Another section than the one whose turn it is.
    #[error("section {expected} is expected, and {found:?} is found")]
    Section {
        /// The section whose turn it is.
        expected: &'static str,
        found: String,
    },
    /// The bytes of a section aren't those that were written.
    #[error(
        "the section's checksum is {found:08x} where {expected:08x} is expected: something in it, its length included, is damaged"
    )]
    Checksum {
        expected: u32,
        /// That of what stands before.
        found: u32,
    },
    /// A value can't be read.
    #[error(transparent)]
    Value(ReadErrorKind),
}

impl ParseError {
    pub(super) const fn at(source: &ByteReader<'_>, offset: u64, what: ParseErrorKind) -> Self {
        Self { offset, section: source.section(), what }
    }
}

impl From<ReadError> for ParseError {
    fn from(ReadError { offset, section, kind }: ReadError) -> Self {
        Self { offset, section, what: ParseErrorKind::Value(kind) }
    }
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
