//! A replay as a file: eight bytes that say what it is, the version, and five sections in
//! this order, each with its name, its length and its checksum.

use super::{FORMAT, MAX_REPLAY_BYTES, Replay, outcome, sections};
use crate::replay::parse_error::{ParseError, ParseErrorKind};
use crate::util::byte_codec::{ByteReader, ReadErrorKind, put_number};

/// The first bytes of every replay. As in PNG (Boutell 1996), a byte beyond ASCII and both
/// line ends, so that a copy as text is found out.
const MAGIC: [u8; 8] = *b"\x89grr\r\n\x1a\n";

/// The sections, in their order.
const HEAT: &str = "HEAT";
const DRAW: &str = "DRAW";
const SEAT: &str = "SEAT";
const MOVE: &str = "MOVE";
const DONE: &str = "DONE";

/// Bytes of a section's name.
const NAME_BYTES: usize = 4;

/// Where in a file the parts of a replay stand, in bytes from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldOffsets {
    pub options: u64,
    pub commitment: u64,
    /// The board from which everybody starts.
    pub board: u64,
    pub racers: u64,
    /// The first record: what [`super::EventLog::records`] counts from.
    pub records: u64,
    pub ended: u64,
    /// What is known of the best.
    pub best: u64,
    /// The rows of the standings, in their order.
    pub rows: Vec<u64>,
}

impl Replay {
    /// Writes the replay as a file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_number(&mut out, FORMAT);
        put_section(&mut out, HEAT, |out| sections::put_heat(out, &self.about));
        put_section(&mut out, DRAW, |out| {
            sections::put_draw(out, &self.about, self.course.start());
        });
        put_section(&mut out, SEAT, |out| {
            sections::put_seats(out, self.course.racers());
        });
        put_section(&mut out, MOVE, |out| {
            out.extend_from_slice(self.course.bytes());
        });
        put_section(&mut out, DONE, |out| outcome::put(out, &self.outcome));
        out
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ParseError`]: the first thing that is wrong, and where.
    pub fn decode(file: &[u8]) -> Result<Self, ParseError> {
        Self::locate(file).map(|(replay, _)| replay)
    }

    /// Reads a file, and says where its parts stand.
    ///
    /// # Errors
    /// [`ParseError`]: the first thing that is wrong, and where.
    pub fn locate(file: &[u8]) -> Result<(Self, FieldOffsets), ParseError> {
        let mut source = ByteReader::new(file, 0, None);
        if file.len() > MAX_REPLAY_BYTES {
            return Err(ParseError::at(&source, MAX_REPLAY_BYTES as u64, ParseErrorKind::TooLong));
        }
        begin(&mut source)?;
        let mut places = FieldOffsets::default();
        let heat = sections::read_heat(take_section(&mut source, HEAT)?, &mut places)?;
        let draw = sections::read_draw(take_section(&mut source, DRAW)?, &mut places)?;
        let seats = take_section(&mut source, SEAT)?;
        places.racers = seats.offset();
        let blank = sections::read_seats(seats, draw.start.clone())?;
        let moves = take_section(&mut source, MOVE)?;
        places.records = moves.offset();
        let course = blank.read(&moves)?;
        let outcome = outcome::read(take_section(&mut source, DONE)?, &mut places)?;
        skip_extras(source)?;
        let replay = Self { about: heat.with(draw), course, outcome };
        Ok((replay, places))
    }
}

fn begin(source: &mut ByteReader<'_>) -> Result<(), ParseError> {
    let start = source.rest();
    if !start.starts_with(&MAGIC) {
        let stem = &MAGIC[..4];
        let what = if start.len() < MAGIC.len() && MAGIC.starts_with(start) {
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
        return Err(ParseError::at(source, 0, what));
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

/// Passes by sections that this program doesn't know and needn't.
fn skip_extras(mut source: ByteReader<'_>) -> Result<(), ParseError> {
    while !source.is_empty() {
        if !source.rest()[0].is_ascii_lowercase() {
            let left = source.rest().len() as u64;
            return Err(ParseError::at(
                &source,
                source.offset(),
                ParseErrorKind::Value(ReadErrorKind::Trailing { left }),
            ));
        }
        read_section(&mut source, None)?;
    }
    Ok(())
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
