//! Heats that continue after a restart of the server.

use crate::harness::{State, TestClient, TestServer, options, stopped, stored_at};
use gridrace_server::store::{Archive, StoreError};
use gridrace_server::{Server, ServerError};
use gridrace_shared::heat::standings;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::replay;
use tokio::net::TcpListener;

/// Resumes with the token of an earlier connection.
async fn resume_as(server: &TestServer, earlier: &TestClient) -> TestClient {
    let (code, player, token) = earlier.state.key.clone().unwrap();
    let mut client = server.client().await;
    client.say(ClientMessage::Resume { code, player, token }).await;
    client.until("to be back", State::is_in_a_heat).await;
    client
}

#[tokio::test]
async fn players_finish_their_heat_on_the_restarted_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (mut anna, mut ben) = server.two_players(&options("slide:3x3")).await;
    anna.start().await;
    ben.until_go().await;
    anna.advance(4).await;
    ben.advance(2).await;
    let (acknowledged, board) = (anna.state.acknowledged, anna.state.board().clone());
    let stopping = server.begin_to_stop();
    assert_eq!(anna.until_closed().await, Some(CloseCode::ShuttingDown.number()));
    ben.until_closed().await;
    stopped(stopping).await;

    let server = TestServer::start_at(folder.path());
    let mut anna = resume_as(&server, &anna).await;
    let heat = anna.state.heat();
    let seat = heat.seat.as_ref().unwrap();
    assert_eq!((seat.seq, &seat.board), (acknowledged, &board));
    assert!(matches!(heat.phase, Phase::Running { .. }));
    assert_eq!(heat.roster.members.len(), 2);
    let mut ben = resume_as(&server, &ben).await;
    anna.finish().await;
    ben.finish().await;
    anna.until_over().await;
    let finished = |state| matches!(state, standings::State::Finished { .. });
    let rows = &anna.state.result().standings;
    assert!(rows.iter().all(|row| finished(row.state)), "{rows:?}");

    // The result was announced, so it is stored, and its replay verifies.
    let archive = Archive::at(folder.path());
    let stored = archive.latest(9).unwrap();
    assert_eq!(stored.len(), 1);
    let file = archive.replay(&stored[0].id).unwrap().unwrap();
    let verdict = replay::verify(&file).unwrap();
    assert_eq!(verdict.count, 0, "{:?}", verdict.faults);
}

#[tokio::test]
async fn a_data_directory_in_use_is_refused_to_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let _server = TestServer::start_at(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let error = Server::new(listener, stored_at(folder.path())).err();
    assert!(matches!(error, Some(ServerError::Store(StoreError::InUse(_)))), "{error:?}");
}

#[tokio::test]
async fn members_of_every_role_resume_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let (mut cleo, mut dora) = (server.json_client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:3x3")).await;
    ben.join(code, "Ben", Role::Spectator).await;
    anna.until_members(2).await;
    anna.start().await;
    anna.until_go().await;
    // Another room, whose members are still in its lobby.
    let code = cleo.open("Cleo", &options("link:5x5")).await;
    dora.join(code, "Dora", Role::Player).await;
    cleo.until_members(2).await;
    let stopping = server.begin_to_stop();
    for client in [&mut anna, &mut ben, &mut cleo, &mut dora] {
        assert_eq!(client.until_closed().await, Some(CloseCode::ShuttingDown.number()));
        assert_eq!(client.state.farewell(), Some(Farewell::ShuttingDown));
    }
    stopped(stopping).await;

    let server = TestServer::start_at(folder.path());
    for (earlier, players) in [(&anna, 1), (&ben, 1), (&cleo, 2), (&dora, 2)] {
        let client = resume_as(&server, earlier).await;
        let heat = client.state.heat();
        let members = heat.roster.members.iter();
        let playing = members.filter(|member| member.role == Role::Player).count();
        assert_eq!((client.you(), playing), (earlier.you(), players));
    }
}

#[tokio::test]
async fn tokens_are_stored_as_hashes_only() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (_anna, ben) = server.two_players(&options("slide:3x3")).await;
    let (_, _, token) = ben.state.key.clone().unwrap();
    stopped(server.begin_to_stop()).await;

    let hash = serde_json::to_value(token.hash()).unwrap();
    let hash: Vec<u8> = serde_json::from_value(hash).unwrap();
    let hex = String::from(token);
    let digits = hex.as_bytes().chunks(2);
    let raw: Vec<u8> = digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect();
    let (mut hashes, mut tokens) = (0, 0);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let count = |what: &[u8]| bytes.windows(what.len()).filter(|part| *part == what).count();
        hashes += count(&hash);
        tokens += count(&raw) + count(hex.as_bytes());
    }
    assert!(hashes > 0, "nothing was looked through");
    assert_eq!(tokens, 0);
}

#[tokio::test]
async fn an_ephemeral_server_sends_a_farewell_at_shutdown() {
    let server = TestServer::start_ephemeral();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:3x3")).await;
    anna.start().await;
    anna.until_go().await;
    anna.advance(1).await;
    let stopping = server.begin_to_stop();
    assert_eq!(anna.until_closed().await, Some(CloseCode::ShuttingDown.number()));
    assert_eq!(anna.state.farewell(), Some(Farewell::ShuttingDown));
    stopped(stopping).await;
}
