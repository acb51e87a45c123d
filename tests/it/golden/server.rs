//! Samples of all server messages.

use super::every;
use super::{parts, tournament};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::server::{
    Farewell, Moved, RecordingStatus, Refusal, Rejection, ReplayPart, ServerMessage,
};
use gridrace_shared::protocol::snapshot::{OwnResult, RoomPhase, RoomSummary, Roster};
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::hex_bytes::HexBytes;
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant, UnixMillis};

every!(messages: ServerMessage {
    Welcome => [ServerMessage::Welcome { version: 5, server: "gridrace/0.1.0".to_owned(), challenge: parts::challenge() }],
    Pong => [ServerMessage::Pong {
        sent: ClientInstant(1_234_567),
        received: ServerInstant(7_654_321),
        replied: ServerInstant(7_654_400),
    }],
    Rooms => [Vec::new(), rooms()].map(ServerMessage::Rooms),
    Joined => parts::phases().into_iter().map(|phase| ServerMessage::Joined {
        you: PlayerId(1),
        room: Box::new(parts::snapshot(phase)),
    }),
    Token => [ServerMessage::Token { code: parts::code(), player: PlayerId(1), token: parts::token() }],
    Refused => refusals().into_iter().map(ServerMessage::Refused),
    Roster => [Roster { host: None, members: Vec::new() }, parts::members_of_all_kinds()]
        .map(ServerMessage::Roster),
    Setup => parts::seed_origins()
        .into_iter()
        .map(parts::setup)
        .chain([parts::setup_of_table()])
        .map(ServerMessage::Setup),
    Phase => parts::phases().into_iter().map(ServerMessage::Phase),
    Accepted => [ServerMessage::Accepted {
        seq: Seq(77),
        at: HeatInstant(61_234),
        moves: MoveCount { moves: 120, acts: 77 },
    }],
    Rejected => rejections().into_iter().map(|why| ServerMessage::Rejected { seq: Seq(78), why }),
    Resync => [ServerMessage::Resync(Box::new(parts::own_seat()))],
    Standings => [ServerMessage::Standings(parts::standings())],
    Moves => [ServerMessage::Moves(
        parts::moves()
            .into_iter()
            .map(|play| Moved { player: PlayerId(2), at: HeatInstant(61_234), play })
            .collect(),
    )],
    Hint => parts::hints().into_iter().map(|hint| ServerMessage::Hint {
        after: Seq(77),
        hint,
        distance_change: Some(2),
        taken: 2,
        penalty: Millis(20_000),
    }),
    Rated => [ServerMessage::Rated { number: 2, best: parts::best() }],
    Recording => [
        RecordingStatus::Recorded,
        RecordingStatus::Slow,
        RecordingStatus::Unrecorded,
        RecordingStatus::Damaged,
    ].map(ServerMessage::Recording),
    Goodbye => farewells().into_iter().map(ServerMessage::Goodbye),
    Results => [Vec::new(), results()].map(ServerMessage::Results),
    BoardQueue => [ServerMessage::BoardQueue { ahead: 3 }],
    Boards => [ServerMessage::Boards(parts::player_boards())],
    Closing => parts::closings()
        .into_iter()
        .map(Some)
        .chain([None])
        .map(ServerMessage::Closing),
    Announcement => [ServerMessage::Announcement {
        by: PlayerId(1),
        text: "Pause until 8".parse().unwrap(),
    }],
    HostInfo => [
        ServerMessage::HostInfo { pin: None, banned: vec![parts::ban()] },
        ServerMessage::HostInfo { pin: Some(parts::pin()), banned: Vec::new() },
    ],
    Tournament => tournament::updates().into_iter().map(Box::new).map(ServerMessage::Tournament),
    Replay => [ServerMessage::Replay(ReplayPart {
        from: 1_280,
        total: 1_284,
        bytes: HexBytes(vec![0, 1, 0xfe, 0xff]),
    })],
    Image => [None, Some(parts::room_image())].map(ServerMessage::Image),
});

every!(rejections: Rejection {
    Early, Late, NotSeated, Busy,
    Illegal => parts::illegal_moves().into_iter().map(Rejection::Illegal),
});

every!(refusals: Refusal {
    NoSuchRoom, InARoom, NotInARoom, HelloTwice,
    Name => parts::name_faults().into_iter().map(Refusal::Name),
    NameTaken,
    Options => parts::options_faults().into_iter().map(Refusal::Options),
    Full, Busy, WrongPhase, NotHost, OperatorOnly, NotSeated, NoSuchPlayer, NoBots, NoPlayers, NoHints,
    HintPending, HintBusy,
    HintUnsolved => parts::unsolved().into_iter().map(Refusal::HintUnsolved),
    NotDrawn, NotResumed, TooFast, Unproven, NeedsPin, WrongPin, Banned, Nobody, NoResults,
    Announcement => parts::short_text_faults().into_iter().map(Refusal::Announcement),
    TooManyRooms, NoReplay, NotBanned, SeatsReserved, TournamentDecides,
    SameBoards, ImageLength, ImageNotPrivate,
});

every!(farewells: Farewell {
    ShuttingDown, Kicked, TooSlow, Flooding, Malformed, Silent, Superseded,
    Version => [Farewell::Version { server: 5 }],
    Busy => [Farewell::Busy { retry_seconds: 5 }],
    Broken, Banned, TableClosed, SameBoards,
});

fn rooms() -> Vec<RoomSummary> {
    let phases = parts::room_phases();
    let heat = |((players, spec), phase): ((u16, _), &RoomPhase)| RoomSummary {
        code: parts::code(),
        name: (players == 1).then(|| "Friday cup".parse().unwrap()),
        host: (players == 2).then(|| "Zoë".parse().unwrap()),
        spec,
        phase: *phase,
        people: players + 1,
        players,
        spectators: 3,
        full: players == 4,
        needs_pin: players == 5,
    };
    (1..).zip(parts::specs()).zip(phases.iter().cycle()).map(heat).collect()
}

fn results() -> Vec<OwnResult> {
    let times = [None, Some(Millis(83_250))];
    let result = |time| OwnResult {
        heat: "KQZT-20261121-3f9c".to_owned(),
        ended: UnixMillis(1_795_219_200_000),
        spec: parts::spec("slide:4x4"),
        name: "Zoë".parse().unwrap(),
        place: 2,
        of: 4,
        time,
        moves: 120,
        hints: 2,
        inhuman_speed: time.is_some(),
    };
    times.map(result).to_vec()
}
