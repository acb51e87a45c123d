//! The event log of a heat: each act with its player and time, in the order of the heat's queue.
//!
//! A record is one number: the milliseconds since the record before, the player, and a
//! choice, of which the last stands for anything but a move. In a heat of four on 4×4 that is two
//! bytes for a record within half a second of the last one.

use crate::heat::ids::PlayerId;
use crate::heat::options::TIME_LIMIT_SECONDS;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::puzzle::{Board, Move};
use crate::replay::move_codec::{MoveCodec, move_codes};
use crate::util::byte_codec::{ByteReader, MAX_NUMBER_BYTES, ReadError, put_number};
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};

/// Upper bound on players: that of a heat.
pub const MAX_RACERS: usize = 32;

/// Upper bound on the bytes of one player's records: three times the longest way over the
/// largest board. Beyond it, that player's records are cut, and no other player's.
pub const MAX_PLAYER_BYTES: usize = 64 * 1024;
/// Upper bound on recorded outages, of a few bytes each.
const MAX_OUTAGES: usize = 1_000;

/// No instant of a heat is later: the longest time limit after GO.
pub const MAX_TIME: Millis = Millis::from_seconds(*TIME_LIMIT_SECONDS.end() as u64);

/// The longest outage in milliseconds: 34 years.
const LONGEST_OUTAGE: u64 = 1 << 40;

/// The events besides moves, with their codes.
pub(super) static OTHER_EVENTS: [(u64, RacerEvent); 9] = [
    (0, RacerEvent::Hint),
    (1, RacerEvent::Out(ExitReason::GaveUp)),
    (2, RacerEvent::Out(ExitReason::Left)),
    (3, RacerEvent::Out(ExitReason::SentAway)),
    (4, RacerEvent::Out(ExitReason::Expired)),
    (5, RacerEvent::Lost),
    (6, RacerEvent::Back),
    (CUT, RacerEvent::Cut),
    (LAST_CODE, RacerEvent::Out(ExitReason::HeatEnded)),
];
const CUT: u64 = 7;
/// The code of an outage, which is no player's event.
const OUTAGE: u64 = 8;
const LAST_CODE: u64 = 9;

/// A player of the heat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Racer {
    pub id: PlayerId,
    pub name: PlayerName,
    pub kind: PlayerKind,
}

/// One event of a heat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, since GO.
    pub at: Millis,
    pub kind: RecordKind,
}

/// The kind of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    Racer {
        player: PlayerId,
        event: RacerEvent,
    },
    /// An outage of the server; the heat's clock stood still meanwhile.
    Outage {
        away: Millis,
    },
}

/// An event of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RacerEvent {
    Move(Move),
    /// Was given a hint, and charged for it.
    Hint,
    /// Out of the race, unless finished.
    Out(ExitReason),
    Lost,
    Back,
    /// Reached the bound on a player's records; none of theirs follow.
    Cut,
}

/// How a player's race ends without a finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    GaveUp,
    Left,
    SentAway,
    /// Lost the connection, and did not reconnect in time.
    Expired,
    /// The heat was ended: by the host, because all who raced were idle, or because only bots did.
    HeatEnded,
}

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
    events: EventLog,
    codecs: Vec<MoveCodec>,
    /// Bytes of each player's records; the maximum for a player who is cut.
    taken: Vec<usize>,
    outages: usize,
    last: Millis,
}

