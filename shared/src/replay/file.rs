//! A replay as a file: eight bytes that say what it is, the version, and five sections in
//! this order, each with its name, its length and its checksum; then perhaps a signature.

use super::{FORMAT, MAX_REPLAY_BYTES, Replay, sections};
use crate::replay::sections::FieldOffsets;
use crate::replay::signature::{ServerKey, SignatureCheck, SignatureSection};
use crate::util::byte_codec::{ByteReader, ReadError, ReadErrorKind, put_number};

/// The first bytes of every replay. As in PNG (Boutell 1996), a byte beyond ASCII and both
/// line ends, so that a copy as text is found out.
const MAGIC: [u8; 8] = *b"\x89grr\r\n\x1a\n";

/// The sections, in their order.
const HEAT: &str = "HEAT";
const DRAW: &str = "DRAW";
const SEAT: &str = "SEAT";
const MOVE: &str = "MOVE";
const DONE: &str = "DONE";
/// The last section of a file that is signed. Readers that don't know it skip it.
const SIGN: &str = "sign";

/// Bytes of a section's name.
const NAME_BYTES: usize = 4;

/// The first error in the bytes of a replay, and its offset.
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
    #[error("this isn't a gridrace replay")]
    NotAReplay,
    /// A text mode or a mailer has changed line ends on the way.
    #[error("the line ends of this replay were changed on its way; copy it as a binary file")]
    LineEnds,
    #[error(
        "format version {found} is expected to be {}, which is what this program reads",
        FORMAT
    )]
    Version { found: u64 },
    #[error("a replay has at most {} bytes", MAX_REPLAY_BYTES)]
    TooLong,
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

impl ParseError {
    pub(super) const fn at(source: &ByteReader<'_>, offset: u64, kind: ParseErrorKind) -> Self {
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

impl Replay {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_number(&mut out, FORMAT);
        put_section(&mut out, HEAT, |out| sections::put_heat(out, &self.header));
        put_section(&mut out, DRAW, |out| {
            sections::put_draw(out, &self.header, self.events.start());
        });
        put_section(&mut out, SEAT, |out| sections::put_seats(out, self.events.racers()));
        put_section(&mut out, MOVE, |out| out.extend_from_slice(self.events.bytes()));
        put_section(&mut out, DONE, |out| sections::put_outcome(out, &self.outcome));
        out
    }

    /// Encodes the file with a server's signature.
    pub fn sign(&self, key: &ServerKey) -> Vec<u8> {
        let mut out = self.encode();
        let content = key.sign(&out);
        put_section(&mut out, SIGN, |out| out.extend_from_slice(&content));
        out
    }

    /// Reads a file.
    pub fn decode(file: &[u8]) -> Result<Self, ParseError> {
        Self::locate(file).map(|(replay, ..)| replay)
    }

    /// Reads a file, and says where its parts stand and who vouches for it.
    pub fn locate(file: &[u8]) -> Result<(Self, FieldOffsets, SignatureCheck), ParseError> {
        let mut source = ByteReader::new(file, 0, None);
        if file.len() > MAX_REPLAY_BYTES {
            return Err(ParseError::at(&source, MAX_REPLAY_BYTES as u64, ParseErrorKind::TooLong));
        }
        begin(&mut source)?;
        let mut places = FieldOffsets::default();
        let heat = sections::read_heat(take_section(&mut source, HEAT)?, &mut places)?;
        let draw = take_section(&mut source, DRAW)?;
        let (header, start) = sections::read_draw(draw, heat, &mut places)?;
        let seats = take_section(&mut source, SEAT)?;
        places.racers = seats.offset();
        let blank = sections::read_seats(seats, start)?;
        let moves = take_section(&mut source, MOVE)?;
        places.records = moves.offset();
        let events = blank.read(&moves)?;
        let outcome = sections::read_outcome(take_section(&mut source, DONE)?, &mut places)?;
        let signature = read_extras(source, file)?;
        let replay = Self { header, events, outcome };
        Ok((replay, places, signature))
    }
}

fn begin(source: &mut ByteReader<'_>) -> Result<(), ParseError> {
    let start = source.rest();
    if !start.starts_with(&MAGIC) {
        let stem = &MAGIC[..4];
        let kind = if start.len() < MAGIC.len() && MAGIC.starts_with(start) {
            let missing = (MAGIC.len() - start.len()) as u64;
            let expected = "a replay";
            return Err(ParseError::at(
                source,
                start.len() as u64,
                ParseErrorKind::Value(ReadErrorKind::Ends { expected, missing }),
            ));
        } else if start.starts_with(stem) {
            ParseErrorKind::LineEnds
        } else {
            ParseErrorKind::NotAReplay
        };
        return Err(ParseError::at(source, 0, kind));
    }
    source.take(MAGIC.len(), "a replay")?;
    let offset = source.offset();
    match source.number("the version of the format", u64::MAX)? {
        FORMAT => Ok(()),
        found => Err(ParseError::at(source, offset, ParseErrorKind::Version { found })),
    }
}

/// Writes a section: its name, its length, what it holds, and the checksum of all that.
fn put_section(out: &mut Vec<u8>, name: &str, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut payload = Vec::new();
    fill(&mut payload);
    let start = out.len();
    out.extend_from_slice(name.as_bytes());
    put_number(out, payload.len() as u64);
    out.extend_from_slice(&payload);
    let checksum = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&checksum.to_le_bytes());
}

/// Reads the section whose turn it is, and returns what it holds.
fn take_section<'a>(
    source: &mut ByteReader<'a>,
    expected: &'static str,
) -> Result<ByteReader<'a>, ParseError> {
    let offset = source.offset();
    let name = source.rest().get(..NAME_BYTES).unwrap_or(source.rest());
    if name.len() == NAME_BYTES && name != expected.as_bytes() {
        let found = String::from_utf8_lossy(name).into_owned();
        return Err(ParseError::at(source, offset, ParseErrorKind::Section { expected, found }));
    }
    read_section(source, Some(expected))
}

/// Passes by sections that this program doesn't know and needn't, and checks the signature, after
/// which nothing may follow.
fn read_extras(mut source: ByteReader<'_>, file: &[u8]) -> Result<SignatureCheck, ParseError> {
    while !source.is_empty() {
        let start = source.rest();
        if start.starts_with(SIGN.as_bytes()) {
            let section = SignatureSection::read(read_section(&mut source, Some(SIGN))?)?;
            source.end()?;
            return Ok(section.check(&file[..file.len() - start.len()]));
        }
        if !start[0].is_ascii_lowercase() {
            source.end()?;
        }
        read_section(&mut source, None)?;
    }
    Ok(SignatureCheck::Unsigned)
}

fn read_section<'a>(
    source: &mut ByteReader<'a>,
    section: Option<&'static str>,
) -> Result<ByteReader<'a>, ParseError> {
    let start = source.rest();
    let mut inner = ByteReader::new(start, source.offset(), section);
    inner.take(NAME_BYTES, "a section's name")?;
    let length = inner.number("a section's length", MAX_REPLAY_BYTES as u64)? as usize;
    let offset = inner.offset();
    let payload = inner.take(length, "the section")?;
    let covered = &start[..start.len() - inner.rest().len()];
    let stands = inner.offset();
    let expected = u32::from_le_bytes(inner.array("the section's checksum")?);
    let found = crc32fast::hash(covered);
    if found != expected {
        return Err(ParseError::at(&inner, stands, ParseErrorKind::Checksum { expected, found }));
    }
    source.take(covered.len() + 4, "the section")?;
    Ok(ByteReader::new(payload, offset, section))
}
