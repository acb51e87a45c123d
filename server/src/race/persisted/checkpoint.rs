//! The form of a checkpoint, and its conversion from the version before.
//!
//! The record at the top is its own type. It embeds parts of the race that are plain data:
//! their fields and variants, in their order, belong to the form. A change of any of them is a new
//! version of the journal: the types of the version before stay here, with a conversion.

use super::PersistedRoom;
use crate::race::activity::Activity;
use crate::race::event::QueuedHeat;
use crate::race::host_image::HostImage;
use crate::race::members::{HostPlace, MemberEntry, Members, ResumeTokens};
use crate::race::phase::{Over, RacePhase, Running};
use crate::race::recording::Recording as RecordingState;
use crate::race::replay_recorder::ReplayRecorder;
use crate::race::seat::{MoveAck, Seat};
use crate::race::spectator_feed::{ShownBoard, SpectatorFeed};
use crate::race::table::TournamentTable;
use crate::race::throttle::Throttle;
use crate::race::{HeatSecret, Race};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat::pin::{PinHash, RoomPin};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::short_text::RoomName;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::{Ban, GivenHint, HeatResult, Member};
use gridrace_shared::puzzle::numberlink::deduce::LinkHint;
use gridrace_shared::puzzle::slide::SlideHint;
use gridrace_shared::puzzle::{Board, HintStyle, MoveBounds, MoveCount, PieceProgress, PuzzleSpec};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A checkpoint of the present version.
#[derive(Serialize, Deserialize)]
pub(in crate::race) struct Checkpoint {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptions,
    secret: HeatSecret,
    pin: Option<RoomPin>,
    name: Option<RoomName>,
    operators: BTreeSet<Fingerprint>,
    banned: Vec<Ban>,
    held_by: Option<PlayerId>,
    queued: Option<QueuedHeat>,
    host_informed: BTreeSet<PlayerId>,
    number: u32,
    board_requests: u32,
    members: Members,
    phase: RacePhase,
    outage: Millis,
    now: HeatInstant,
    order: u64,
    recorder: ReplayRecorder,
    next_id: u32,
    table: Option<TournamentTable>,
    host_image: HostImage,
    untold_of_damage: BTreeSet<PlayerId>,
}

/// A checkpoint of version 5: without names, operators, bans and what is queued, and with one style of
/// hints; a running heat has a throttle of its standings.
#[derive(Deserialize)]
pub(in crate::race) struct CheckpointV5 {
    code: RoomCode,
    epoch: ServerInstant,
    options: HeatOptionsV5,
    secret: HeatSecret,
    pin: Option<PinHash>,
    number: u32,
    board_requests: u32,
    members: MembersV5,
    phase: PhaseV5,
    outage: Millis,
    now: HeatInstant,
    order: u64,
    recorder: ReplayRecorder,
    next_id: u32,
}

#[derive(Deserialize)]
pub(in crate::race) struct HeatOptionsV5 {
    spec: PuzzleSpec,
    countdown_seconds: u16,
    time_limit_seconds: u16,
    hints: HintRule,
    bots_allowed: bool,
    private: bool,
    delay_seconds: u16,
    grace_seconds: u16,
}

#[derive(Deserialize)]
struct MembersV5 {
    host: Option<PlayerId>,
    owner: Option<PlayerId>,
    list: Vec<MemberEntryV5>,
}

#[derive(Deserialize)]
struct MemberEntryV5 {
    member: MemberV5,
    skeleton: String,
    away_until: Option<HeatInstant>,
    tokens: Option<ResumeTokens>,
}

#[derive(Deserialize)]
struct MemberV5 {
    id: PlayerId,
    name: PlayerName,
    kind: PlayerKind,
    role: Role,
    ready: bool,
    next_seat: bool,
    connected: bool,
    identity: Option<Fingerprint>,
}

#[derive(Deserialize)]
enum PhaseV5 {
    Lobby,
    Drawing,
    Countdown { go: HeatInstant, drawn: Box<GeneratedBoard> },
    Running(Box<RunningV5>),
    Over(Box<OverV5>),
}

