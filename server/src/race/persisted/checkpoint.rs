//! The form of a checkpoint: types of their own, so that the race may change without them.
//!
//! Their bytes are those of version 5 of the journal, and, with the parts that stood in other
//! places then, of version 4. A change of any of them is a new version: the types of the version
//! before stay, with a conversion.

use super::PersistedRoom;
use crate::race::hint_plans::HintPlans;
use crate::race::members::{Entry, Keys, Members};
use crate::race::phase::{News, Over, Running, Stage};
use crate::race::recording::Recording as RecordingState;
use crate::race::replay_recorder::{Recording, ReplayRecorder};
use crate::race::seat::{Acknowledged, Seat};
use crate::race::spectator_feed::{Delayed, Shown};
use crate::race::throttle::Pace;
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
use gridrace_shared::util::time::{Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// A checkpoint of the present version.
pub(crate) type Checkpoint = Room<bool, Option<Replay>>;
/// A checkpoint of version 4: each seat holds the solver's plan, the recorder what it saw last.
pub(crate) type CheckpointV4 = Room<AdviceV4, RecorderV4>;

/// A room, with the form of a seat's pending hint and of the replay recorder.
#[derive(Serialize, Deserialize)]
pub(crate) struct Room<H, R> {
    race: Heat<H>,
    recorder: R,
    next_id: u32,
}

#[derive(Serialize, Deserialize)]
struct Heat<H> {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<PinHash>,
    number: u32,
    drawings: u32,
    host: Option<PlayerId>,
    owner: Option<PlayerId>,
    members: Vec<MemberEntry>,
    phase: Phase<H>,
    outage: Millis,
    now: Millis,
    order: u64,
}

#[derive(Serialize, Deserialize)]
struct MemberEntry {
    member: Member,
    skeleton: String,
    away_until: Option<Millis>,
    /// The latest token, and the one before until the client has confirmed the latest.
    tokens: Option<(ResumeTokenHash, Option<ResumeTokenHash>)>,
}

#[derive(Serialize, Deserialize)]
enum Phase<H> {
    Lobby,
    Drawing,
    Countdown { go: Millis, drawn: Box<GeneratedBoard> },
    Running(Box<RunningHeat<H>>),
    Over(Box<OverHeat>),
}

#[derive(Serialize, Deserialize)]
struct RunningHeat<H> {
    go: Millis,
    ends: Millis,
    start: Board,
    known: SolutionKnowledge,
    seats: BTreeMap<PlayerId, PlayerSeat<H>>,
    feed: Feed,
    dirty: Dirty,
    best: Option<MoveBounds>,
    throttle: Throttle,
}

#[derive(Serialize, Deserialize)]
struct PlayerSeat<H> {
    board: Board,
    before: Option<Board>,
    seq: Seq,
    moves: MoveCount,
    state: State,
    hints: u16,
    penalty: Millis,
    hint: H,
    given: Option<GivenHint>,
    played_at: Millis,
    out_of_step: bool,
    progress: u16,
    tally: Option<PieceProgress>,
    order: u64,
}

#[derive(Serialize, Deserialize)]
struct Feed {
    delay: Millis,
    throttle: Throttle,
    shown: BTreeMap<PlayerId, ShownBoard>,
    waiting: VecDeque<Moved>,
}

#[derive(Serialize, Deserialize)]
struct ShownBoard {
    board: Board,
    waiting: usize,
    outrun: bool,
}

#[derive(Serialize, Deserialize)]
struct Throttle {
    every: Millis,
    last: Option<Millis>,
}

#[derive(Serialize, Deserialize)]
enum Dirty {
    No,
    Since(Millis),
    Finish,
}

#[derive(Serialize, Deserialize)]
struct OverHeat {
    go: Millis,
    at: Millis,
    result: HeatResult,
    acknowledged: BTreeMap<PlayerId, (Seq, Millis, MoveCount)>,
}

/// The replay of a running heat.
#[derive(Serialize, Deserialize)]
pub(crate) struct Replay {
    go: Millis,
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
    go: Millis,
    course: EventLogWriter,
    away: Millis,
    /// A player's number, moves and hints; whether it is out, connected and present.
    seen: Vec<(PlayerId, u32, u16, bool, bool, bool)>,
}

impl PersistedRoom {
    /// Returns the checkpoint of the room as it is now.
    pub(crate) fn to_checkpoint(&self) -> Checkpoint {
        let Self { race, recorder, next_id } = self.clone();
        let Members { host, owner, list } = race.members;
        let race = Heat {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            number: race.number,
            drawings: race.drawings,
            host,
            owner,
            members: list.into_iter().map(MemberEntry::from).collect(),
            phase: race.stage.into(),
            outage: race.outage,
            now: race.now,
            order: race.order,
        };
        let recorder = recorder.0.map(|Recording { go, course }| Replay { go, course });
        Room { race, recorder, next_id }
    }
}

#[cfg(test)]
impl Checkpoint {
    /// Returns how many hints a player of a running heat has got.
    pub(super) fn hints_of(&self, player: PlayerId) -> Option<u16> {
        match &self.race.phase {
            Phase::Running(run) => run.seats.get(&player).map(|seat| seat.hints),
            Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } | Phase::Over(_) => None,
        }
    }
}

