//! A record as a file of sections: the head, the log, the heats and the outcome; then perhaps a
//! signature.

use super::{
    FORMAT, MAX_HEAT_BYTES, MAX_JSON_BYTES, MAX_LOG_LINES, MAX_RECORD_BYTES, MAX_RECORDED_HEATS,
    RecordedHeat, TournamentRecord,
};
use crate::replay::{ParseError, ReadErrorKind, ServerKey, SignatureCheck};
use crate::tournament::ids::{ResultKey, RoundKey};
use crate::tournament::public_log::LogLine;
use crate::util::byte_codec::{ByteReader, ReadError, put_number};
use crate::util::section_file::{SectionFile, is_next, put_section, put_signature};
use serde::Serialize;
use serde::de::DeserializeOwned;

const FILE: SectionFile = SectionFile {
    magic: *b"\x89grt\r\n\x1a\n",
    what: "record of a tournament",
    version: FORMAT,
    max_bytes: MAX_RECORD_BYTES,
};

/// The sections, in their order; there is a `HEAT` for each replay.
const HEAD: &str = "HEAD";
const LOGS: &str = "LOGS";
const HEAT: &str = "HEAT";
const DONE: &str = "DONE";

/// What a signature is for.
const PURPOSE: &str = "gridrace-tournament-record-1";

/// Where the parts of a record stand in its file, in bytes from the start.
#[derive(Debug, Default)]
pub(super) struct RecordOffsets {
    pub head: u64,
    /// Of each line of the log.
    pub lines: Vec<u64>,
    /// Of the replay of each heat.
    pub heats: Vec<u64>,
    pub outcome: u64,
}

impl TournamentRecord {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = FILE.begin();
        put_section(&mut out, HEAD, |out| put_json(out, &self.head));
        put_section(&mut out, LOGS, |out| {
            for line in &self.log {
                put_json(out, line);
            }
        });
        for heat in &self.heats {
            put_section(&mut out, HEAT, |out| put_heat(out, heat));
        }
        put_section(&mut out, DONE, |out| put_json(out, &self.outcome));
        out
    }

    /// Encodes the file with a server's signature.
    pub fn sign(&self, key: &ServerKey) -> Vec<u8> {
        let mut out = self.encode();
        let content = key.sign(PURPOSE, &out);
        put_signature(&mut out, &content);
        out
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first byte that isn't as the format has it.
    pub fn decode(file: &[u8]) -> Result<Self, ParseError> {
        Self::locate(file).map(|(record, ..)| record)
    }

    /// Reads a file, and says where its parts stand and who vouches for it.
    pub(super) fn locate(file: &[u8]) -> Result<(Self, RecordOffsets, SignatureCheck), ParseError> {
        let mut source = FILE.open(file)?;
        let mut offsets = RecordOffsets::default();
        let mut section = FILE.take_section(&mut source, HEAD)?;
        offsets.head = section.offset();
        let head = read_json(&mut section, "the head of a record", MAX_JSON_BYTES)?;
        section.end()?;
        let log = read_log(FILE.take_section(&mut source, LOGS)?, &mut offsets)?;
        let mut heats = Vec::new();
        while is_next(&source, HEAT) && heats.len() < MAX_RECORDED_HEATS {
            heats.push(read_heat(FILE.take_section(&mut source, HEAT)?, &heats, &mut offsets)?);
        }
        let mut section = FILE.take_section(&mut source, DONE)?;
        offsets.outcome = section.offset();
        let outcome = read_json(&mut section, "the outcome", MAX_RECORD_BYTES)?;
        section.end()?;
        let signature = SignatureCheck::of(PURPOSE, FILE.take_extras(source, file)?)?;
        Ok((Self { head, log, heats, outcome }, offsets, signature))
    }
}

/// Writes a line of JSON.
fn put_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // The types of a record have no map with keys other than text, which is all that may fail.
    out.extend(serde_json::to_vec(value).unwrap_or_default());
    out.push(b'\n');
}

/// Reads a line of JSON; only the text that [`put_json`] writes is accepted.
fn read_json<T: DeserializeOwned + Serialize>(
    source: &mut ByteReader<'_>,
    expected: &'static str,
    most: usize,
) -> Result<T, ReadError> {
    let offset = source.offset();
    let length = source.rest().iter().position(|byte| *byte == b'\n');
    let length = length.map_or(source.rest().len() + 1, |end| end + 1);
    if length > most {
        let (most, found) = (most as u64, length as u64);
        return Err(source.at(offset, ReadErrorKind::TooLarge { expected, most, found }));
    }
    let line = source.take(length, expected)?;
    let value: T = serde_json::from_slice(line).map_err(|error| {
        let column = error.column().saturating_sub(1) as u64;
        source.unknown_at(offset + column, expected, &error)
    })?;
    let mut written = Vec::with_capacity(line.len());
    put_json(&mut written, &value);
    match line.iter().zip(&written).position(|(found, written)| found != written) {
        None if line.len() == written.len() => Ok(value),
        differs => {
            let at = offset + differs.unwrap_or(line.len().min(written.len())) as u64;
            Err(source.unknown_at(at, expected, &"it is written in another way"))
        }
    }
}

fn read_log(
    mut section: ByteReader<'_>,
    offsets: &mut RecordOffsets,
) -> Result<Vec<LogLine>, ReadError> {
    let mut log = Vec::new();
    while !section.is_empty() {
        offsets.lines.push(section.offset());
        if log.len() == MAX_LOG_LINES {
            let (expected, most) = ("the number of lines", MAX_LOG_LINES as u64);
            let kind = ReadErrorKind::TooLarge { expected, most, found: most + 1 };
            return Err(section.at(section.offset(), kind));
        }
        log.push(read_json(&mut section, "a line of the log", MAX_JSON_BYTES)?);
    }
    Ok(log)
}

fn put_heat(out: &mut Vec<u8>, heat: &RecordedHeat) {
    let ResultKey { round: RoundKey { stage, round }, table, board, attempt } = heat.key;
    for number in [stage.into(), round, table, board.into(), attempt] {
        put_number(out, number.into());
    }
    out.extend_from_slice(&heat.replay);
}

/// Reads a heat, whose key is greater than that of the one before.
fn read_heat(
    mut section: ByteReader<'_>,
    before: &[RecordedHeat],
    offsets: &mut RecordOffsets,
) -> Result<RecordedHeat, ReadError> {
    let offset = section.offset();
    let stage = section.small("a stage", u8::MAX.into())?;
    let round = section.small("a round", u16::MAX)?;
    let table = section.small("a table", u16::MAX)?;
    let board = section.small("a board", u8::MAX.into())?;
    let attempt = section.small("an attempt", u16::MAX)?;
    let round = RoundKey { stage: stage as u8, round };
    let key = ResultKey { round, table, board: board as u8, attempt };
    if before.last().is_some_and(|before| before.key >= key) {
        let why = "heats are in the order of their keys, each once";
        return Err(section.unknown_at(offset, "a heat", &why));
    }
    offsets.heats.push(section.offset());
    let length = section.rest().len();
    if length > MAX_HEAT_BYTES {
        let (most, found) = (MAX_HEAT_BYTES as u64, length as u64);
        let kind = ReadErrorKind::TooLarge { expected: "a replay", most, found };
        return Err(section.at(offset, kind));
    }
    let replay = section.take(length, "a replay")?.to_vec();
    Ok(RecordedHeat { key, replay })
}
