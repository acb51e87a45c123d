//! The bounded send queue of one member: a lane of events, a lane of standings, and an ending.

use crate::platform::lock::lock;
use gridrace_shared::protocol::codec::{self, Codec, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::{Farewell, Moved, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;

/// Events that may wait for one reader: several seconds of a busy heat (ten batches of
/// spectators' moves and some thirty acknowledgements a second).
const MAX_QUEUED_EVENTS: usize = 256;
/// Estimated bytes that may wait: the longest frame, and a busy heat's events.
const MAX_QUEUED_BYTES: usize = SERVER_FRAME_LIMIT + 64 * 1024;

/// A message and its encodings, each of which is made once for all readers.
#[derive(Debug)]
pub struct Frame {
    message: ServerMessage,
    /// Estimated length in bytes, in the longer codec.
    bytes: usize,
    binary: OnceLock<Option<Message>>,
    text: OnceLock<Option<Message>>,
}

impl Frame {
    pub fn new(message: ServerMessage) -> Arc<Self> {
        Arc::new(Self {
            bytes: estimate_bytes(&message).min(SERVER_FRAME_LIMIT),
            message,
            binary: OnceLock::new(),
            text: OnceLock::new(),
        })
    }

    /// Returns the message as a value, for members inside the server.
    pub fn message(&self) -> &ServerMessage {
        &self.message
    }

    /// Returns the frame in a codec; nothing for a message that can't be encoded, of which there
    /// is none.
    pub fn encoded(&self, codec: Codec) -> Option<Message> {
        let encoding = match codec {
            Codec::Binary => &self.binary,
            Codec::Json => &self.text,
        };
        let encode = || {
            Some(match codec::encode(codec, &self.message).ok()? {
                codec::Frame::Binary(bytes) => Message::Binary(bytes.into()),
                codec::Frame::Text(text) => Message::Text(text.into()),
            })
        };
        encoding.get_or_init(encode).clone()
    }
}

/// The send queue of one member. Rooms push, the member's own task takes.
#[derive(Debug, Default)]
pub struct Outbox {
    lanes: Mutex<Lanes>,
    wake: Notify,
    /// When the reader last sent anything, in microseconds of the server's clock.
    last_activity: AtomicU64,
}

#[derive(Debug, Default)]
struct Lanes {
    events: VecDeque<Arc<Frame>>,
    bytes: usize,
    standings: Option<Arc<Frame>>,
    ending: Option<Ending>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a farewell, after which the connection is closed.
    Farewell(Farewell),
    /// Without one: its member, a house bot, was removed from the room.
    Released,
}

/// What waited in an outbox.
#[derive(Debug, Default)]
pub struct OutboxBatch {
    /// Frames in order; the standings come last.
    pub frames: VecDeque<Arc<Frame>>,
    /// Set if these frames are the last.
    pub ending: Option<Ending>,
}

impl Outbox {
    /// Appends to the lane of events. A full lane ends the outbox as too slow.
    pub fn push(&self, frame: Arc<Frame>) {
        let mut lanes = lock(&self.lanes);
        if lanes.ending.is_some() {
            return;
        }
        if lanes.events.len() == MAX_QUEUED_EVENTS || lanes.bytes + frame.bytes > MAX_QUEUED_BYTES {
            *lanes =
                Lanes { ending: Some(Ending::Farewell(Farewell::TooSlow)), ..Lanes::default() };
        } else {
            if before_a_race(&frame.message) {
                // They belong to the heat before.
                lanes.standings = None;
            }
            lanes.bytes += frame.bytes;
            lanes.events.push_back(frame);
        }
        drop(lanes);
        self.wake.notify_one();
    }

    /// Replaces the standings, and returns whether unread ones were replaced. Standings that don't
    /// wake the reader are read with the next event.
    pub fn set_standings(&self, standings: Arc<Frame>, wakes: bool) -> bool {
        let mut lanes = lock(&self.lanes);
        if lanes.ending.is_some() {
            return false;
        }
        let skipped = lanes.standings.replace(standings).is_some();
        drop(lanes);
        if wakes {
            self.wake.notify_one();
        }
        skipped
    }

    pub fn flush_standings(&self) {
        if lock(&self.lanes).standings.is_some() {
            self.wake.notify_one();
        }
    }

    /// Ends the outbox behind what waits; the first ending stays.
    pub fn end(&self, ending: Ending) {
        lock(&self.lanes).ending.get_or_insert(ending);
        self.wake.notify_one();
    }

    pub fn note_activity(&self, now: ServerInstant) {
        self.last_activity.store(now.0, Ordering::Relaxed);
    }

    pub fn last_activity(&self) -> ServerInstant {
        ServerInstant(self.last_activity.load(Ordering::Relaxed))
    }

    /// Waits until something may be there to take. Safe to cancel.
    pub async fn ready(&self) {
        self.wake.notified().await;
    }

    pub fn take(&self) -> OutboxBatch {
        let mut lanes = lock(&self.lanes);
        lanes.bytes = 0;
        // With its memory: most outboxes are empty most of the time.
        let mut frames = std::mem::take(&mut lanes.events);
        frames.extend(lanes.standings.take());
        OutboxBatch { frames, ending: lanes.ending }
    }
}

/// Returns whether a message starts a phase without standings.
fn before_a_race(message: &ServerMessage) -> bool {
    matches!(message, ServerMessage::Phase(Phase::Lobby | Phase::Drawing | Phase::Countdown { .. }))
}

/// Estimates the bytes of a message in JSON, rather too high than too low.
fn estimate_bytes(message: &ServerMessage) -> usize {
    /// A message without a list or a board.
    const PLAIN: usize = 256;
    /// A member, a row of the standings, a heat of a list, a result.
    const ROW: usize = 256;
    /// The largest board of a heat, with all that can be taken back on it.
    const BOARD: usize = 8 * 1024;
    /// A move's own numbers, and one cell of it.
    const MOVE: usize = 64;
    const CELL: usize = 8;
    if let ServerMessage::Rooms(heats) = message {
        PLAIN + heats.len() * ROW
    } else if let ServerMessage::Results(results) = message {
        PLAIN + results.len() * ROW
    } else if let ServerMessage::Joined { room, .. } = message {
        let boards = 2 + room.boards.len();
        room.roster.members.len() * 2 * ROW + boards * BOARD
    } else if let ServerMessage::Roster(roster) = message {
        PLAIN + roster.members.len() * ROW
    } else if let ServerMessage::Standings(standings) = message {
        PLAIN + standings.rows.len() * ROW
    } else if let ServerMessage::Moves(moves) = message {
        let one = |moved: &Moved| MOVE + moved.play.weight() * CELL;
        PLAIN + moves.iter().map(one).sum::<usize>()
    } else if let ServerMessage::Phase(Phase::Over(result)) = message {
        BOARD + result.standings.len() * ROW
    } else if let ServerMessage::Phase(Phase::Running { .. }) | ServerMessage::Resync(_) = message {
        BOARD
    } else if let ServerMessage::Hint { .. } = message {
        BOARD / 2
    } else {
        PLAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use gridrace_shared::heat::ids::{PlayerId, Seq};
    use gridrace_shared::heat::standings::Standings;
    use gridrace_shared::protocol::server::Rejection;
    use gridrace_shared::puzzle::Move;
    use gridrace_shared::util::grid::Cell;
    use gridrace_shared::util::time::HeatInstant;

    fn event(n: u32) -> Arc<Frame> {
        Frame::new(ServerMessage::Rejected { seq: Seq(n), why: Rejection::Early })
    }

    fn standings(at: u64) -> Arc<Frame> {
        Frame::new(ServerMessage::Standings(Standings { at: HeatInstant(at), rows: Vec::new() }))
    }

    #[test]
    fn events_keep_their_order_and_only_the_latest_standings_are_shown() {
        let outbox = Outbox::default();
        outbox.set_standings(standings(1), true);
        outbox.push(event(1));
        outbox.set_standings(standings(2), true);
        outbox.push(event(2));
        let messages: Vec<_> = outbox.take().frames.iter().map(|f| f.message().clone()).collect();
        let expected = [event(1), event(2), standings(2)];
        assert_eq!(messages, expected.map(|frame| frame.message().clone()));
        assert!(outbox.take().frames.is_empty());
    }

    #[test]
    fn a_full_lane_ends_as_too_slow() {
        let outbox = Outbox::default();
        (0..=MAX_QUEUED_EVENTS as u32).for_each(|n| outbox.push(event(n)));
        let taken = outbox.take();
        assert!(taken.frames.is_empty());
        assert_eq!(taken.ending, Some(Ending::Farewell(Farewell::TooSlow)));
        outbox.push(event(0));
        assert!(outbox.take().frames.is_empty());
    }

    #[test]
    fn a_lane_is_bounded_in_bytes_as_well() {
        let moved = |player| Moved {
            player: PlayerId(player),
            at: HeatInstant(0),
            play: Move::Slide(Cell(0)),
        };
        let outbox = Outbox::default();
        let long = ServerMessage::Moves((0..1_000).map(moved).collect());
        let frame = Frame::new(long);
        let Some(Message::Text(text)) = frame.encoded(Codec::Json) else { panic!() };
        assert!(frame.bytes >= text.len(), "{} bytes", text.len());
        let fit = MAX_QUEUED_BYTES / frame.bytes;
        assert!(fit < MAX_QUEUED_EVENTS);
        (0..fit).for_each(|_| outbox.push(Arc::clone(&frame)));
        assert_eq!(outbox.take().ending, None);
        (0..=fit).for_each(|_| outbox.push(Arc::clone(&frame)));
        let taken = outbox.take();
        assert_eq!(taken.ending, Some(Ending::Farewell(Farewell::TooSlow)));
    }

    #[test]
    fn standings_of_the_heat_before_are_not_shown_in_the_next_lobby() {
        let outbox = Outbox::default();
        outbox.set_standings(standings(1), true);
        outbox.push(Frame::new(ServerMessage::Phase(Phase::Lobby)));
        let frames = outbox.take().frames;
        assert_eq!(frames.len(), 1);
        assert!(before_a_race(frames[0].message()));
    }

    #[tokio::test]
    async fn standings_that_wake_no_reader_go_with_the_next_event_or_when_flushed() {
        let outbox = Outbox::default();
        outbox.set_standings(standings(1), false);
        assert!(outbox.ready().now_or_never().is_none());
        outbox.push(event(1));
        assert!(outbox.ready().now_or_never().is_some());
        assert_eq!(outbox.take().frames.len(), 2);
        outbox.flush_standings();
        assert!(outbox.ready().now_or_never().is_none());
        outbox.set_standings(standings(2), false);
        outbox.flush_standings();
        assert!(outbox.ready().now_or_never().is_some());
    }

    #[test]
    fn standings_never_make_a_reader_too_slow() {
        let outbox = Outbox::default();
        let skipped = (0..10_000).filter(|&at| outbox.set_standings(standings(at), true)).count();
        assert_eq!(skipped, 9_999);
        assert_eq!(outbox.take().ending, None);
    }

    #[test]
    fn a_frame_is_encoded_once_for_all() {
        let frame = event(1);
        let Some(Message::Binary(a)) = frame.encoded(Codec::Binary) else { panic!() };
        let Some(Message::Binary(b)) = frame.encoded(Codec::Binary) else { panic!() };
        assert_eq!(a.as_ptr(), b.as_ptr());
    }
}
