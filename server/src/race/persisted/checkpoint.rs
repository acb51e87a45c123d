//! The form of a checkpoint: types of their own, so that the race may change without them.
//!
//! Their bytes are those of version 5 of the journal, and, with the parts that stood in other
//! places then, of version 4. A change of any of them is a new version: the types of the version
//! before stay, with a conversion.

use super::PersistedRoom;
use crate::race::hint_plans::HintPlans;
use crate::race::members::{MemberEntry, Members, ResumeTokens};
use crate::race::phase::{Over, RacePhase, Running, StandingsDirty};
use crate::race::recording::Recording as RecordingState;
use crate::race::replay_recorder::{Recording, ReplayRecorder};
use crate::race::seat::{MoveAck, Seat};
use crate::race::spectator_feed::{ShownBoard, SpectatorFeed};
use crate::race::throttle::Throttle;
use crate::race::{HeatSecret, Race};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::PinHash;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::{GivenHint, HeatResult, Member};
use gridrace_shared::puzzle::{Board, MoveBounds, MoveCount, PieceProgress};
use gridrace_shared::replay::EventLogWriter;
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::solver::plan::Plan;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// A checkpoint of the present version.
pub(crate) type Checkpoint = RoomRecord<bool, Option<RecordingRecord>>;
/// A checkpoint of version 4: each seat holds the solver's plan, the recorder what it saw last.
pub(crate) type CheckpointV4 = RoomRecord<AdviceV4, RecorderV4>;

/// A room, with the form of a seat's pending hint and of the replay recorder.
#[derive(Serialize, Deserialize)]
pub(crate) struct RoomRecord<H, R> {
    race: RaceRecord<H>,
    recorder: R,
    next_id: u32,
}

#[derive(Serialize, Deserialize)]
struct RaceRecord<H> {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<PinHash>,
    number: u32,
    board_requests: u32,
    host: Option<PlayerId>,
    owner: Option<PlayerId>,
    members: Vec<MemberRecord>,
    phase: PhaseRecord<H>,
    outage: Millis,
    now: HeatInstant,
    order: u64,
}

#[derive(Serialize, Deserialize)]
struct MemberRecord {
    member: Member,
    skeleton: String,
    away_until: Option<HeatInstant>,
    /// The latest token, and the one before until the client has confirmed the latest.
    tokens: Option<(ResumeTokenHash, Option<ResumeTokenHash>)>,
}

#[derive(Serialize, Deserialize)]
enum PhaseRecord<H> {
    Lobby,
    Drawing,
    Countdown { go: HeatInstant, drawn: Box<GeneratedBoard> },
    Running(Box<RunningRecord<H>>),
    Over(Box<OverRecord>),
}

#[derive(Serialize, Deserialize)]
struct RunningRecord<H> {
    go: HeatInstant,
    ends: HeatInstant,
    start: Board,
    known: SolutionKnowledge,
    seats: BTreeMap<PlayerId, SeatRecord<H>>,
    feed: FeedRecord,
    dirty: DirtyRecord,
    best: Option<MoveBounds>,
    throttle: ThrottleRecord,
}

#[derive(Serialize, Deserialize)]
struct SeatRecord<H> {
    board: Board,
    before: Option<Board>,
    seq: Seq,
    moves: MoveCount,
    state: State,
    hints: u16,
    penalty: Millis,
    hint: H,
    given: Option<GivenHint>,
    played_at: HeatInstant,
    gap_reported: bool,
    progress: u16,
    tally: Option<PieceProgress>,
    order: u64,
}

#[derive(Serialize, Deserialize)]
struct FeedRecord {
    delay: Millis,
    throttle: ThrottleRecord,
    shown: BTreeMap<PlayerId, ShownRecord>,
    waiting: VecDeque<Moved>,
}

#[derive(Serialize, Deserialize)]
struct ShownRecord {
    board: Board,
    waiting: usize,
    outrun: bool,
}

#[derive(Serialize, Deserialize)]
struct ThrottleRecord {
    every: Millis,
    last: Option<HeatInstant>,
}

#[derive(Serialize, Deserialize)]
enum DirtyRecord {
    No,
    Since(HeatInstant),
    Finish,
}

#[derive(Serialize, Deserialize)]
struct OverRecord {
    go: HeatInstant,
    at: HeatInstant,
    result: HeatResult,
    acks: BTreeMap<PlayerId, (Seq, HeatInstant, MoveCount)>,
}

/// The replay of a running heat.
#[derive(Serialize, Deserialize)]
pub(crate) struct RecordingRecord {
    go: HeatInstant,
    course: EventLogWriter,
}

/// A seat's hint in version 4.
#[derive(Serialize, Deserialize)]
pub(crate) enum AdviceV4 {
    Idle(Option<Plan>),
    Asked { tries: u8 },
}

