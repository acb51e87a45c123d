//! Samples of all client messages.

use super::every;
use super::{parts, tournament};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello, Role};
use gridrace_shared::util::time::ClientInstant;

every!(messages: ClientMessage {
    Hello => [ClientMessage::Hello(Hello { version: 5, agent: "example/1.0".to_owned() })],
    Ping => [ClientMessage::Ping { sent: ClientInstant(1_234_567) }],
    Rooms,
    Open => [None, Some("friday-cup")].map(|seed| ClientMessage::Open {
        entrant: Entrant { name: "Zoë".to_owned(), bot: false },
        options: parts::many_options().remove(0),
        pin: seed.map(|_| parts::pin()),
        seed: seed.map(|seed| seed.parse().unwrap()),
    }),
    Join => parts::roles().into_iter().map(|role| ClientMessage::Join {
        code: parts::code(),
        entrant: Entrant { name: "R2".to_owned(), bot: true },
        pin: (role == Role::Player).then(parts::pin),
        role,
    }),
    Resume => [ClientMessage::Resume { code: parts::code(), player: PlayerId(1), token: parts::token() }],
    Confirm,
    Options => parts::many_options().into_iter().map(|options| ClientMessage::Options {
        options,
        seed: None,
    }),
    Ready => [true, false].map(|ready| ClientMessage::Ready { ready }),
    Start,
    Kick => [ClientMessage::Kick { player: PlayerId(2) }],
    AddBot => parts::skills().into_iter().map(|skill| ClientMessage::AddBot { skill }),
    TakeSeat, LeaveSeat,
    Move => parts::moves().into_iter().map(|play| ClientMessage::Move { seq: Seq(1), play }),
    Hint => parts::hint_styles().into_iter().map(|style| ClientMessage::Hint { style }),
    GiveUp, Rematch, Leave,
    Identify => [true, false].map(|bot| ClientMessage::Identify(parts::proof(bot))),
    Results, EndHeat,
    Ban => [ClientMessage::Ban { player: PlayerId(2) }],
    Hold => [true, false].map(|hold| ClientMessage::Hold { hold }),
    HandOver => [ClientMessage::HandOver { player: PlayerId(2) }],
    Announce => [ClientMessage::Announce { text: "Pause until 8".to_owned() }],
    Tournament => tournament::requests().into_iter().map(Box::new).map(ClientMessage::Tournament),
    Replay => [ClientMessage::Replay { heat: "KQZT-20261121-3f9c".to_owned(), from: 0 }],
    Unban => [ClientMessage::Unban { key: parts::fingerprint() }],
    Image => [None, Some(parts::room_image().into())].map(|image| ClientMessage::Image { image }),
});
