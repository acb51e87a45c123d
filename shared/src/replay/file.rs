//! A replay as a file: eight bytes that say what it is, the version, and five sections in
//! this order; then perhaps a signature.

use super::{FORMAT, MAX_REPLAY_BYTES, Replay, sections};
use crate::replay::sections::FieldOffsets;
use crate::replay::signature::{REPLAY, ServerKey, SignatureCheck};
use crate::util::section_file::{ParseError, SectionFile, put_section, put_signature};

const FILE: SectionFile = SectionFile {
    magic: *b"\x89grr\r\n\x1a\n",
    what: "replay",
    version: FORMAT,
    max_bytes: MAX_REPLAY_BYTES,
};

/// The sections, in their order.
const HEAT: &str = "HEAT";
const DRAW: &str = "DRAW";
const SEAT: &str = "SEAT";
const MOVE: &str = "MOVE";
const DONE: &str = "DONE";

impl Replay {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = FILE.begin();
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
        let content = key.sign(REPLAY, &out);
        put_signature(&mut out, &content);
        out
    }

    /// Decodes a replay file, and checks its checksums.
    pub fn decode(file: &[u8]) -> Result<Self, ParseError> {
        Self::locate(file).map(|(replay, ..)| replay)
    }

    /// Reads a file, and says where its parts stand and who vouches for it.
    pub fn locate(file: &[u8]) -> Result<(Self, FieldOffsets, SignatureCheck), ParseError> {
        let mut source = FILE.open(file)?;
        let mut places = FieldOffsets::default();
        let heat = sections::read_heat(FILE.take_section(&mut source, HEAT)?, &mut places)?;
        let draw = FILE.take_section(&mut source, DRAW)?;
        let (header, start) = sections::read_draw(draw, heat, &mut places)?;
        let seats = FILE.take_section(&mut source, SEAT)?;
        places.racers = seats.offset();
        let blank = sections::read_seats(seats, start)?;
        let moves = FILE.take_section(&mut source, MOVE)?;
        places.records = moves.offset();
        let events = blank.read(&moves)?;
        let outcome = sections::read_outcome(FILE.take_section(&mut source, DONE)?, &mut places)?;
        let signature = SignatureCheck::of(REPLAY, FILE.take_extras(source, file)?)?;
        let replay = Self { header, events, outcome };
        Ok((replay, places, signature))
    }
}