impl From<Checkpoint> for PersistedRoom {
    fn from(checkpoint: Checkpoint) -> Self {
        let Room { race, recorder, next_id } = checkpoint;
        let Heat { host, owner, members, .. } = race;
        Self {
            race: Race {
                code: race.code,
                epoch: race.epoch,
                options: race.options,
                secret: race.secret,
                pin: race.pin,
                number: race.number,
                drawings: race.drawings,
                members: Members {
                    host,
                    owner,
                    list: members.into_iter().map(Entry::from).collect(),
                },
                stage: race.phase.into(),
                outage: race.outage,
                recording: RecordingState::default(),
                now: race.now,
                order: race.order,
            },
            recorder: ReplayRecorder(
                recorder.map(|Replay { go, course }| Recording { go, course }),
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
        let race = Heat {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            number,
            drawings: race.drawings,
            host: race.host,
            owner: race.owner,
            members: race.members,
            phase,
            outage: race.outage,
            now: race.now,
            order: race.order,
        };
        let recorder = recorder.heat.map(|RecordingV4 { go, course, .. }| Replay { go, course });
        (Room { race, recorder, next_id }, plans)
    }
}

impl<H> Phase<H> {
    fn map_hints<I>(self, mut map: impl FnMut(PlayerId, H) -> I) -> Phase<I> {
        match self {
            Self::Lobby => Phase::Lobby,
            Self::Drawing => Phase::Drawing,
            Self::Countdown { go, drawn } => Phase::Countdown { go, drawn },
            Self::Over(over) => Phase::Over(over),
            Self::Running(run) => {
                let seats = run.seats.into_iter();
                let seats = seats.map(|(player, seat)| {
                    let hint = map(player, seat.hint);
                    let seat = PlayerSeat {
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
                        out_of_step: seat.out_of_step,
                        progress: seat.progress,
                        tally: seat.tally,
                        order: seat.order,
                    };
                    (player, seat)
                });
                Phase::Running(Box::new(RunningHeat {
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

type SeatRecord = PlayerSeat<bool>;

convert! {
    SeatRecord <=> Seat {
        board, before, seq, moves, state, hints, penalty, given, played_at, out_of_step, progress,
        tally, order; hint <=> hint_pending
    }
    ShownBoard <=> Shown { board, waiting, outrun }
    Throttle <=> Pace { every, last }
}

impl From<Entry> for MemberEntry {
    fn from(entry: Entry) -> Self {
        let Entry { member, skeleton, away_until, keys } = entry;
        let tokens = keys.map(|Keys { latest, shown }| (latest, shown));
        Self { member, skeleton, away_until, tokens }
    }
}

impl From<MemberEntry> for Entry {
    fn from(entry: MemberEntry) -> Self {
        let MemberEntry { member, skeleton, away_until, tokens } = entry;
        let keys = tokens.map(|(latest, shown)| Keys { latest, shown });
        Self { member, skeleton, away_until, keys }
    }
}

impl From<Delayed> for Feed {
    fn from(feed: Delayed) -> Self {
        let Delayed { delay, pace, shown, waiting } = feed;
        Self { delay, throttle: pace.into(), shown: convert_values(shown), waiting }
    }
}

impl From<Feed> for Delayed {
    fn from(feed: Feed) -> Self {
        let Feed { delay, throttle, shown, waiting } = feed;
        Self { delay, pace: throttle.into(), shown: convert_values(shown), waiting }
    }
}

impl From<Stage> for Phase<bool> {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Lobby => Self::Lobby,
            Stage::Drawing => Self::Drawing,
            Stage::Countdown { go, drawn } => Self::Countdown { go, drawn },
            Stage::Running(run) => Self::Running(Box::new(RunningHeat {
                go: run.go,
                ends: run.ends,
                start: run.start,
                known: run.known,
                seats: convert_values(run.seats),
                feed: run.delayed.into(),
                dirty: match run.news {
                    News::None => Dirty::No,
                    News::Since(since) => Dirty::Since(since),
                    News::Finish => Dirty::Finish,
                },
                best: run.best,
                throttle: run.pace.into(),
            })),
            Stage::Over(over) => {
                let acknowledged = over.acknowledged.into_iter();
                let acknowledged =
                    acknowledged.map(|(player, ack)| (player, (ack.seq, ack.at, ack.moves)));
                let acknowledged = acknowledged.collect();
                let Over { go, at, result, .. } = *over;
                Self::Over(Box::new(OverHeat { go, at, result, acknowledged }))
            }
        }
    }
}

impl From<Phase<bool>> for Stage {
    fn from(phase: Phase<bool>) -> Self {
        match phase {
            Phase::Lobby => Self::Lobby,
            Phase::Drawing => Self::Drawing,
            Phase::Countdown { go, drawn } => Self::Countdown { go, drawn },
            Phase::Running(run) => Self::Running(Box::new(Running {
                go: run.go,
                ends: run.ends,
                start: run.start,
                known: run.known,
                seats: convert_values(run.seats),
                delayed: run.feed.into(),
                news: match run.dirty {
                    Dirty::No => News::None,
                    Dirty::Since(since) => News::Since(since),
                    Dirty::Finish => News::Finish,
                },
                best: run.best,
                pace: run.throttle.into(),
            })),
            Phase::Over(over) => {
                let OverHeat { go, at, result, acknowledged } = *over;
                let acknowledged = acknowledged.into_iter();
                let acknowledged = acknowledged
                    .map(|(player, (seq, at, moves))| (player, Acknowledged { seq, at, moves }));
                let acknowledged = acknowledged.collect();
                Self::Over(Box::new(Over { go, at, result, acknowledged }))
            }
        }
    }
}

fn convert_values<A, B: From<A>>(map: BTreeMap<PlayerId, A>) -> BTreeMap<PlayerId, B> {
    map.into_iter().map(|(player, value)| (player, value.into())).collect()
}