#[derive(Deserialize)]
struct RunningV5 {
    go: HeatInstant,
    ends: HeatInstant,
    start: Board,
    known: SolutionKnowledge,
    seats: BTreeMap<PlayerId, SeatV5>,
    feed: SpectatorFeedV5,
    #[expect(dead_code, reason = "the room paces standings")]
    standings_dirty: StandingsDirtyV5,
    best: Option<MoveBounds>,
    #[expect(dead_code, reason = "the room paces standings")]
    throttle: Throttle,
}

#[derive(Deserialize)]
struct SeatV5 {
    board: Board,
    before: Option<Board>,
    seq: Seq,
    moves: MoveCount,
    state: RaceState,
    hints: u16,
    penalty: Millis,
    hint_pending: bool,
    given: Option<Box<GivenHintV5>>,
    played_at: HeatInstant,
    gap_reported: bool,
    progress: u16,
    tally: Option<PieceProgress>,
    order: u64,
}

#[derive(Deserialize)]
pub(in crate::race) struct GivenHintV5 {
    after: Seq,
    hint: HintV5,
    distance_change: Option<i32>,
}

#[derive(Deserialize)]
enum HintV5 {
    Slide(SlideHintV5),
    Link(LinkHint),
}

#[derive(Deserialize)]
struct SlideHintV5 {
    play: Cell,
    then: Vec<Cell>,
    at_least: u32,
    at_most: u32,
}

#[derive(Deserialize)]
struct SpectatorFeedV5 {
    delay: Millis,
    throttle: Throttle,
    shown: BTreeMap<PlayerId, ShownBoard>,
    waiting: VecDeque<Moved>,
}

#[derive(Deserialize)]
struct OverV5 {
    go: HeatInstant,
    at: HeatInstant,
    result: HeatResult,
    acks: BTreeMap<PlayerId, MoveAck>,
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
        Checkpoint {
            code: race.code,
            epoch: race.epoch,
            options: race.options,
            secret: race.secret,
            pin: race.pin,
            name: race.name,
            operators: race.operators,
            banned: race.banned,
            held_by: race.held_by,
            queued: race.queued,
            host_informed: race.host_informed,
            number: race.number,
            board_requests: race.board_requests,
            members: race.members,
            phase: race.phase,
            outage: race.outage,
            now: race.now,
            order: race.order,
            recorder,
            next_id,
            table: race.table,
            host_image: race.host_image,
            untold_of_damage: race.untold_of_damage,
        }
    }
}

impl From<Checkpoint> for PersistedRoom {
    fn from(checkpoint: Checkpoint) -> Self {
        let race = Race {
            code: checkpoint.code,
            epoch: checkpoint.epoch,
            options: checkpoint.options,
            secret: checkpoint.secret,
            pin: checkpoint.pin,
            name: checkpoint.name,
            operators: checkpoint.operators,
            banned: checkpoint.banned,
            held_by: checkpoint.held_by,
            queued: checkpoint.queued,
            number: checkpoint.number,
            board_requests: checkpoint.board_requests,
            members: checkpoint.members,
            phase: checkpoint.phase,
            outage: checkpoint.outage,
            recording: RecordingState::default(),
            host_informed: checkpoint.host_informed,
            host_image: checkpoint.host_image,
            untold_of_damage: checkpoint.untold_of_damage,
            table: checkpoint.table,
            now: checkpoint.now,
            order: checkpoint.order,
        };
        Self { race, recorder: checkpoint.recorder, next_id: checkpoint.next_id }
    }
}

impl From<CheckpointV5> for Checkpoint {
    fn from(before: CheckpointV5) -> Self {
        Self {
            code: before.code,
            epoch: before.epoch,
            options: before.options.into(),
            secret: before.secret,
            pin: before.pin.map(RoomPin::Hashed),
            name: None,
            operators: BTreeSet::new(),
            banned: Vec::new(),
            held_by: None,
            queued: None,
            host_informed: BTreeSet::new(),
            number: before.number,
            board_requests: before.board_requests,
            members: before.members.into(),
            phase: before.phase.into(),
            outage: before.outage,
            now: before.now,
            order: before.order,
            recorder: before.recorder,
            next_id: before.next_id,
            table: None,
            host_image: HostImage::default(),
            untold_of_damage: BTreeSet::new(),
        }
    }
}

