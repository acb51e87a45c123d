//! The event log of a heat: who did what and when, in the order of the heat's queue.
//!
//! A record is one number: the milliseconds since the record before, the player, and a
//! choice, of which the last stands for anything but a move. In a heat of four on 4×4 that is two
//! bytes for a record within half a second of the last one.

use super::records::{
    BACK, CUT, EXPIRED, GAVE_UP, HINT, LEFT, LONGEST_OUTAGE, LOST, OUTAGE, RecordCursor, Records,
    SENT_AWAY,
};
use super::{ExitReason, MAX_RACERS, MAX_TIME, Racer, RacerEvent, Record, RecordKind};
use crate::heat::ids::PlayerId;
use crate::puzzle::Board;
use crate::replay::move_codec::{MoveCodec, move_codes};
use crate::util::byte_codec::{ByteReader, MAX_NUMBER_BYTES, ReadError, put_number};
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};

/// Upper bound on the bytes of one player's records: three times the longest way over the
/// largest board. Beyond it, that player's records are cut, and no other player's.
pub const MAX_PLAYER_BYTES: usize = 64 * 1024;
/// Upper bound on recorded outages, of a few bytes each.
const MAX_OUTAGES: usize = 1_000;

/// The start board, the players, and what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLog {
    start: Board,
    racers: Vec<Racer>,
    bytes: Vec<u8>,
}

/// Writes an [`EventLog`] while it happens. Serialisable, to continue after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "RawWriter", into = "RawWriter")]
pub struct EventLogWriter {
    course: EventLog,
    codecs: Vec<MoveCodec>,
    /// Bytes of each player's records; the maximum for a player who is cut.
    taken: Vec<usize>,
    outages: usize,
    last: Millis,
}

/// Why an event isn't recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventLogError {
    /// There are no players, or more than a heat has, or two with one number.
    #[error("a replay has 1 to {MAX_RACERS} players, each with a number of its own")]
    Racers,
    /// The board has traces of moves.
    #[error("a heat begins with nothing drawn")]
    Begun,
    /// A player who doesn't race.
    #[error("{0} doesn't race here")]
    Stranger(PlayerId),
    /// A move that no rules of this puzzle allow.
    #[error("this is no move on this board")]
    NoMove,
    /// After the longest time limit.
    #[error("no heat goes on for so long")]
    TooLate,
    /// The serialised records are invalid.
    #[error("these are no records of a heat")]
    Unreadable,
}

#[derive(Serialize, Deserialize)]
struct RawWriter {
    start: Board,
    racers: Vec<Racer>,
    bytes: Vec<u8>,
}

impl From<EventLogWriter> for RawWriter {
    fn from(writer: EventLogWriter) -> Self {
        let EventLog { start, racers, bytes } = writer.course;
        Self { start, racers, bytes }
    }
}

impl TryFrom<RawWriter> for EventLogWriter {
    type Error = EventLogError;

    fn try_from(raw: RawWriter) -> Result<Self, EventLogError> {
        let RawWriter { start, racers, bytes } = raw;
        let blank = Self::new(start, racers)?.finish();
        Self::take_up(EventLog { bytes, ..blank })
    }
}

impl EventLogWriter {
    /// Begins at GO.
    ///
    /// # Errors
    /// [`EventLogError::Racers`] or [`EventLogError::Begun`].
    pub fn new(start: Board, racers: Vec<Racer>) -> Result<Self, EventLogError> {
        let alone = |at: usize| racers[..at].iter().all(|racer| racer.id != racers[at].id);
        if !(1..=MAX_RACERS).contains(&racers.len()) || !(0..racers.len()).all(alone) {
            return Err(EventLogError::Racers);
        }
        if !start.is_untouched() {
            return Err(EventLogError::Begun);
        }
        Ok(Self {
            codecs: vec![MoveCodec::new(&start); racers.len()],
            taken: vec![0; racers.len()],
            outages: 0,
            last: Millis(0),
            course: EventLog { start, racers, bytes: Vec::new() },
        })
    }

    /// Records what happened now; an instant before the last one counts as the last one.
    /// RecordKind is more than [`MAX_PLAYER_BYTES`] of a player's is left out, and marked once.
    ///
    /// # Errors
    /// [`EventLogError`]; nothing is recorded then.
    pub fn record(&mut self, at: Millis, what: &RecordKind) -> Result<(), EventLogError> {
        let at = at.max(self.last);
        if at > MAX_TIME {
            return Err(EventLogError::TooLate);
        }
        match what {
            RecordKind::Racer { player, event } => {
                let player =
                    self.course.position(*player).ok_or(EventLogError::Stranger(*player))?;
                self.racer_event(at, player, event)
            }
            RecordKind::Outage { away } => {
                if self.outages < MAX_OUTAGES {
                    self.outages += 1;
                    let mut tail = Vec::new();
                    put_number(&mut tail, OUTAGE);
                    put_number(&mut tail, away.0.min(LONGEST_OUTAGE));
                    self.put(at, 0, move_codes(&self.codecs), &tail);
                }
                Ok(())
            }
        }
    }