/// The error of an event that can't be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventLogError {
    #[error("a replay has 1 to {MAX_RACERS} players, each with a number of its own")]
    Racers,
    #[error("a heat begins with nothing drawn")]
    Begun,
    #[error("{0} doesn't race here")]
    Stranger(PlayerId),
    #[error("this isn't a move on this board")]
    NoMove,
    #[error("no heat lasts this long")]
    TooLate,
    #[error("these aren't the records of a heat")]
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
        let EventLog { start, racers, bytes } = writer.events;
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
            events: EventLog { start, racers, bytes: Vec::new() },
        })
    }

    /// Records what happened now; an instant before the last one counts as the last one.
    /// What exceeds [`MAX_PLAYER_BYTES`] of a player is left out, and marked once.
    /// On an error nothing is recorded.
    pub fn record(&mut self, at: Millis, kind: &RecordKind) -> Result<(), EventLogError> {
        let at = at.max(self.last);
        if at > MAX_TIME {
            return Err(EventLogError::TooLate);
        }
        match kind {
            RecordKind::Racer { player, event } => {
                let player =
                    self.events.position(*player).ok_or(EventLogError::Stranger(*player))?;
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
    fn take_up(events: EventLog) -> Result<Self, EventLogError> {
        let mut writer = Self::new(events.start.clone(), events.racers.clone())?;
        let mut cursor = RecordCursor::new(&events);
        let end = events.bytes.len() as u64;
        while cursor.offset < end {
            let from = cursor.offset;
            let Some(Record { at, kind }) = cursor.next(&events) else {
                return Err(EventLogError::Unreadable);
            };
            writer.last = at;
            match kind {
                RecordKind::Racer { player, event } => {
                    let player = events.position(player).unwrap_or_default();
                    writer.taken[player] += (cursor.offset - from) as usize;
                    if event == RacerEvent::Cut {
                        writer.taken[player] = MAX_PLAYER_BYTES;
                    }
                }
                RecordKind::Outage { .. } => writer.outages += 1,
            }
        }
        writer.codecs = cursor.codecs;
        writer.events = events;
        Ok(writer)
    }

    pub fn finish(self) -> EventLog {
        self.events
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
        let choice = if let RacerEvent::Move(play) = event {
            let choice = self.codecs[player].encode(&mut tail, play);
            choice.ok_or(EventLogError::NoMove)?
        } else {
            let code = OTHER_EVENTS.iter().find(|(_, other)| other == event);
            put_number(&mut tail, code.map_or(CUT, |(code, _)| *code));
            move_codes(&self.codecs)
        };
        let has_room = self.taken[player] + MAX_NUMBER_BYTES + tail.len() <= MAX_PLAYER_BYTES;
        if has_room && *event != RacerEvent::Cut {
            self.taken[player] += self.put(at, player, choice, &tail);
        } else {
            self.taken[player] = MAX_PLAYER_BYTES;
            tail.clear();
            put_number(&mut tail, CUT);
            self.put(at, player, move_codes(&self.codecs), &tail);
        }
        Ok(())
    }

    fn put(&mut self, at: Millis, player: usize, choice: u64, tail: &[u8]) -> usize {
        let before = self.events.bytes.len();
        let players = self.events.racers.len() as u64;
        let who = at.since(self.last).0 * players + player as u64;
        let number = who * (move_codes(&self.codecs) + 1) + choice;
        put_number(&mut self.events.bytes, number);
        self.events.bytes.extend_from_slice(tail);
        self.last = at;
        self.events.bytes.len() - before
    }
}

impl EventLog {
    pub const fn start(&self) -> &Board {
        &self.start
    }

    /// Returns the players, in the order of their ids.
    pub fn racers(&self) -> &[Racer] {
        &self.racers
    }

    pub fn racer(&self, id: PlayerId) -> Option<&Racer> {
        self.racers.iter().find(|racer| racer.id == id)
    }

    /// Returns what happened, each with its offset in [`EventLog::bytes`].
    pub fn records(&self) -> impl Iterator<Item = (u64, Record)> {
        let mut cursor = RecordCursor::new(self);
        std::iter::from_fn(move || Some((cursor.offset, cursor.next(self)?)))
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

/// A place among the records of an event log, from which they can be read on.
#[derive(Debug, Clone)]
pub struct RecordCursor {
    codecs: Vec<MoveCodec>,
    at: Millis,
    /// Where the next record stands in [`EventLog::bytes`].
    offset: u64,
}

impl RecordCursor {
    pub fn new(events: &EventLog) -> Self {
        Self {
            codecs: vec![MoveCodec::new(events.start()); events.racers().len()],
            at: Millis(0),
            offset: 0,
        }
    }

    /// Reads the next record of the log; nothing at its end.
    pub fn next(&mut self, events: &EventLog) -> Option<Record> {
        let start = usize::try_from(self.offset).ok()?;
        let rest = events.bytes().get(start..)?;
        let mut source = ByteReader::new(rest, self.offset, None);
        // A log was read once before it was one, so this ends at its end.
        let record = self.read(events.racers(), &mut source).ok()?;
        self.offset = source.offset();
        Some(record)
    }

    fn read(&mut self, racers: &[Racer], source: &mut ByteReader<'_>) -> Result<Record, ReadError> {
        let (players, choices) = (racers.len() as u64, move_codes(&self.codecs) + 1);
        let left = MAX_TIME.since(self.at).0;
        let most = (left * players + players - 1) * choices + choices - 1;
        let number = source.number("a record", most)?;
        let (who, choice) = (number / choices, number % choices);
        let player = (who % players) as usize;
        self.at = self.at + Millis(who / players);
        let id = racers[player].id;
        let kind = if choice + 1 < choices {
            let event = RacerEvent::Move(self.codecs[player].decode(source, choice)?);
            RecordKind::Racer { player: id, event }
        } else {
            let offset = source.offset();
            let code = source.number("what happened", LAST_CODE)?;
            match OTHER_EVENTS.iter().find(|(other, _)| *other == code) {
                Some((_, event)) => RecordKind::Racer { player: id, event: event.clone() },
                None if player > 0 => {
                    return Err(source.unknown_at(offset, "an outage", &"it names a player"));
                }
                None => {
                    let away = source.number("how long the server was away", LONGEST_OUTAGE)?;
                    RecordKind::Outage { away: Millis(away) }
                }
            }
        };
        Ok(Record { at: self.at, kind })
    }
}
