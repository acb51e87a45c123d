//! The form of a checkpoint, and its conversion from the version before.
//!
//! The record at the top is its own type. It embeds parts of the race that are plain data:
//! their fields and variants, in their order, belong to the form. A change of any of them is a new
//! version of the journal: the types of the version before stay here, with a conversion.

use super::PersistedRoom;
use crate::race::members::Members;
use crate::race::phase::{Over, RacePhase, Running};
use crate::race::recording::Recording as RecordingState;
use crate::race::replay_recorder::ReplayRecorder;
use crate::race::seat::Seat;
use crate::race::spectator_feed::SpectatorFeed;
use crate::race::throttle::Throttle;
use crate::race::{HeatSecret, Race};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::PinHash;
use gridrace_shared::puzzle::{Board, MoveBounds};
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A checkpoint of the present version.
pub(in crate::race) type Checkpoint = RoomRecord<RacePhase>;
/// A checkpoint of version 5: a running heat has a throttle of its standings.
pub(in crate::race) type CheckpointV5 = RoomRecord<PhaseV5>;

/// A room, with the form of its phase.
#[derive(Serialize, Deserialize)]
pub(in crate::race) struct RoomRecord<P> {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<PinHash>,
    number: u32,
    board_requests: u32,
    members: Members,
    phase: P,
    outage: Millis,
    now: HeatInstant,
    order: u64,
    recorder: ReplayRecorder,
    next_id: u32,
}

#[derive(Deserialize)]
pub(in crate::race) enum PhaseV5 {
    Lobby,
    Drawing,
    Countdown { go: HeatInstant, drawn: Box<GeneratedBoard> },
    Running(Box<RunningV5>),
    Over(Box<Over>),
}

#[derive(Deserialize)]
pub(in crate::race) struct RunningV5 {
    go: HeatInstant,
    ends: HeatInstant,
    start: Board,
    known: SolutionKnowledge,
    seats: BTreeMap<PlayerId, Seat>,
    feed: SpectatorFeed,
    #[expect(dead_code, reason = "the room paces standings")]
    standings_dirty: StandingsDirtyV5,
    best: Option<MoveBounds>,
    #[expect(dead_code, reason = "the room paces standings")]
    throttle: Throttle,
}

#[derive(Deserialize)]
enum StandingsDirtyV5 {
    No,
    Since(#[expect(dead_code, reason = "the room paces standings")] HeatInstant),
    Finish,
}

impl PersistedRoom {
    pub(in crate::race) fn to_checkpoint(&self) -> Checkpoint {
        let Self { race, recorder, next_id } = self.clone();
        RoomRecord {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            number: race.number,
            board_requests: race.board_requests,
            members: race.members,
            phase: race.phase,
            outage: race.outage,
            now: race.now,
            order: race.order,
            recorder,
            next_id,
        }
    }
}

impl From<Checkpoint> for PersistedRoom {
    fn from(checkpoint: Checkpoint) -> Self {
        checkpoint.restore(|phase| phase)
    }
}

impl From<CheckpointV5> for PersistedRoom {
    fn from(checkpoint: CheckpointV5) -> Self {
        checkpoint.restore(RacePhase::from)
    }
}

impl<P> RoomRecord<P> {
    fn restore(self, phase: impl FnOnce(P) -> RacePhase) -> PersistedRoom {
        let race = Race {
            code: self.code,
            epoch: self.epoch,
            options: self.options,
            secret: self.secret,
            pin: self.pin,
            number: self.number,
            board_requests: self.board_requests,
            members: self.members,
            phase: phase(self.phase),
            outage: self.outage,
            recording: RecordingState::default(),
            now: self.now,
            order: self.order,
        };
        PersistedRoom { race, recorder: self.recorder, next_id: self.next_id }
    }
}

impl From<PhaseV5> for RacePhase {
    fn from(phase: PhaseV5) -> Self {
        match phase {
            PhaseV5::Lobby => Self::Lobby,
            PhaseV5::Drawing => Self::Drawing,
            PhaseV5::Countdown { go, drawn } => Self::Countdown { go, drawn },
            PhaseV5::Over(over) => Self::Over(over),
            PhaseV5::Running(run) => {
                let RunningV5 { go, ends, start, known, seats, feed, best, .. } = *run;
                let standings_changed = false;
                let run = Running { go, ends, start, known, seats, feed, standings_changed, best };
                Self::Running(Box::new(run))
            }
        }
    }
}
