//! Nothing that is sent before GO depends on the seed.
//!
//! Two heats that differ only in the seed are recorded over real sockets, frame by frame.
//! [`mask`] alone names the fields that may differ: each is random by itself or a clock's reading.

use crate::harness::{TestClient, TestServer, options};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Commitment, Salt, Secret};
use gridrace_shared::heat::identity::Challenge;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::codec::{Codec, Frame, encode};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{Phase, Setup, Snapshot};
use gridrace_shared::util::time::{HeatInstant, ServerInstant};

#[tokio::test]
async fn heats_that_differ_only_in_the_seed_send_equal_frames_before_go() {
    for codec in Codec::ALL {
        // Each on a server of its own, so that all else is equal.
        let mut heats = Vec::new();
        for seed in ["friday", "monday"] {
            heats.push(frames_before_go(codec, seed).await);
        }
        let [first, second] = heats.try_into().unwrap();
        assert_ne!(first.starts, second.starts, "the seeds name different boards");
        for (one, other) in first.frames.iter().zip(&second.frames) {
            assert_eq!(one, other);
        }
        assert_eq!(first.frames.len(), second.frames.len());
    }
}

#[derive(Debug)]
struct Recording {
    frames: Vec<Vec<Frame>>,
    starts: Phase,
}

/// Leads a heat through all requests that are possible before GO, and records what the host, a
/// player and a spectator receive, with the declared fields masked.
async fn frames_before_go(codec: Codec, seed: &str) -> Recording {
    let server = TestServer::start();
    let mut host = TestClient::hello(server.address, codec).await;
    let mut ben = TestClient::hello(server.address, codec).await;
    let mut watcher = TestClient::hello(server.address, codec).await;
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
        client.until("the options", |state| state.heat().setup.options.delay_seconds == 1).await;
    }
    ben.say(ClientMessage::Heats).await;
    ben.until("the heats", |state| state.heats().len() == 1).await;
    ben.refused_for(ClientMessage::Hint, Refusal::WrongPhase).await;
    ben.say(ClientMessage::Ready { ready: true }).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until("Ben to be ready", |state| state.heat().roster.members[1].ready).await;
    }
    host.say(ClientMessage::Start).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until_countdown().await;
    }
    ben.refused_for(ClientMessage::Hint, Refusal::WrongPhase).await;
    for client in [&mut host, &mut ben, &mut watcher] {
        client.until_go().await;
    }
    let starts = host.state.heat().phase.clone();
    let Phase::Running { start, .. } = &starts else { panic!("{starts:?}") };
    assert_eq!(start, ben.state.board());
    let frames = [&host, &ben, &watcher].map(|client| masked_before_go(client, codec)).into();
    Recording { frames, starts }
}

fn masked_before_go(client: &TestClient, codec: Codec) -> Vec<Frame> {
    let is_go =
        |message: &ServerMessage| matches!(message, ServerMessage::Phase(Phase::Running { .. }));
    let before = client.state.log.iter().take_while(|message| !is_go(message)).count();
    assert!(before < client.state.log.len() && before > 5);
    let pairs = client.state.frames.iter().zip(&client.state.log).take(before);
    pairs
        .map(|(frame, message)| {
            // A frame holds nothing but its message.
            assert_eq!(frame, &encode(codec, message).unwrap());
            encode(codec, &mask(message.clone())).unwrap()
        })
        .collect()
}

/// The declared fields, and the only ones: rooms' codes, commitments, tokens, challenges, and
/// readings of the server's clock (a room's epoch, the two of a pong, the instant of GO).
fn mask(message: ServerMessage) -> ServerMessage {
    match message {
        ServerMessage::Pong { sent, .. } => {
            ServerMessage::Pong { sent, received: ServerInstant(0), replied: ServerInstant(0) }
        }
        ServerMessage::Heats(heats) => ServerMessage::Heats(
            heats
                .into_iter()
                .map(|heat| gridrace_shared::protocol::snapshot::HeatSummary {
                    code: no_code(),
                    ..heat
                })
                .collect(),
        ),
        ServerMessage::Joined { you, heat } => {
            let heat = Snapshot {
                code: no_code(),
                epoch: ServerInstant(0),
                setup: mask_setup(heat.setup),
                phase: mask_phase(heat.phase),
                ..*heat
            };
            ServerMessage::Joined { you, heat: Box::new(heat) }
        }
        ServerMessage::Token { player, .. } => ServerMessage::Token {
            code: no_code(),
            player,
            token: ResumeToken::from_bytes([0; 32]),
        },
        ServerMessage::Setup(setup) => ServerMessage::Setup(mask_setup(setup)),
        ServerMessage::Phase(phase) => ServerMessage::Phase(mask_phase(phase)),
        ServerMessage::Welcome { version, server, .. } => {
            ServerMessage::Welcome { version, server, challenge: Challenge::default() }
        }
        message @ (ServerMessage::Refused(_)
        | ServerMessage::Roster(_)
        | ServerMessage::Accepted { .. }
        | ServerMessage::Rejected { .. }
        | ServerMessage::Resync(_)
        | ServerMessage::Results(_)
        | ServerMessage::Unrecorded
        | ServerMessage::Recorded
        | ServerMessage::Standings(_)
        | ServerMessage::Moves(_)
        | ServerMessage::Hint { .. }
        | ServerMessage::Rated { .. }
        | ServerMessage::Goodbye(_)) => message,
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
