//! A hub on a store, and members of its rooms.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use super::*;
use crate::hub::{RecoveredRooms, StandingRoom};
use crate::platform::environment::Environment;
use crate::race::Newcomer;
use crate::store::fixture::Scratch;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::snapshot::{HeatResult, Phase, Snapshot};
use gridrace_shared::puzzle::Board;
use std::collections::VecDeque;

/// A hub on a store.
pub(super) struct World {
    pub(super) scratch: Scratch,
    pub(super) hub: Hub,
    pub(super) codes: Vec<RoomCode>,
}

/// A member, and the messages that it hasn't looked at.
pub(super) struct TestMember {
    pub(super) id: PlayerId,
    pub(super) outbox: Arc<Outbox>,
    received: VecDeque<ServerMessage>,
    pub(super) token: ResumeToken,
}

pub(super) fn options(spec: &str) -> HeatOptions {
    HeatOptions { countdown_seconds: 1, ..HeatOptions::new(spec.parse().unwrap()) }
}

impl World {
    pub(super) fn on(scratch: Scratch, standing: Vec<StandingRoom>) -> Self {
        Self::simulated(Environment::default(), scratch, standing)
    }

    pub(super) fn simulated(
        environment: Environment,
        scratch: Scratch,
        standing: Vec<StandingRoom>,
    ) -> Self {
        let opened =
            crate::store::open(scratch.path(), environment.clone()).unwrap().retrying_soon();
        let clock = Clock::resume(opened.recovery.clock);
        let downtime = opened.recovery.away;
        let (tables, metrics) = (TableStore::default(), Metrics::new());
        let (store, rooms) = opened.start(clock, metrics.commits()).unwrap();
        let services = Services::start(environment, clock, tables, metrics, Shards::none(), false);
        let recovered =
            RecoveredRooms { store, rooms, downtime, tournaments: Vec::new(), next_tournament: 1 };
        let (hub, codes) = Hub::start(services, Some(recovered), standing).unwrap();
        Self { scratch, hub, codes }
    }

    pub(super) fn new() -> Self {
        Self::on(Scratch::new(), Vec::new())
    }

    /// Opens a room on a fresh hub; Anna has joined it.
    pub(super) async fn with_anna(spec: &str) -> (Self, Arc<Room>, TestMember) {
        let world = Self::new();
        let room = world.open(spec);
        let mut anna = TestMember::join(&room, "Anna");
        anna.receive_token().await;
        (world, room, anna)
    }

    /// The hub of a new server after this one was killed.
    pub(super) fn after_kill(&self) -> Self {
        Self::on(self.scratch.killed(), Vec::new())
    }

    pub(super) fn open(&self, spec: &str) -> Arc<Room> {
        self.hub.open(options(spec), None).unwrap()
    }

    /// Reads the replay of the only finished heat, and checks it.
    pub(super) fn replay(&self) -> gridrace_shared::replay::Replay {
        let archive = self.scratch.archive();
        let finished = archive.latest(9).unwrap();
        assert_eq!(finished.len(), 1, "it was announced, so it is on the disk");
        let file = archive.replay(&finished[0].id).unwrap().unwrap();
        let verdict = gridrace_shared::replay::verify(&file).unwrap();
        assert_eq!((verdict.errors, verdict.cut), (Vec::new(), Vec::new()));
        verdict.replay
    }
}

impl TestMember {
    pub(super) fn join(room: &Arc<Room>, name: &str) -> Self {
        Self::join_as(room, Newcomer::person(name.parse().unwrap()))
    }

    pub(super) fn join_as(room: &Arc<Room>, newcomer: Newcomer) -> Self {
        let outbox = Arc::new(Outbox::default().with_address(newcomer.address));
        let token = Rng::default().token();
        let id = room.join(&outbox, newcomer, token.clone()).unwrap();
        Self { id, outbox, received: VecDeque::new(), token }
    }

    /// Waits for a message, and keeps the latest token.
    pub(super) async fn receive<T>(&mut self, wanted: impl Fn(&ServerMessage) -> Option<T>) -> T {
        loop {
            while let Some(message) = self.received.pop_front() {
                if let ServerMessage::Token { token, .. } = &message {
                    self.token = token.clone();
                }
                if let Some(found) = wanted(&message) {
                    return found;
                }
            }
            self.outbox.ready().await;
            let taken = self.outbox.take(ServerInstant::default());
            assert_eq!(taken.ending, None);
            self.received.extend(taken.messages);
        }
    }

    /// Waits for a message that is wanted.
    pub(super) async fn receive_that(&mut self, is_wanted: impl Fn(&ServerMessage) -> bool) {
        self.receive(|message| is_wanted(message).then_some(())).await;
    }

    /// Takes the messages that wait.
    pub(super) fn take(&mut self) -> Vec<ServerMessage> {
        self.received.extend(self.outbox.take(ServerInstant::default()).messages);
        self.received.drain(..).collect()
    }

    pub(super) async fn receive_token(&mut self) {
        self.receive_that(|message| matches!(message, ServerMessage::Token { .. })).await;
    }

    pub(super) async fn receive_board_at_go(&mut self) -> Board {
        self.receive(|message| match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => Some(start.clone()),
            _ => None,
        })
        .await
    }

    pub(super) async fn receive_result(&mut self) -> HeatResult {
        self.receive(|message| match message {
            ServerMessage::Phase(Phase::Over(result)) => Some(result.clone()),
            _ => None,
        })
        .await
    }

    /// Starts the heat, and waits for GO.
    pub(super) async fn start(&mut self, room: &Arc<Room>) -> Board {
        room.apply(Event::Start { by: self.id });
        self.receive_board_at_go().await
    }

    /// Plays a legal move, and waits for its acknowledgement.
    pub(super) async fn play(&mut self, room: &Arc<Room>, board: &mut Board, seq: u32) {
        let play = board.legal_moves().swap_remove(0);
        board.play(&play).unwrap();
        let seq = Seq(seq);
        room.apply(Event::Move { by: self.id, seq, play });
        self.receive_that(
            |message| matches!(message, ServerMessage::Accepted { seq: to, .. } if *to == seq),
        )
        .await;
    }

    pub(super) fn set_ready(&self, room: &Arc<Room>, ready: bool) {
        room.apply(Event::Ready { by: self.id, ready });
    }

    /// Waits until the first member is ready, or not.
    pub(super) async fn receive_ready(&mut self, ready: bool) {
        self.receive_that(|message| match message {
            ServerMessage::Roster(roster) => roster.members[0].ready == ready,
            _ => false,
        })
        .await;
    }

    /// Resumes the seat; returns the snapshot, after which the next token comes.
    pub(super) async fn resume(&mut self, world: &World, code: RoomCode) -> Snapshot {
        let room = world.hub.find(code).unwrap();
        self.outbox = Arc::default();
        self.received.clear();
        room.resume(&self.outbox, self.id, &self.token, Rng::default().token(), None).unwrap();
        self.receive(|message| match message {
            ServerMessage::Joined { room, .. } => Some(Snapshot::clone(room)),
            _ => None,
        })
        .await
    }
}