/// The replay recorder in version 4.
#[derive(Serialize, Deserialize)]
pub(crate) struct RecorderV4 {
    number: u32,
    heat: Option<RecordingV4>,
}

#[derive(Serialize, Deserialize)]
struct RecordingV4 {
    go: HeatInstant,
    course: EventLogWriter,
    away: Millis,
    /// A player's number, moves and hints; whether it is out, connected and present.
    seen: Vec<(PlayerId, u32, u16, bool, bool, bool)>,
}

impl PersistedRoom {
    pub(crate) fn to_checkpoint(&self) -> Checkpoint {
        let Self { race, recorder, next_id } = self.clone();
        let Members { host, owner, list } = race.members;
        let race = RaceRecord {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            number: race.number,
            board_requests: race.board_requests,
            host,
            owner,
            members: list.into_iter().map(MemberRecord::from).collect(),
            phase: race.phase.into(),
            outage: race.outage,
            now: race.now,
            order: race.order,
        };
        let recorder = recorder.0.map(|Recording { go, course }| RecordingRecord { go, course });
        RoomRecord { race, recorder, next_id }
    }
}

#[cfg(test)]
impl Checkpoint {
    /// Returns how many hints a player of a running heat has got.
    pub(super) fn hints_of(&self, player: PlayerId) -> Option<u16> {
        match &self.race.phase {
            PhaseRecord::Running(run) => run.seats.get(&player).map(|seat| seat.hints),
            PhaseRecord::Lobby
            | PhaseRecord::Drawing
            | PhaseRecord::Countdown { .. }
            | PhaseRecord::Over(_) => None,
        }
    }
}

impl From<Checkpoint> for PersistedRoom {
    fn from(checkpoint: Checkpoint) -> Self {
        let RoomRecord { race, recorder, next_id } = checkpoint;
        let RaceRecord { host, owner, members, .. } = race;
        Self {
            race: Race {
                code: race.code,
                epoch: race.epoch,
                options: race.options,
                secret: race.secret,
                pin: race.pin,
                number: race.number,
                board_requests: race.board_requests,
                members: Members {
                    host,
                    owner,
                    list: members.into_iter().map(MemberEntry::from).collect(),
                },
                phase: race.phase.into(),
                outage: race.outage,
                recording: RecordingState::default(),
                now: race.now,
                order: race.order,
            },
            recorder: ReplayRecorder(
                recorder.map(|RecordingRecord { go, course }| Recording { go, course }),
            ),
            next_id,
        }
    }
}

impl CheckpointV4 {
    /// Converts to the present version, and takes the plans out.
    pub(crate) fn upgrade(self) -> (Checkpoint, HintPlans) {
        let Self { race, recorder, next_id } = self;
        let mut plans = HintPlans::default();
        let number = race.number;
        let phase = race.phase.map_hints(|player, advice| match advice {
            AdviceV4::Idle(plan) => {
                if let Some(plan) = plan {
                    plans.insert(number, player, plan, None);
                }
                false
            }
            AdviceV4::Asked { tries: _ } => true,
        });
        let race = RaceRecord {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            number,
            board_requests: race.board_requests,
            host: race.host,
            owner: race.owner,
            members: race.members,
            phase,
            outage: race.outage,
            now: race.now,
            order: race.order,
        };
        let recorder =
            recorder.heat.map(|RecordingV4 { go, course, .. }| RecordingRecord { go, course });
        (RoomRecord { race, recorder, next_id }, plans)
    }
}

impl<H> PhaseRecord<H> {
    fn map_hints<I>(self, mut map: impl FnMut(PlayerId, H) -> I) -> PhaseRecord<I> {
        match self {
            Self::Lobby => PhaseRecord::Lobby,
            Self::Drawing => PhaseRecord::Drawing,
            Self::Countdown { go, drawn } => PhaseRecord::Countdown { go, drawn },
            Self::Over(over) => PhaseRecord::Over(over),
            Self::Running(run) => {
                let seats = run.seats.into_iter();
                let seats = seats.map(|(player, seat)| {
                    let hint = map(player, seat.hint);
                    let seat = SeatRecord {
                        board: seat.board,
                        before: seat.before,
                        seq: seat.seq,
                        moves: seat.moves,
                        state: seat.state,
                        hints: seat.hints,
                        penalty: seat.penalty,
                        hint,
                        given: seat.given,
                        played_at: seat.played_at,
                        gap_reported: seat.gap_reported,
                        progress: seat.progress,
                        tally: seat.tally,
                        order: seat.order,
                    };
                    (player, seat)
                });
                PhaseRecord::Running(Box::new(RunningRecord {
                    go: run.go,
                    ends: run.ends,
                    start: run.start,
                    known: run.known,
                    seats: seats.collect(),
                    feed: run.feed,
                    dirty: run.dirty,
                    best: run.best,
                    throttle: run.throttle,
                }))
            }
        }
    }
}

