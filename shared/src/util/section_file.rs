//! Files of sections: eight bytes that say what a file is, the version of its format, and sections,
//! each with its name, its length and its checksum.
//!
//! Behind the sections that a format requires, others may stand whose names begin with a lower-case
//! letter; readers that don't know them skip them. The last one may be a signature of all bytes
//! before it.

use crate::util::byte_codec::{ByteReader, ReadError, ReadErrorKind, put_number};

/// Bytes of a section's name.
const NAME_BYTES: usize = 4;
/// The section that holds a signature, the last one.
const SIGN: &str = "sign";

/// A format of files of sections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SectionFile {
    /// As in PNG (Boutell 1996), a byte beyond ASCII and both line ends, so that a copy as text is
    /// found out; the first four tell the formats apart.
    pub magic: [u8; 8],
    /// What a file of this format is, such as "replay".
    pub what: &'static str,
    /// The version that is written, and the latest that is read.
    pub version: u64,
    pub max_bytes: usize,
}

/// The first error in the bytes of a file, and its offset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}{}: {kind}", Within(*section))]
pub struct ParseError {
    /// Counted from 0 at the start of the file.
    pub offset: u64,
    /// In which section, once one is begun.
    pub section: Option<&'static str>,
    pub kind: ParseErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    #[error("this isn't a gridrace {expected}")]
    OtherFormat { expected: &'static str },
    /// A text mode or a mailer has changed line ends on the way.
    #[error("the line ends of this {what} were changed on its way; copy it as a binary file")]
    LineEnds { what: &'static str },
    #[error(
        "format version {found} is expected to be {expected}, which is what this program reads"
    )]
    Version { found: u64, expected: u64 },
    #[error("a {what} has at most {most} bytes")]
    TooLong { what: &'static str, most: usize },
    #[error("section {expected} is expected, and {found:?} is found")]
    Section { expected: &'static str, found: String },
    /// The bytes of a section aren't those that were written.
    #[error(
        "the section's checksum is {found:08x} where {expected:08x} is expected: something in it, its length included, is damaged"
    )]
    Checksum {
        expected: u32,
        /// That of what stands before.
        found: u32,
    },
    #[error(transparent)]
    Value(ReadErrorKind),
}

/// The content of a signature's section, and all bytes before the section.
pub(crate) type SignedBytes<'a> = (ByteReader<'a>, &'a [u8]);

impl ParseError {
    const fn at(source: &ByteReader<'_>, offset: u64, kind: ParseErrorKind) -> Self {
        Self { offset, section: source.section(), kind }
    }
}

impl From<ReadError> for ParseError {
    fn from(ReadError { offset, section, kind }: ReadError) -> Self {
        Self { offset, section, kind: ParseErrorKind::Value(kind) }
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

impl SectionFile {
    /// Returns the beginning of a file.
    pub(crate) fn begin(&self) -> Vec<u8> {
        let mut out = self.magic.to_vec();
        put_number(&mut out, self.version);
        out
    }

    /// Reads the beginning of a file, and returns what follows.
    pub(crate) fn open<'a>(&self, file: &'a [u8]) -> Result<ByteReader<'a>, ParseError> {
        let Self { magic, what, version, max_bytes } = *self;
        let mut source = ByteReader::new(file, 0, None);
        let error = |offset, kind| Err(ParseError { offset, section: None, kind });
        if file.len() > max_bytes {
            return error(max_bytes as u64, ParseErrorKind::TooLong { what, most: max_bytes });
        }
        if !file.starts_with(&magic) && !magic.starts_with(file) {
            return if file.starts_with(&magic[..4]) {
                error(0, ParseErrorKind::LineEnds { what })
            } else {
                error(0, ParseErrorKind::OtherFormat { expected: what })
            };
        }
        source.take(magic.len(), "the beginning of the file")?;
        let offset = source.offset();
        let found = source.number("the version of the format", u64::MAX)?;
        if found == version {
            Ok(source)
        } else {
            error(offset, ParseErrorKind::Version { found, expected: version })
        }
    }

