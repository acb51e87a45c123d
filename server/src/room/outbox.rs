//! The bounded send queue of one member: a lane of events, the latest roster, the standings as far
//! as the member hasn't seen them, the latest head of a tournament, and an ending.
//!
//! What goes to a socket is kept as encoded WebSocket frames, so that its bytes are known, and one
//! write sends all that waits.

use crate::platform::lock::lock;
use crate::room::frame::{SharedFrame, encode_frame};
use crate::room::latest_standings::LatestStandings;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::{Farewell, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// Events that may wait for one reader: several seconds of a busy heat (ten batches of
/// spectators' moves and some thirty acknowledgements a second).
const MAX_QUEUED_EVENTS: usize = 256;
/// Encoded bytes that may wait: the longest frame, and a busy heat's events.
const MAX_QUEUED_BYTES: usize = SERVER_FRAME_LIMIT + 64 * 1024;

/// The send queue of one member. Rooms push, the member's own task takes. The default outbox has no
/// codec: a member inside the server takes messages from it, not frames.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The codec of the member's socket, if it has one.
    codec: Option<Codec>,
    lanes: Mutex<Lanes>,
    wake: Notify,
    /// The address of the client as limits count it; nothing for this machine.
    pub(super) from: Option<IpAddr>,
    /// When the reader last sent anything, in microseconds of the server's clock.
    last_activity: AtomicU64,
}

#[derive(Debug, Default)]
struct Lanes {
    /// Events that wait: as frames for a socket, else as messages.
    frames: Vec<u8>,
    messages: VecDeque<ServerMessage>,
    queued: usize,
    answered: Answered,
    roster: Option<Arc<SharedFrame>>,
    standings: Option<StandingsCursor>,
    /// The number of the tournament that the client follows, and its latest head.
    tournament_head: Option<(i64, Arc<SharedFrame>)>,
    /// When the roster or standings were last taken.
    refreshed: ServerInstant,
    ending: Option<Ending>,
}

/// A room's standings, and how much of them the member has seen.
#[derive(Debug)]
struct StandingsCursor {
    latest: Arc<LatestStandings>,
    seen: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a farewell, after which the connection is closed.
    Farewell(Farewell),
    /// Without one: its member, a house bot, was removed from the room.
    Released,
    /// A message has this many bytes, more than a client reads.
    TooLong(usize),
}

/// The moves that were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Answered {
    #[default]
    None,
    UpTo(Seq),
    /// The client was told how far it is.
    All,
}

/// What waited in an outbox: events in order, then the roster, then the standings.
#[derive(Debug, Default)]
pub struct OutboxBatch {
    /// For a socket.
    pub frames: Vec<u8>,
    /// For a member inside the server.
    pub messages: VecDeque<ServerMessage>,
    pub answered: Answered,
    /// Set if these are the last.
    pub ending: Option<Ending>,
}

impl Outbox {
    /// Creates the outbox of a socket with this codec.
    pub fn new(codec: Codec) -> Self {
        Self { codec: Some(codec), ..Self::default() }
    }

    /// Notes the address of the client as limits count it.
    pub fn with_address(self, from: Option<IpAddr>) -> Self {
        Self { from, ..self }
    }

    /// Appends a message for this member alone. A full outbox ends as too slow.
    pub fn push(&self, message: ServerMessage) {
        let mut lanes = lock(&self.lanes);
        if let ServerMessage::Recording(_) | ServerMessage::HostInfo { .. } = message
            && let Some(roster) = lanes.roster.take()
        {
            // The roster goes first: a status for the host follows the roster that names the host.
            match self.codec {
                Some(codec) => lanes.push_frame(roster.message(), roster.encoded(codec)),
                None => lanes.push_message(roster.message().clone()),
            }
        }
        match self.codec {
            Some(codec) => lanes.push_frame(&message, &encode_frame(codec, &message)),
            None => lanes.push_message(message),
        }
        drop(lanes);
        self.wake.notify_one();
    }

    /// Appends a message for many members, except that a roster replaces the one before and does
    /// not wake the reader.
    pub fn push_shared(&self, frame: &Arc<SharedFrame>) {
        let mut lanes = lock(&self.lanes);
        if let ServerMessage::Roster(_) = frame.message() {
            if lanes.ending.is_none() {
                lanes.roster = Some(Arc::clone(frame));
            }
            return;
        }
        match self.codec {
            Some(codec) => lanes.push_frame(frame.message(), frame.encoded(codec)),
            None => lanes.push_message(frame.message().clone()),
        }
        drop(lanes);
        self.wake.notify_one();
    }

