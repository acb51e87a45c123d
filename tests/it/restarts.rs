//! Heats that continue after a restart of the server.

use crate::harness::{TestServer, options, stopped};
use gridrace_server::store::Archive;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::replay;

#[tokio::test]
async fn players_finish_their_heat_on_the_restarted_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (mut anna, mut ben) = server.two_racers(&options("slide:3x3")).await;
    anna.advance(4).await;
    ben.advance(2).await;
    let (acknowledged, board) = (anna.acknowledged(), anna.board().clone());
    let stopping = server.begin_to_stop();
    assert_eq!(anna.until_closed().await, Some(CloseCode::ShuttingDown.number()));
    ben.until_closed().await;
    stopped(stopping).await;

    let server = TestServer::start_at(folder.path());
    let mut anna = server.resume(&anna.ticket()).await;
    assert_eq!((anna.acknowledged(), anna.board()), (acknowledged, &board));
    assert_eq!(anna.view().roster.members.len(), 2);
    let mut ben = server.resume(&ben.ticket()).await;
    anna.finish().await;
    ben.finish().await;
    anna.until_over().await;
    let finished = |state| matches!(state, RaceState::Finished { .. });
    let rows = &anna.result().standings;
    assert!(rows.iter().all(|row| finished(row.state)), "{rows:?}");

    // The result was announced, so it is stored, and its replay verifies.
    let archive = Archive::at(folder.path());
    let stored = archive.latest(9).unwrap();
    assert_eq!(stored.len(), 1);
    let file = archive.replay(&stored[0].id).unwrap().unwrap();
    let verdict = replay::verify(&file).unwrap();
    assert_eq!(verdict.count, 0, "{:?}", verdict.errors);
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
    // Another room, whose members are still in its lobby.
    let code = cleo.open("Cleo", &options("link:5x5")).await;
    dora.join(code, "Dora", Role::Player).await;
    cleo.until_members(2).await;
    let stopping = server.begin_to_stop();
    for client in [&mut anna, &mut ben, &mut cleo, &mut dora] {
        assert_eq!(client.until_closed().await, Some(CloseCode::ShuttingDown.number()));
        assert_eq!(client.farewell(), Some(Farewell::ShuttingDown));
    }
    stopped(stopping).await;

    let server = TestServer::start_at(folder.path());
    for (earlier, players) in [(&anna, 1), (&ben, 1), (&cleo, 2), (&dora, 2)] {
        let client = server.resume(&earlier.ticket()).await;
        let members = client.view().roster.members.iter();
        let playing = members.filter(|member| member.role == Role::Player).count();
        assert_eq!((client.you(), playing), (earlier.you(), players));
    }
}

#[tokio::test]
async fn tokens_are_stored_as_hashes_only() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (_anna, ben) = server.two_players(&options("slide:3x3")).await;
    let token = ben.ticket().token;
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
