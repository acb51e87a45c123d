//! Nothing that is sent before GO depends on the seed.
//!
//! Two heats that differ only in the seed are recorded over real sockets, frame by frame.
//! [`mask`] alone names the fields that may differ: each is random by itself or a clock's reading.

use crate::harness::{TestClient, TestServer, options};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Commitment, Salt, Secret};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::heat_view::HeatPhase;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::codec::{Codec, Frame, encode};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{Phase, RoomSummary, Setup, Snapshot};
use gridrace_shared::puzzle::{Board, HintStyle};
use gridrace_shared::util::time::{HeatInstant, ServerInstant};

#[tokio::test]
async fn heats_that_differ_only_in_the_seed_send_equal_frames_before_go() {
    for codec in Codec::ALL {
        // Each on its own server, so that all else is equal.
        let mut heats = Vec::new();
        for seed in ["friday", "monday"] {
            heats.push(frames_before_go(codec, seed).await);
        }
        let [first, second] = heats.try_into().unwrap();
        assert_ne!(first.start, second.start, "the seeds name different boards");
        for (one, other) in first.frames.iter().zip(&second.frames) {
            assert_eq!(one, other);
        }
        assert_eq!(first.frames.len(), second.frames.len());
    }
}

#[derive(Debug)]
struct Recording {
    frames: Vec<Vec<Frame>>,
    start: Board,
}

/// Leads a heat through all requests that are possible before GO, and records what the host, a
/// player and a spectator receive, with the declared fields masked.
async fn frames_before_go(codec: Codec, seed: &str) -> Recording {
    let server = TestServer::start();
    let mut host = TestClient::connect(server.address, codec).await;
    let mut ben = TestClient::connect(server.address, codec).await;
    let mut watcher = TestClient::connect(server.address, codec).await;
    let mut options = options("slide:4x4");
    let code = host.open_seeded("Anna", &options, Some(seed)).await;
    ben.join(code, "Ben", Role::Player).await;
    host.until_members(2).await;
    watcher.join(code, "Watcher", Role::Spectator).await;
    host.until_members(3).await;
    host.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    host.until_members(4).await;
    options.delay_seconds = 1;
    let seed = Some(seed.parse().unwrap());
    host.say(ClientMessage::Options { options, seed }).await;
    // Each request waits for the last answer: answers that wait for the disk and those that don't
    // come in no fixed order.
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until("the options", |client| client.view().setup.options.delay_seconds == 1).await;
    }
    ben.say(ClientMessage::Rooms).await;
    ben.until("the heats", |client| client.rooms().len() == 1).await;
    ben.refused_for(ClientMessage::Hint { style: HintStyle::Shortest }, Refusal::WrongPhase).await;
    ben.say(ClientMessage::Ready { ready: true }).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until_roster("Ben to be ready", |roster| roster.members[1].ready).await;
    }
    host.say(ClientMessage::Start).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client
            .until("the countdown", |client| {
                matches!(client.view().phase, HeatPhase::Countdown { .. })
            })
            .await;
    }
    ben.refused_for(ClientMessage::Hint { style: HintStyle::Shortest }, Refusal::WrongPhase).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until_go().await;
    }
    let start = host.board().clone();
    assert_eq!(&start, ben.board());
    let frames = [&host, &ben, &watcher].map(|client| masked_before_go(client, codec)).into();
    Recording { frames, start }
}

fn masked_before_go(client: &TestClient, codec: Codec) -> Vec<Frame> {
    let is_go =
        |message: &ServerMessage| matches!(message, ServerMessage::Phase(Phase::Running { .. }));
    let before = client.log.iter().take_while(|message| !is_go(message)).count();
    assert!(before < client.log.len() && before > 5);
    // The harness checks that each frame holds nothing but its message.
    let messages = client.log[..before].iter();
    messages.map(|message| encode(codec, &mask(message.clone())).unwrap()).collect()
}

/// The declared fields, and the only ones: rooms' codes, commitments, tokens, and readings of the
/// server's clock (a room's epoch, the two of a pong, the instant of GO).
fn mask(message: ServerMessage) -> ServerMessage {
    if let ServerMessage::Pong { sent, .. } = message {
        ServerMessage::Pong { sent, received: ServerInstant(0), replied: ServerInstant(0) }
    } else if let ServerMessage::Rooms(heats) = message {
        let heats = heats.into_iter().map(|heat| RoomSummary { code: no_code(), ..heat });
        ServerMessage::Rooms(heats.collect())
    } else if let ServerMessage::Joined { you, room } = message {
        let room = Snapshot {
            code: no_code(),
            epoch: ServerInstant(0),
            setup: mask_setup(room.setup),
            phase: mask_phase(room.phase),
            ..*room
        };
        ServerMessage::Joined { you, room: Box::new(room) }
    } else if let ServerMessage::Token { player, .. } = message {
        let token = ResumeToken::from_bytes([0; 32]);
        ServerMessage::Token { code: no_code(), player, token }
    } else if let ServerMessage::Setup(setup) = message {
        ServerMessage::Setup(mask_setup(setup))
    } else if let ServerMessage::Phase(phase) = message {
        ServerMessage::Phase(mask_phase(phase))
    } else {
        message
    }
}

fn mask_setup(setup: Setup) -> Setup {
    Setup { commitment: no_commitment(), ..setup }
}

fn mask_phase(phase: Phase) -> Phase {
    match phase {
        Phase::Countdown { .. } => Phase::Countdown { go: HeatInstant(0) },
        phase @ (Phase::Lobby | Phase::Drawing | Phase::Running { .. } | Phase::Over(_)) => phase,
    }
}

fn no_code() -> RoomCode {
    RoomCode::from_number(0)
}

fn no_commitment() -> Commitment {
    let nothing = Secret { seed: "none".parse().unwrap(), salt: Salt::from_bytes([0; 16]) };
    nothing.commitment(&"slide:2x2".parse().unwrap())
}