    /// Reads the section whose turn it is, and returns what it holds.
    pub(crate) fn take_section<'a>(
        &self,
        source: &mut ByteReader<'a>,
        expected: &'static str,
    ) -> Result<ByteReader<'a>, ParseError> {
        let name = source.rest().get(..NAME_BYTES).unwrap_or(source.rest());
        if name.len() == NAME_BYTES && name != expected.as_bytes() {
            let found = String::from_utf8_lossy(name).into_owned();
            let kind = ParseErrorKind::Section { expected, found };
            return Err(ParseError::at(source, source.offset(), kind));
        }
        self.read_section(source, Some(expected))
    }

    /// Passes by sections that this program doesn't know and needn't, and returns the signature,
    /// after which nothing may follow.
    pub(crate) fn take_extras<'a>(
        &self,
        mut source: ByteReader<'a>,
        file: &'a [u8],
    ) -> Result<Option<SignedBytes<'a>>, ParseError> {
        while !source.is_empty() {
            let start = source.rest();
            if start.starts_with(SIGN.as_bytes()) {
                let section = self.read_section(&mut source, Some(SIGN))?;
                source.end()?;
                return Ok(Some((section, &file[..file.len() - start.len()])));
            }
            if !start[0].is_ascii_lowercase() {
                source.end()?;
            }
            self.read_section(&mut source, None)?;
        }
        Ok(None)
    }

    fn read_section<'a>(
        &self,
        source: &mut ByteReader<'a>,
        section: Option<&'static str>,
    ) -> Result<ByteReader<'a>, ParseError> {
        let start = source.rest();
        let mut inner = ByteReader::new(start, source.offset(), section);
        inner.take(NAME_BYTES, "a section's name")?;
        let length = inner.number("a section's length", self.max_bytes as u64)? as usize;
        let offset = inner.offset();
        let payload = inner.take(length, "the section")?;
        let covered = &start[..start.len() - inner.rest().len()];
        let stands = inner.offset();
        let expected = u32::from_le_bytes(inner.array("the section's checksum")?);
        let found = crc32fast::hash(covered);
        if found != expected {
            return Err(ParseError::at(
                &inner,
                stands,
                ParseErrorKind::Checksum { expected, found },
            ));
        }
        source.take(covered.len() + 4, "the section")?;
        Ok(ByteReader::new(payload, offset, section))
    }
}

/// Returns whether the next section has this name.
pub(crate) fn is_next(source: &ByteReader<'_>, name: &str) -> bool {
    source.rest().starts_with(name.as_bytes())
}

/// Writes a section: its name, its length, what it holds, and the checksum of all that.
pub(crate) fn put_section(out: &mut Vec<u8>, name: &str, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut payload = Vec::new();
    fill(&mut payload);
    let start = out.len();
    out.extend_from_slice(name.as_bytes());
    put_number(out, payload.len() as u64);
    out.extend_from_slice(&payload);
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_le_bytes());
}

/// Writes the section of a signature, which ends a file.
pub(crate) fn put_signature(out: &mut Vec<u8>, content: &[u8]) {
    put_section(out, SIGN, |out| out.extend_from_slice(content));
}

/// Corrects the checksum of each section, for tests that change its bytes.
#[cfg(test)]
pub(crate) fn with_checksums(mut file: Vec<u8>) -> Vec<u8> {
    // The magic, and the version in one byte.
    let mut at = 9;
    while at + 4 < file.len() {
        let (mut length, mut shift, mut end) = (0usize, 0, at + 4);
        while let Some(&byte) = file.get(end) {
            length |= usize::from(byte & 0x7f) << shift;
            (shift, end) = (shift + 7, end + 1);
            if byte & 0x80 == 0 || shift > 28 {
                break;
            }
        }
        let Some(stop) = end.checked_add(length).filter(|stop| stop + 4 <= file.len()) else {
            break;
        };
        let checksum = crc32fast::hash(&file[at..stop]).to_le_bytes();
        file[stop..stop + 4].copy_from_slice(&checksum);
        at = stop + 4;
    }
    file
}
