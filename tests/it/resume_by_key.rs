//! Seats that are resumed by a key, after the token was lost with its program.

use crate::harness::{TestClient, TestServer, options, stopped};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::Phase;

/// Connects a client that proves a key.
async fn owner(server: &TestServer, key: u8) -> TestClient {
    let mut client = server.client().await;
    client.identify(&Key::from_bytes([key; 32]), server.address, false).await;
    client
}

#[tokio::test]
async fn a_player_whose_program_was_killed_gets_its_seat_by_joining_again() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (owner(&server, 1).await, owner(&server, 2).await);
    let code = anna.open("Anna", &options("slide:3x3")).await;
    ben.join(code, "Ben", Role::Player).await;
    anna.until_members(2).await;
    anna.start().await;
    ben.until_go().await;
    ben.advance(3).await;
    let (id, board) = (ben.you(), ben.state.board().clone());
    let (_, player, token) = ben.state.key.clone().unwrap();
    ben.vanish();
    anna.until("Ben to be away", |state| state.member(id).is_some_and(|member| !member.connected))
        .await;
    // Another key is refused, whatever the name.
    let mut thief = owner(&server, 3).await;
    thief.ask_to_join(code, "Ben", Role::Player).await;
    thief.until("a refusal", |state| !state.refusals().is_empty()).await;
    assert_eq!(thief.state.refusals(), [Refusal::NameTaken]);

    let mut ben = owner(&server, 2).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_eq!(ben.you(), id);
    let seat = ben.state.heat().seat.as_ref().unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(3), &board));
    assert_eq!(ben.state.heat().roster.members.len(), 2);
    // The killed program's token is void.
    let resume = ClientMessage::Resume { code, player, token };
    thief.refused_for(resume, Refusal::NotResumed).await;
    ben.finish().await;
}

#[tokio::test]
async fn two_people_who_share_a_key_can_both_play() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (owner(&server, 1).await, owner(&server, 1).await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_ne!(anna.you(), ben.you());
    anna.until_members(2).await;
    anna.start().await;
    tokio::join!(anna.until_go(), ben.until_go());
    tokio::join!(anna.finish(), ben.finish());
    anna.until_over().await;
    assert_eq!(anna.state.result().standings.len(), 2);
}

#[tokio::test]
async fn a_host_whose_program_was_the_server_returns_with_its_powers() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let mut anna = owner(&server, 1).await;
    let code = anna.open("Anna", &options("slide:3x3")).await;
    let mut ben = owner(&server, 2).await;
    ben.join(code, "Ben", Role::Player).await;
    anna.until_members(2).await;
    anna.start().await;
    anna.until_go().await;
    anna.advance(2).await;
    let id = anna.you();
    stopped(server.begin_to_stop()).await;

    let server = TestServer::start_at(folder.path());
    let mut ben = owner(&server, 2).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_ne!(ben.state.heat().roster.host, Some(id));
    let mut anna = owner(&server, 1).await;
    anna.join(code, "Anna", Role::Player).await;
    let heat = anna.state.heat();
    assert!(matches!(heat.phase, Phase::Running { .. }));
    assert_eq!((anna.you(), heat.roster.host), (id, Some(id)));
    assert_eq!(heat.seat.as_ref().unwrap().seq, Seq(2));
    tokio::join!(anna.finish(), ben.finish());
    anna.until_over().await;
    anna.say(ClientMessage::Rematch).await;
    anna.until_lobby().await;
}