    /// Appends the snapshot of a room, whose standings follow from now on.
    pub fn enter(&self, snapshot: ServerMessage, latest: &Arc<LatestStandings>) {
        let mut lanes = lock(&self.lanes);
        let seen = latest.version();
        lanes.standings = Some(StandingsCursor { latest: Arc::clone(latest), seen });
        lanes.roster = None;
        drop(lanes);
        self.push(snapshot);
    }

    /// Follows these standings from now on, if others were followed before.
    pub fn follow_standings(&self, latest: &Arc<LatestStandings>) {
        if let Some(cursor) = &mut lock(&self.lanes).standings
            && !Arc::ptr_eq(&cursor.latest, latest)
        {
            *cursor = StandingsCursor { latest: Arc::clone(latest), seen: latest.version() };
        }
    }

    /// Drops the roster and standings of the room that the member has left.
    pub fn leave(&self) {
        let mut lanes = lock(&self.lanes);
        (lanes.roster, lanes.standings) = (None, None);
    }

    /// Appends the head of a tournament, which replaces one that the reader hasn't taken.
    pub fn push_tournament_head(&self, tournament: i64, frame: &Arc<SharedFrame>) {
        let mut lanes = lock(&self.lanes);
        if lanes.ending.is_none() {
            lanes.tournament_head = Some((tournament, Arc::clone(frame)));
        }
        drop(lanes);
        self.wake.notify_one();
    }

    /// Drops the head of a tournament that isn't followed any more.
    pub fn drop_tournament_head(&self, tournament: i64) {
        lock(&self.lanes).tournament_head.take_if(|(of, _)| *of == tournament);
    }

    /// Wakes the reader if there is a roster or standings it hasn't seen, and it took the last
    /// ones before this interval; returns when to try again if that is too early.
    pub fn wake_if_due(&self, now: ServerInstant, interval: Duration) -> Option<ServerInstant> {
        let lanes = lock(&self.lanes);
        let is_behind = |cursor: &StandingsCursor| cursor.latest.version() > cursor.seen;
        if lanes.roster.is_none() && !lanes.standings.as_ref().is_some_and(is_behind) {
            return None;
        }
        let due = lanes.refreshed + interval;
        drop(lanes);
        if due > now {
            return Some(due);
        }
        self.wake.notify_one();
        None
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

    pub fn take(&self, now: ServerInstant) -> OutboxBatch {
        let mut lanes = lock(&self.lanes);
        lanes.take_latest(self.codec, now);
        lanes.queued = 0;
        OutboxBatch {
            frames: std::mem::take(&mut lanes.frames),
            messages: std::mem::take(&mut lanes.messages),
            answered: std::mem::take(&mut lanes.answered),
            ending: lanes.ending,
        }
    }
}

impl Lanes {
    fn push_frame(&mut self, message: &ServerMessage, frame: &[u8]) {
        if self.try_reserve(message, frame.len()) {
            self.frames.extend_from_slice(frame);
        }
    }

    fn push_message(&mut self, message: ServerMessage) {
        if self.try_reserve(&message, 0) {
            self.messages.push_back(message);
        }
    }

    /// Returns whether an event may be appended, and notes what follows from it.
    fn try_reserve(&mut self, message: &ServerMessage, bytes: usize) -> bool {
        if self.ending.is_some() {
            return false;
        }
        if bytes > SERVER_FRAME_LIMIT {
            self.ending = Some(Ending::TooLong(bytes));
            return false;
        }
        if self.queued == MAX_QUEUED_EVENTS || self.frames.len() + bytes > MAX_QUEUED_BYTES {
            let ending = Some(Ending::Farewell(Farewell::TooSlow));
            *self = Self { ending, ..Self::default() };
            return false;
        }
        self.queued += 1;
        self.answered = self.answered.with(message);
        if let Some(cursor) = &mut self.standings
            && is_before_a_race(message)
        {
            // They belong to the heat before.
            cursor.seen = cursor.latest.version();
        }
        true
    }

    /// Appends the roster and the standings that the member hasn't seen.
    fn take_latest(&mut self, codec: Option<Codec>, now: ServerInstant) {
        if self.ending.is_some() {
            return;
        }
        let unseen = self.standings.as_mut().and_then(|StandingsCursor { latest, seen }| {
            let (version, frame) = latest.since(*seen)?;
            *seen = version;
            Some(frame)
        });
        let head = self.tournament_head.take().map(|(_, head)| head);
        if self.roster.is_some() || unseen.is_some() {
            self.refreshed = now;
        }
        for frame in self.roster.take().into_iter().chain(unseen).chain(head) {
            match codec {
                Some(codec) => self.frames.extend_from_slice(frame.encoded(codec)),
                None => self.messages.push_back(frame.message().clone()),
            }
        }
    }
}

impl Answered {
    fn with(self, message: &ServerMessage) -> Self {
        if let ServerMessage::Accepted { seq, .. } = message {
            self.up_to(*seq)
        } else if let ServerMessage::Rejected { seq, why } = message
            && *why != Rejection::Busy
        {
            self.up_to(*seq)
        } else if let ServerMessage::Resync(_) = message {
            Self::All
        } else {
            // A move that is shed as busy isn't measured.
            self
        }
    }

