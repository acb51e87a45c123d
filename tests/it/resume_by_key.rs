//! Seats that are resumed by a key, after the token was lost with its program.

use crate::harness::{TestClient, TestServer, join, options, stopped};
use gridrace_client::session::Entry;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::Refusal;

/// Connects a client that proves a key.
async fn owner(server: &TestServer, key: u8) -> TestClient {
    let mut client = server.client().await;
    client.identify(&Key::from_bytes([key; 32]), false).await;
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
    let (id, board) = (ben.you(), ben.board().clone());
    let ticket = ben.vanish();
    anna.until_connected(id, false).await;
    // Another key is refused, whatever the name.
    let mut thief = owner(&server, 3).await;
    thief.refused_for(join(code, "Ben", Role::Player), Refusal::NameTaken).await;

    let mut ben = owner(&server, 2).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_eq!((ben.you(), ben.acknowledged(), ben.board()), (id, Seq(3), &board));
    assert_eq!(ben.view().roster.members.len(), 2);
    // The killed program's token is void.
    thief.refused_for(ticket.request(), Refusal::NotResumed).await;
    ben.finish().await;
}

#[tokio::test]
async fn a_host_whose_program_was_the_server_returns_with_its_powers() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let mut anna = owner(&server, 1).await;
    let pin = Some("4711".parse().unwrap());
    let open = Entry::Open { options: options("slide:3x3"), seed: None, pin: pin.clone() };
    let code = anna.enter(open.request("Anna".to_owned(), false)).await;
    let mut ben = owner(&server, 2).await;
    let join = Entry::Join { code, role: Role::Player, pin };
    ben.enter(join.request("Ben".to_owned(), false)).await;
    anna.until_members(2).await;
    anna.start().await;
    anna.advance(2).await;
    let id = anna.you();
    stopped(server.begin_to_stop()).await;

    let server = TestServer::start_at(folder.path());
    // Their keys are known, so that neither is asked for the PIN.
    let mut ben = owner(&server, 2).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_ne!(ben.view().roster.host, Some(id));
    let mut anna = owner(&server, 1).await;
    anna.join(code, "Anna", Role::Player).await;
    assert_eq!((anna.you(), anna.view().roster.host), (id, Some(id)));
    assert_eq!(anna.acknowledged(), Seq(2));
    tokio::join!(anna.finish(), ben.finish());
    anna.until_over().await;
    anna.rematch().await;
}