    /// Continues after the recorded events.
    fn take_up(course: EventLog) -> Result<Self, EventLogError> {
        let mut writer = Self::new(course.start.clone(), course.racers.clone())?;
        let mut cursor = RecordCursor::new(&course);
        let end = course.bytes.len() as u64;
        while cursor.offset() < end {
            let from = cursor.offset();
            let Some(Record { at, what }) = cursor.next(&course) else {
                return Err(EventLogError::Unreadable);
            };
            writer.last = at;
            match what {
                RecordKind::Racer { player, event } => {
                    let player = course.position(player).unwrap_or_default();
                    writer.taken[player] += (cursor.offset() - from) as usize;
                    if event == RacerEvent::Cut {
                        writer.taken[player] = MAX_PLAYER_BYTES;
                    }
                }
                RecordKind::Outage { .. } => writer.outages += 1,
            }
        }
        writer.codecs = cursor.codecs;
        writer.course = course;
        Ok(writer)
    }

    /// Returns what has been recorded.
    pub fn finish(self) -> EventLog {
        self.course
    }

    pub fn racers(&self) -> &[Racer] {
        self.course.racers()
    }

    fn racer_event(
        &mut self,
        at: Millis,
        player: usize,
        event: &RacerEvent,
    ) -> Result<(), EventLogError> {
        if self.taken[player] >= MAX_PLAYER_BYTES {
            return Ok(());
        }
        let mut tail = Vec::new();
        let other = match event {
            RacerEvent::Move(play) => {
                let choice = self.codecs[player].encode(&mut tail, play);
                let choice = choice.ok_or(EventLogError::NoMove)?;
                self.put_within(at, player, choice, &tail);
                return Ok(());
            }
            RacerEvent::Hint => HINT,
            RacerEvent::Out(ExitReason::GaveUp) => GAVE_UP,
            RacerEvent::Out(ExitReason::Left) => LEFT,
            RacerEvent::Out(ExitReason::SentAway) => SENT_AWAY,
            RacerEvent::Out(ExitReason::Expired) => EXPIRED,
            RacerEvent::Lost => LOST,
            RacerEvent::Back => BACK,
            RacerEvent::Cut => {
                self.cut(at, player);
                return Ok(());
            }
        };
        put_number(&mut tail, other);
        self.put_within(at, player, move_codes(&self.codecs), &tail);
        Ok(())
    }

    /// Writes a record of a player who has room for it, or that there is none.
    fn put_within(&mut self, at: Millis, player: usize, choice: u64, tail: &[u8]) {
        if self.taken[player] + MAX_NUMBER_BYTES + tail.len() > MAX_PLAYER_BYTES {
            self.cut(at, player);
        } else {
            self.taken[player] += self.put(at, player, choice, tail);
        }
    }

    fn cut(&mut self, at: Millis, player: usize) {
        self.taken[player] = MAX_PLAYER_BYTES;
        let mut tail = Vec::new();
        put_number(&mut tail, CUT);
        self.put(at, player, move_codes(&self.codecs), &tail);
    }

    fn put(&mut self, at: Millis, player: usize, choice: u64, tail: &[u8]) -> usize {
        let before = self.course.bytes.len();
        let players = self.course.racers.len() as u64;
        let who = at.since(self.last).0 * players + player as u64;
        let number = who * (move_codes(&self.codecs) + 1) + choice;
        put_number(&mut self.course.bytes, number);
        self.course.bytes.extend_from_slice(tail);
        self.last = at;
        self.course.bytes.len() - before
    }
}

impl EventLog {
    /// Returns the board from which everybody starts.
    pub const fn start(&self) -> &Board {
        &self.start
    }

    /// Returns the players, in the order of their ids.
    pub fn racers(&self) -> &[Racer] {
        &self.racers
    }

    /// Returns the player of a number.
    pub fn racer(&self, id: PlayerId) -> Option<&Racer> {
        self.racers.iter().find(|racer| racer.id == id)
    }

    /// Returns what happened, each with its offset in [`EventLog::bytes`].
    pub fn records(&self) -> Records<'_> {
        Records::of(self)
    }

    /// Returns the records as they are written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes over records of a file, after checking that all can be read.
    pub(super) fn read(mut self, source: &ByteReader<'_>) -> Result<Self, ReadError> {
        let mut cursor = RecordCursor::new(&self);
        let mut reading = source.clone();
        while !reading.is_empty() {
            cursor.read(&self.racers, &mut reading)?;
        }
        self.bytes = source.rest().to_vec();
        Ok(self)
    }

    fn position(&self, id: PlayerId) -> Option<usize> {
        self.racers.iter().position(|racer| racer.id == id)
    }
}
