//! Reading records one after another.

use super::{EventLog, ExitReason, MAX_TIME, Racer, RacerEvent, Record, RecordKind};
use crate::replay::move_codec::{MoveCodec, move_codes};
use crate::util::byte_codec::{ByteReader, ReadError};
use crate::util::time::Millis;

/// The longest outage in milliseconds: 34 years.
pub(super) const LONGEST_OUTAGE: u64 = 1 << 40;

/// The numbers of what is no move.
pub(super) const HINT: u64 = 0;
pub(super) const GAVE_UP: u64 = 1;
pub(super) const LEFT: u64 = 2;
pub(super) const SENT_AWAY: u64 = 3;
pub(super) const EXPIRED: u64 = 4;
pub(super) const LOST: u64 = 5;
pub(super) const BACK: u64 = 6;
pub(super) const CUT: u64 = 7;
pub(super) const OUTAGE: u64 = 8;

/// The records of a [`EventLog`], one after another, each with where it stands in
/// [`EventLog::bytes`].
#[derive(Debug, Clone)]
pub struct Records<'a> {
    course: &'a EventLog,
    cursor: RecordCursor,
}

/// A place among the records of a course, from which they can be read on.
#[derive(Debug, Clone)]
pub struct RecordCursor {
    pub(super) codecs: Vec<MoveCodec>,
    at: Millis,
    offset: u64,
}

impl<'a> Records<'a> {
    pub(super) fn of(course: &'a EventLog) -> Self {
        let cursor = RecordCursor::new(course);
        Self { course, cursor }
    }
}

impl Iterator for Records<'_> {
    type Item = (u64, Record);

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.cursor.offset();
        let record = self.cursor.next(self.course)?;
        Some((offset, record))
    }
}

impl RecordCursor {
    /// Starts before the first record.
    pub fn new(course: &EventLog) -> Self {
        Self {
            codecs: vec![MoveCodec::new(course.start()); course.racers().len()],
            at: Millis(0),
            offset: 0,
        }
    }

    /// Returns where the next record stands in [`EventLog::bytes`].
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next record of the course; nothing at its end.
    pub fn next(&mut self, course: &EventLog) -> Option<Record> {
        let start = usize::try_from(self.offset).ok()?;
        let rest = course.bytes().get(start..)?;
        let mut source = ByteReader::new(rest, self.offset, None);
        // A course was read once before it was one, so this ends at its end.
        let record = self.read(course.racers(), &mut source).ok()?;
        self.offset = source.offset();
        Some(record)
    }

    pub(super) fn read(
        &mut self,
        racers: &[Racer],
        source: &mut ByteReader<'_>,
    ) -> Result<Record, ReadError> {
        let (players, choices) = (racers.len() as u64, move_codes(&self.codecs) + 1);
        let left = MAX_TIME.since(self.at).0;
        let most = (left * players + players - 1) * choices + choices - 1;
        let number = source.number("a record", most)?;
        let (who, choice) = (number / choices, number % choices);
        let player = (who % players) as usize;
        self.at = self.at + Millis(who / players);
        let event = if choice + 1 == choices {
            read_other(source, player)?
        } else {
            Ok(RacerEvent::Move(self.codecs[player].decode(source, choice)?))
        };
        let player = racers[player].id;
        let what = match event {
            Ok(event) => RecordKind::Racer { player, event },
            Err(away) => RecordKind::Outage { away },
        };
        Ok(Record { at: self.at, what })
    }
}

/// Reads what happened that is no move: to a player, or else how long the server was away.
fn read_other(
    source: &mut ByteReader<'_>,
    player: usize,
) -> Result<Result<RacerEvent, Millis>, ReadError> {
    let offset = source.offset();
    Ok(Ok(match source.number("what happened", OUTAGE)? {
        HINT => RacerEvent::Hint,
        GAVE_UP => RacerEvent::Out(ExitReason::GaveUp),
        LEFT => RacerEvent::Out(ExitReason::Left),
        SENT_AWAY => RacerEvent::Out(ExitReason::SentAway),
        EXPIRED => RacerEvent::Out(ExitReason::Expired),
        LOST => RacerEvent::Lost,
        BACK => RacerEvent::Back,
        CUT => RacerEvent::Cut,
        _ if player > 0 => {
            let why = "it names a player";
            return Err(source.unknown_at(offset, "an outage", &why));
        }
        _ => {
            let away = source.number("how long the server was away", LONGEST_OUTAGE)?;
            return Ok(Err(Millis(away)));
        }
    }))
}
