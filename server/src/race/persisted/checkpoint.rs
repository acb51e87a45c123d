//! The form of a checkpoint, and its conversion from the version before.
//!
//! The record at the top is its own type. It embeds parts of the race that are plain data:
//! their fields and variants, in their order, belong to the form. The bytes are those of version 5
//! of the journal, and, with the parts that stood in other places then, of version 4. A change of
//! any of them is a new version: the types of the version before stay here, with a conversion.

use super::PersistedRoom;
use crate::race::hint_plans::HintPlans;
use crate::race::members::Members;
use crate::race::phase::{Over, RacePhase, Running, StandingsDirty};
use crate::race::recording::Recording as RecordingState;
use crate::race::replay_recorder::{Recording, ReplayRecorder};
use crate::race::seat::Seat;
use crate::race::spectator_feed::SpectatorFeed;
use crate::race::throttle::Throttle;
use crate::race::{HeatSecret, Race};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::PinHash;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::{Board, MoveBounds, MoveCount, PieceProgress};
use gridrace_shared::replay::EventLogWriter;
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::solver::plan::Plan;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A checkpoint of the present version.
pub(in crate::race) type Checkpoint = RoomRecord<RacePhase, ReplayRecorder>;
/// A checkpoint of version 4: each seat holds the solver's plan, the recorder what it saw last.
pub(in crate::race) type CheckpointV4 = RoomRecord<PhaseV4, RecorderV4>;

/// A room, with the form of its phase and of the replay recorder.
#[derive(Serialize, Deserialize)]
pub(in crate::race) struct RoomRecord<P, R> {
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
    recorder: R,
    next_id: u32,
}

#[derive(Deserialize)]
pub(in crate::race) enum PhaseV4 {
    Lobby,
    Drawing,
    Countdown { go: HeatInstant, drawn: Box<GeneratedBoard> },
    Running(Box<RunningV4>),
    Over(Box<Over>),
}

#[derive(Deserialize)]
pub(in crate::race) struct RunningV4 {
    go: HeatInstant,
    ends: HeatInstant,
    start: Board,
    known: SolutionKnowledge,
    seats: BTreeMap<PlayerId, SeatV4>,
    feed: SpectatorFeed,
    standings_dirty: StandingsDirty,
    best: Option<MoveBounds>,
    throttle: Throttle,
}

#[derive(Deserialize)]
struct SeatV4 {
    board: Board,
    before: Option<Board>,
    seq: Seq,
    moves: MoveCount,
    state: State,
    hints: u16,
    penalty: Millis,
    hint: AdviceV4,
    given: Option<GivenHint>,
    played_at: HeatInstant,
    gap_reported: bool,
    progress: u16,
    tally: Option<PieceProgress>,
    order: u64,
}

#[derive(Deserialize)]
enum AdviceV4 {
    Idle(Option<Plan>),
    Asked {
        #[expect(dead_code, reason = "the solver's attempts are counted anew")]
        tries: u8,
    },
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the recorder no longer compares races")]
pub(in crate::race) struct RecorderV4 {
    number: u32,
    heat: Option<RecordingV4>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "the recorder no longer compares races")]
struct RecordingV4 {
    go: HeatInstant,
    course: EventLogWriter,
    away: Millis,
    /// A player's number, moves and hints; whether it is out, connected and present.
    seen: Vec<(PlayerId, u32, u16, bool, bool, bool)>,
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
        checkpoint.restore(|_, phase| phase, |recorder| recorder)
    }
}

impl CheckpointV4 {
    /// Restores the room, and takes the plans out.
    pub(in crate::race) fn into_room(self) -> (PersistedRoom, HintPlans) {
        let mut plans = HintPlans::default();
        let phase = |number, phase: PhaseV4| {
            phase.upgrade(|player, plan| plans.insert(number, player, plan, None))
        };
        let recorder = |recorder: RecorderV4| {
            let recording = recorder.heat;
            ReplayRecorder(recording.map(|RecordingV4 { go, course, .. }| Recording { go, course }))
        };
        let room = self.restore(phase, recorder);
        (room, plans)
    }
}

impl<P, R> RoomRecord<P, R> {
    /// Restores the room; the phase is converted with the number of the heat.
    fn restore(
        self,
        phase: impl FnOnce(u32, P) -> RacePhase,
        recorder: impl FnOnce(R) -> ReplayRecorder,
    ) -> PersistedRoom {
        let race = Race {
            code: self.code,
            epoch: self.epoch,
            options: self.options,
            secret: self.secret,
            pin: self.pin,
            number: self.number,
            board_requests: self.board_requests,
            members: self.members,
            phase: phase(self.number, self.phase),
            outage: self.outage,
            recording: RecordingState::default(),
            now: self.now,
            order: self.order,
        };
        PersistedRoom { race, recorder: recorder(self.recorder), next_id: self.next_id }
    }
}

impl PhaseV4 {
    /// Converts to the present form; `keep` takes the players' plans.
    fn upgrade(self, mut keep: impl FnMut(PlayerId, Plan)) -> RacePhase {
        let run = match self {
            Self::Lobby => return RacePhase::Lobby,
            Self::Drawing => return RacePhase::Drawing,
            Self::Countdown { go, drawn } => return RacePhase::Countdown { go, drawn },
            Self::Over(over) => return RacePhase::Over(over),
            Self::Running(run) => run,
        };
        let seats = run.seats.into_iter().map(|(player, seat)| {
            let hint_pending = match seat.hint {
                AdviceV4::Asked { .. } => true,
                AdviceV4::Idle(plan) => {
                    plan.into_iter().for_each(|plan| keep(player, plan));
                    false
                }
            };
            let seat = Seat {
                board: seat.board,
                before: seat.before,
                seq: seat.seq,
                moves: seat.moves,
                state: seat.state,
                hints: seat.hints,
                penalty: seat.penalty,
                hint_pending,
                given: seat.given,
                played_at: seat.played_at,
                gap_reported: seat.gap_reported,
                progress: seat.progress,
                tally: seat.tally,
                order: seat.order,
            };
            (player, seat)
        });
        RacePhase::Running(Box::new(Running {
            go: run.go,
            ends: run.ends,
            start: run.start,
            known: run.known,
            seats: seats.collect(),
            feed: run.feed,
            standings_dirty: run.standings_dirty,
            best: run.best,
            throttle: run.throttle,
        }))
    }
}