    fn up_to(self, seq: Seq) -> Self {
        if self == Self::All { self } else { Self::UpTo(seq) }
    }
}

/// Returns whether a message starts a phase without standings.
fn is_before_a_race(message: &ServerMessage) -> bool {
    matches!(message, ServerMessage::Phase(Phase::Lobby | Phase::Drawing | Phase::Countdown { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::latest_standings;
    use futures_util::FutureExt;
    use gridrace_shared::heat::ids::PlayerId;
    use gridrace_shared::heat::standings::{RaceState, Standing, Standings};
    use gridrace_shared::protocol::server::RecordingStatus;
    use gridrace_shared::protocol::snapshot::Roster;
    use gridrace_shared::puzzle::MoveCount;
    use gridrace_shared::util::time::HeatInstant;

    const INTERVAL: Duration = Duration::from_millis(250);

    fn event(n: u32) -> ServerMessage {
        ServerMessage::Rejected { seq: Seq(n), why: Rejection::Early }
    }

    fn roster(host: u32) -> Arc<SharedFrame> {
        let roster = Roster { host: Some(PlayerId(host)), members: Vec::new() };
        SharedFrame::new(ServerMessage::Roster(roster))
    }

    fn row(player: u32, moves: u32) -> Standing {
        latest_standings::tests::row(player, moves, RaceState::Racing)
    }

    fn standings(at: u64, moves: [u32; 2]) -> Standings {
        let rows = (1..).zip(moves).map(|(player, moves)| row(player, moves)).collect();
        Standings { at: HeatInstant(at), rows }
    }

    /// Returns an outbox of a member of a room whose standings are these.
    fn member(moves: [u32; 2]) -> (Outbox, Arc<LatestStandings>) {
        let (outbox, latest) = (Outbox::default(), Arc::new(LatestStandings::default()));
        latest.update(standings(1, moves));
        outbox.enter(event(0), &latest);
        assert_eq!(take(&outbox), [event(0)]);
        assert!(outbox.ready().now_or_never().is_some());
        (outbox, latest)
    }

    fn take(outbox: &Outbox) -> Vec<ServerMessage> {
        outbox.take(ServerInstant(0)).messages.into()
    }

    #[test]
    fn the_host_knows_that_it_is_before_it_is_told_of_the_recording() {
        let outbox = Outbox::default();
        outbox.push_shared(&roster(1));
        outbox.push_shared(&roster(2));
        let unrecorded = ServerMessage::Recording(RecordingStatus::Unrecorded);
        outbox.push(unrecorded.clone());
        assert_eq!(take(&outbox), [roster(2).message().clone(), unrecorded]);
    }

    #[test]
    fn events_keep_their_order_and_the_latest_roster_and_standings_follow() {
        let (outbox, latest) = member([0, 0]);
        outbox.push_shared(&roster(1));
        latest.update(standings(2, [1, 0]));
        outbox.push(event(1));
        outbox.push_shared(&roster(2));
        latest.update(standings(3, [2, 0]));
        outbox.push(event(2));
        let changed = Standings { at: HeatInstant(3), rows: vec![row(1, 2)] };
        let changed = ServerMessage::Standings(changed);
        assert_eq!(take(&outbox), [event(1), event(2), roster(2).message().clone(), changed]);
        assert!(take(&outbox).is_empty());
    }

    #[test]
    fn a_full_lane_ends_as_too_slow() {
        for outbox in [Outbox::default(), Outbox::new(Codec::Json)] {
            (0..=MAX_QUEUED_EVENTS as u32).for_each(|n| outbox.push(event(n)));
            let taken = outbox.take(ServerInstant(0));
            assert!(taken.messages.is_empty() && taken.frames.is_empty());
            assert_eq!(taken.ending, Some(Ending::Farewell(Farewell::TooSlow)));
            outbox.push(event(0));
            assert!(take(&outbox).is_empty());
        }
    }

    #[test]
    fn a_lane_is_bounded_in_encoded_bytes_as_well() {
        let server = "x".repeat(60_000);
        let challenge = gridrace_shared::heat::identity::Challenge::from_bytes([0; 32]);
        let long = SharedFrame::new(ServerMessage::Welcome { version: 0, server, challenge });
        for codec in Codec::ALL {
            let fit = MAX_QUEUED_BYTES / long.encoded(codec).len();
            let outbox = Outbox::new(codec);
            (0..fit).for_each(|_| outbox.push_shared(&long));
            let taken = outbox.take(ServerInstant(0));
            assert_eq!((taken.ending, taken.frames.len()), (None, fit * long.encoded(codec).len()));
            (0..=fit).for_each(|_| outbox.push_shared(&long));
            let taken = outbox.take(ServerInstant(0));
            assert_eq!(taken.ending, Some(Ending::Farewell(Farewell::TooSlow)));
        }
    }

    #[test]
    fn a_message_longer_than_a_client_reads_ends_the_outbox() {
        let server = "x".repeat(SERVER_FRAME_LIMIT);
        let challenge = gridrace_shared::heat::identity::Challenge::from_bytes([0; 32]);
        let outbox = Outbox::new(Codec::Binary);
        outbox.push(ServerMessage::Welcome { version: 0, server, challenge });
        let taken = outbox.take(ServerInstant(0));
        assert!(taken.frames.is_empty());
        assert!(matches!(taken.ending, Some(Ending::TooLong(bytes)) if bytes > SERVER_FRAME_LIMIT));
    }

    #[test]
    fn standings_of_the_heat_before_are_not_shown_in_the_next_lobby() {
        let (outbox, latest) = member([0, 0]);
        latest.update(standings(2, [1, 0]));
        outbox.push(ServerMessage::Phase(Phase::Lobby));
        assert_eq!(take(&outbox), [ServerMessage::Phase(Phase::Lobby)]);
    }

    #[test]
    fn nothing_follows_from_a_room_that_was_left() {
        let (outbox, latest) = member([0, 0]);
        latest.update(standings(2, [1, 0]));
        outbox.push_shared(&roster(1));
        outbox.leave();
        assert!(take(&outbox).is_empty());
        assert_eq!(outbox.wake_if_due(ServerInstant(1_000_000), INTERVAL), None);
        assert!(outbox.ready().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_reader_is_woken_for_standings_once_an_interval() {
        let (outbox, latest) = member([0, 0]);
        let at = |millis: u64| ServerInstant(millis * 1_000);
        assert_eq!(outbox.wake_if_due(at(1_000), INTERVAL), None, "nothing is unseen");
        latest.update(standings(2, [1, 0]));
        assert!(outbox.ready().now_or_never().is_none());
        assert_eq!(outbox.wake_if_due(at(1_000), INTERVAL), None);
        assert!(outbox.ready().now_or_never().is_some());
        assert_eq!(outbox.take(at(1_000)).messages.len(), 1);
        latest.update(standings(3, [2, 0]));
        assert_eq!(outbox.wake_if_due(at(1_249), INTERVAL), Some(at(1_250)));
        assert!(outbox.ready().now_or_never().is_none());
        // An event takes them along, and the interval begins anew.
        outbox.push(event(1));
        assert_eq!(outbox.take(at(1_249)).messages.len(), 2);
        assert_eq!(outbox.wake_if_due(at(1_250), INTERVAL), None);
    }

    #[test]
    fn rosters_and_standings_never_make_a_reader_too_slow() {
        let (outbox, latest) = member([0, 0]);
        for n in 0..10_000 {
            outbox.push_shared(&roster(n));
            latest.update(standings(n.into(), [n + 1, 0]));
        }
        let taken = outbox.take(ServerInstant(0));
        assert_eq!((taken.messages.len(), taken.ending), (2, None));
    }

    #[test]
    fn the_moves_that_were_answered_are_known() {
        let answered = |messages: &[ServerMessage]| {
            let outbox = Outbox::new(Codec::Binary);
            messages.iter().for_each(|message| outbox.push(message.clone()));
            outbox.take(ServerInstant(0)).answered
        };
        let accepted = |seq| {
            let (at, moves) = (HeatInstant(0), MoveCount::default());
            ServerMessage::Accepted { seq: Seq(seq), at, moves }
        };
        let busy = ServerMessage::Rejected { seq: Seq(9), why: Rejection::Busy };
        assert_eq!(answered(std::slice::from_ref(&busy)), Answered::None);
        assert_eq!(answered(&[accepted(3), accepted(4), busy]), Answered::UpTo(Seq(4)));
        assert_eq!(answered(&[accepted(3), event(4)]), Answered::UpTo(Seq(4)));
    }
}