impl From<HeatOptionsV5> for HeatOptions {
    fn from(before: HeatOptionsV5) -> Self {
        Self {
            countdown_seconds: before.countdown_seconds,
            time_limit_seconds: before.time_limit_seconds,
            hints: before.hints,
            bots_allowed: before.bots_allowed,
            private: before.private,
            delay_seconds: before.delay_seconds,
            grace_seconds: before.grace_seconds,
            ..Self::new(before.spec)
        }
    }
}

impl From<GivenHintV5> for GivenHint {
    fn from(GivenHintV5 { after, hint, distance_change }: GivenHintV5) -> Self {
        let hint = match hint {
            HintV5::Slide(SlideHintV5 { play, then, at_least, at_most }) => {
                Hint::Slide(SlideHint { play, then, at_least, at_most, stage: None })
            }
            HintV5::Link(hint) => Hint::Link(hint),
        };
        Self { after, hint, distance_change }
    }
}

impl From<SeatV5> for Seat {
    fn from(before: SeatV5) -> Self {
        Self {
            board: before.board,
            before: before.before,
            seq: before.seq,
            moves: before.moves,
            state: before.state,
            hints: before.hints,
            penalty: before.penalty,
            hint_pending: before.hint_pending.then_some(HintStyle::Shortest),
            given: before.given.map(|given| Box::new((*given).into())),
            played_at: before.played_at,
            gap_reported: before.gap_reported,
            progress: before.progress,
            tally: before.tally,
            order: before.order,
        }
    }
}

impl From<MembersV5> for Members {
    fn from(MembersV5 { host, owner, list }: MembersV5) -> Self {
        let list = list.into_iter().map(MemberEntry::from).collect();
        Self { host, owner, place: HostPlace::Open, is_standing: false, list }
    }
}

impl From<MemberEntryV5> for MemberEntry {
    fn from(MemberEntryV5 { member, skeleton, away_until, tokens }: MemberEntryV5) -> Self {
        let MemberV5 { id, name, kind, role, ready, next_seat, connected, identity } = member;
        let operator = false;
        let member = Member {
            id,
            name,
            kind,
            role,
            ready,
            next_seat,
            connected,
            identity,
            operator,
            away_until,
        };
        Self { member, skeleton, is_onlooker: false, tokens, address: None }
    }
}

impl From<PhaseV5> for RacePhase {
    fn from(phase: PhaseV5) -> Self {
        match phase {
            PhaseV5::Lobby => Self::Lobby,
            PhaseV5::Drawing => Self::Drawing,
            PhaseV5::Countdown { go, drawn } => Self::Countdown { go, drawn },
            PhaseV5::Over(over) => {
                let OverV5 { go, at, result, acks } = *over;
                Self::Over(Box::new(Over { go, at, result, acks, next_secret: None }))
            }
            PhaseV5::Running(run) => {
                let RunningV5 { go, ends, start, known, seats, feed, best, .. } = *run;
                let seats: BTreeMap<PlayerId, Seat> =
                    seats.into_iter().map(|(id, seat)| (id, seat.into())).collect();
                let SpectatorFeedV5 { delay, throttle, shown, waiting } = feed;
                // All rows are shown as they are: that version didn't delay them.
                let rows = seats.iter().map(|(&id, seat)| (id, seat.ranked(id, true))).collect();
                let waiting_rows = VecDeque::new();
                let feed = SpectatorFeed { delay, throttle, shown, waiting, rows, waiting_rows };
                let activity = Activity::new(seats.keys().copied(), go);
                Self::Running(Box::new(Running {
                    go,
                    ends,
                    start,
                    known,
                    seats,
                    feed,
                    activity,
                    standings_changed: false,
                    best,
                }))
            }
        }
    }
}