/// Converts field by field, both ways.
macro_rules! convert {
    ($($record:ident <=> $state:ident { $($field:ident),+ $(; $from:ident <=> $to:ident)* })+) => {
        $(
            impl From<$state> for $record {
                fn from(state: $state) -> Self {
                    Self { $($field: state.$field.into(),)+ $($from: state.$to.into(),)* }
                }
            }
            impl From<$record> for $state {
                fn from(record: $record) -> Self {
                    Self { $($field: record.$field.into(),)+ $($to: record.$from.into(),)* }
                }
            }
        )+
    };
}

type PresentSeatRecord = SeatRecord<bool>;

convert! {
    PresentSeatRecord <=> Seat {
        board, before, seq, moves, state, hints, penalty, given, played_at, gap_reported, progress,
        tally, order; hint <=> hint_pending
    }
    ShownRecord <=> ShownBoard { board, waiting, outrun }
    ThrottleRecord <=> Throttle { every, last }
}

impl From<MemberEntry> for MemberRecord {
    fn from(entry: MemberEntry) -> Self {
        let MemberEntry { member, skeleton, away_until, tokens } = entry;
        let tokens = tokens.map(|ResumeTokens { latest, previous }| (latest, previous));
        Self { member, skeleton, away_until, tokens }
    }
}

impl From<MemberRecord> for MemberEntry {
    fn from(entry: MemberRecord) -> Self {
        let MemberRecord { member, skeleton, away_until, tokens } = entry;
        let tokens = tokens.map(|(latest, previous)| ResumeTokens { latest, previous });
        Self { member, skeleton, away_until, tokens }
    }
}

impl From<SpectatorFeed> for FeedRecord {
    fn from(feed: SpectatorFeed) -> Self {
        let SpectatorFeed { delay, throttle, shown, waiting } = feed;
        Self { delay, throttle: throttle.into(), shown: convert_values(shown), waiting }
    }
}

impl From<FeedRecord> for SpectatorFeed {
    fn from(feed: FeedRecord) -> Self {
        let FeedRecord { delay, throttle, shown, waiting } = feed;
        Self { delay, throttle: throttle.into(), shown: convert_values(shown), waiting }
    }
}

impl From<RacePhase> for PhaseRecord<bool> {
    fn from(phase: RacePhase) -> Self {
        match phase {
            RacePhase::Lobby => Self::Lobby,
            RacePhase::Drawing => Self::Drawing,
            RacePhase::Countdown { go, drawn } => Self::Countdown { go, drawn },
            RacePhase::Running(run) => Self::Running(Box::new(RunningRecord {
                go: run.go,
                ends: run.ends,
                start: run.start,
                known: run.known,
                seats: convert_values(run.seats),
                feed: run.feed.into(),
                dirty: match run.standings_dirty {
                    StandingsDirty::No => DirtyRecord::No,
                    StandingsDirty::Since(since) => DirtyRecord::Since(since),
                    StandingsDirty::Finish => DirtyRecord::Finish,
                },
                best: run.best,
                throttle: run.throttle.into(),
            })),
            RacePhase::Over(over) => {
                let acks = over.acks.into_iter();
                let acks = acks.map(|(player, ack)| (player, (ack.seq, ack.at, ack.moves)));
                let acks = acks.collect();
                let Over { go, at, result, .. } = *over;
                Self::Over(Box::new(OverRecord { go, at, result, acks }))
            }
        }
    }
}

impl From<PhaseRecord<bool>> for RacePhase {
    fn from(phase: PhaseRecord<bool>) -> Self {
        match phase {
            PhaseRecord::Lobby => Self::Lobby,
            PhaseRecord::Drawing => Self::Drawing,
            PhaseRecord::Countdown { go, drawn } => Self::Countdown { go, drawn },
            PhaseRecord::Running(run) => Self::Running(Box::new(Running {
                go: run.go,
                ends: run.ends,
                start: run.start,
                known: run.known,
                seats: convert_values(run.seats),
                feed: run.feed.into(),
                standings_dirty: match run.dirty {
                    DirtyRecord::No => StandingsDirty::No,
                    DirtyRecord::Since(since) => StandingsDirty::Since(since),
                    DirtyRecord::Finish => StandingsDirty::Finish,
                },
                best: run.best,
                throttle: run.throttle.into(),
            })),
            PhaseRecord::Over(over) => {
                let OverRecord { go, at, result, acks } = *over;
                let acks = acks.into_iter();
                let acks =
                    acks.map(|(player, (seq, at, moves))| (player, MoveAck { seq, at, moves }));
                let acks = acks.collect();
                Self::Over(Box::new(Over { go, at, result, acks }))
            }
        }
    }
}

fn convert_values<A, B: From<A>>(map: BTreeMap<PlayerId, A>) -> BTreeMap<PlayerId, B> {
    map.into_iter().map(|(player, value)| (player, value.into())).collect()
}
