//! A hub on a store, and members of its rooms.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use super::*;
use crate::hub::{RecoveredRooms, StandingRoom};
use crate::platform::environment::Environment;
use crate::platform::shards::Shards;
use crate::room::outbox::Frame;
use crate::store::fixture::Scratch;
use crate::telemetry::metrics::Metrics;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::snapshot::{Phase, Snapshot};
use gridrace_shared::puzzle::Board;
use std::collections::VecDeque;

/// A hub on a store.
pub(super) struct World {
    pub(super) scratch: Scratch,
    pub(super) hub: Hub,
    pub(super) codes: Vec<RoomCode>,
}

/// A member, and the messages it got.
pub(super) struct Person {
    pub(super) id: PlayerId,
    pub(super) outbox: Arc<Outbox>,
    waiting: VecDeque<Arc<Frame>>,
    pub(super) token: ResumeToken,
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
        let clock = Clock::resume(opened.clock);
        let downtime = opened.away;
        let metrics = Metrics::new();
        let (store, rooms) = opened.start(clock, metrics.commits()).unwrap();
        let recovered = RecoveredRooms { store, rooms, downtime };
        let (hub, codes) = Hub::start(
            Some(recovered),
            environment,
            clock,
            metrics,
            Shards::none(),
            TableStore::default(),
            standing,
        )
        .unwrap();
        Self { scratch, hub, codes }
    }

    pub(super) fn new() -> Self {
        Self::on(Scratch::new(), Vec::new())
    }

    /// The hub of a new server after this one was killed.
    pub(super) fn after_kill(&self) -> Self {
        Self::on(self.scratch.killed(), Vec::new())
    }

    pub(super) fn open(&self, spec: &str) -> Arc<Room> {
        let options =
            HeatOptions { countdown_seconds: 1, ..HeatOptions::new(spec.parse().unwrap()) };
        self.hub.open(options, None).unwrap()
    }
}

impl Person {
    pub(super) fn joins(room: &Arc<Room>, name: &str) -> Self {
        let outbox = Arc::new(Outbox::default());
        let token = Rng::default().token();
        let name = name.parse().unwrap();
        let id = room
            .join(&outbox, crate::race::Newcomer::person(name), Rng::default().token())
            .unwrap();
        Self { id, outbox, waiting: VecDeque::new(), token }
    }

    /// Waits for a message, and keeps the latest token.
    pub(super) async fn hears<T>(&mut self, wanted: impl Fn(&ServerMessage) -> Option<T>) -> T {
        loop {
            while let Some(frame) = self.waiting.pop_front() {
                if let ServerMessage::Token { token, .. } = frame.message() {
                    self.token = token.clone();
                }
                if let Some(found) = wanted(frame.message()) {
                    return found;
                }
            }
            self.outbox.ready().await;
            let taken = self.outbox.take();
            assert_eq!(taken.ending, None);
            self.waiting.extend(taken.frames);
        }
    }

    /// Returns whether such a message came since.
    pub(super) fn has_heard_since(&mut self, wanted: impl Fn(&ServerMessage) -> bool) -> bool {
        self.waiting.extend(self.outbox.take().frames);
        self.waiting.iter().any(|frame| wanted(frame.message()))
    }

    pub(super) async fn gets_token(&mut self) {
        self.hears(|message| matches!(message, ServerMessage::Token { .. }).then_some(())).await;
    }

    pub(super) async fn sees(&mut self) -> Snapshot {
        self.hears(|message| match message {
            ServerMessage::Joined { heat, .. } => Some(Snapshot::clone(heat)),
            _ => None,
        })
        .await
    }

    pub(super) async fn is_at_go(&mut self) -> Board {
        self.hears(|message| match message {
            ServerMessage::Phase(Phase::Running { start, .. }) => Some(start.clone()),
            _ => None,
        })
        .await
    }

    /// Plays a legal move, and waits for its acknowledgement.
    pub(super) async fn plays(&mut self, room: &Arc<Room>, board: &mut Board, seq: u32) {
        let play = board.legal_moves().swap_remove(0);
        board.play(&play).unwrap();
        room.apply(Event::Move { by: self.id, seq: Seq(seq), play });
        self.hears(|message| {
            matches!(message, ServerMessage::Accepted { seq: to, .. } if to.0 == seq).then_some(())
        })
        .await;
    }

    pub(super) async fn resumes(&mut self, world: &World, code: RoomCode) -> Snapshot {
        let room = world.hub.find(code).unwrap();
        self.outbox = Arc::default();
        self.waiting.clear();
        room.resume(&self.outbox, self.id, &self.token, Rng::default().token()).unwrap();
        self.sees().await
    }
}
