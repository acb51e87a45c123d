//! Samples of all server messages.

use super::every;
use super::parts;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::server::{Farewell, Moved, Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatSummary, OwnResult, Roster};
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant, UnixMillis};

every!(messages: ServerMessage {
    Welcome => [ServerMessage::Welcome { version: 4, server: "gridrace/0.1.0".to_owned(), challenge: parts::challenge() }],
    Pong => [ServerMessage::Pong {
        sent: ClientInstant(1_234_567),
        received: ServerInstant(7_654_321),
        replied: ServerInstant(7_654_400),
    }],
    Heats => [Vec::new(), heats()].map(ServerMessage::Heats),
    Joined => parts::phases().into_iter().map(|phase| ServerMessage::Joined {
        you: PlayerId(1),
        heat: Box::new(parts::snapshot(phase)),
    }),
    Token => [ServerMessage::Token { code: parts::code(), player: PlayerId(1), token: parts::token() }],
    Refused => refusals().into_iter().map(ServerMessage::Refused),
    Roster => [Roster { host: None, members: Vec::new() }, parts::members_of_all_kinds()]
        .map(ServerMessage::Roster),
    Setup => parts::seed_origins().into_iter().map(parts::setup).map(ServerMessage::Setup),
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
    Unrecorded => [ServerMessage::Unrecorded],
    Goodbye => farewells().into_iter().map(ServerMessage::Goodbye),
    Results => [Vec::new(), results()].map(ServerMessage::Results),
    Recorded => [ServerMessage::Recorded],
});

every!(rejections: Rejection {
    Early => [Rejection::Early],
    Late => [Rejection::Late],
    NotSeated => [Rejection::NotSeated],
    Busy => [Rejection::Busy],
    Illegal => parts::illegal_moves().into_iter().map(Rejection::Illegal),
});

every!(refusals: Refusal {
    NoSuchHeat => [Refusal::NoSuchHeat],
    InAHeat => [Refusal::InAHeat],
    NotInAHeat => [Refusal::NotInAHeat],
    HelloTwice => [Refusal::HelloTwice],
    Name => parts::name_faults().into_iter().map(Refusal::Name),
    NameTaken => [Refusal::NameTaken],
    Options => parts::options_faults().into_iter().map(Refusal::Options),
    Full => [Refusal::Full],
    Busy => [Refusal::Busy],
    WrongPhase => [Refusal::WrongPhase],
    NotHost => [Refusal::NotHost],
    NotSeated => [Refusal::NotSeated],
    NoSuchPlayer => [Refusal::NoSuchPlayer],
    NoBots => [Refusal::NoBots],
    NoPlayers => [Refusal::NoPlayers],
    NoHints => [Refusal::NoHints],
    HintPending => [Refusal::HintPending],
    HintBusy => [Refusal::HintBusy],
    HintUnsolved => parts::unsolved().into_iter().map(Refusal::HintUnsolved),
    NotDrawn => [Refusal::NotDrawn],
    NotResumed => [Refusal::NotResumed],
    TooFast => [Refusal::TooFast],
    Unproven => [Refusal::Unproven],
    WrongPin => [Refusal::WrongPin],
    Nobody => [Refusal::Nobody],
    NoResults => [Refusal::NoResults],
});

every!(farewells: Farewell {
    ShuttingDown => [Farewell::ShuttingDown],
    Kicked => [Farewell::Kicked],
    TooSlow => [Farewell::TooSlow],
    Flooding => [Farewell::Flooding],
    Malformed => [Farewell::Malformed],
    Silent => [Farewell::Silent],
    Superseded => [Farewell::Superseded],
    Version => [Farewell::Version { server: 4 }],
    Busy => [Farewell::Busy { retry_seconds: 5 }],
    Broken => [Farewell::Broken],
});

fn heats() -> Vec<HeatSummary> {
    let heat = |(players, spec)| HeatSummary {
        code: parts::code(),
        spec,
        players,
        spectators: 3,
        in_lobby: players % 2 == 1,
    };
    (1..).zip(parts::specs()).map(heat).collect()
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
    };
    times.map(result).to_vec()
}
