//! Rooms on several shards, and connections that move to their room's shard.
//!
//! All servers of these tests have two shards; these tests move connections between four.

use crate::harness::{PATIENCE, State, TestClient, TestServer, options, stopped};
use gridrace_server::ServerConfig;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Fewer than [`HEATS`], so that some shard has several rooms.
const SHARDS: usize = 4;
const HEATS: usize = 6;

fn server() -> TestServer {
    TestServer::start_with(ServerConfig { shards: SHARDS, ..ServerConfig::default() })
}

/// Two people and a bot in a room.
async fn heat(server: &TestServer) -> (TestClient, TestClient, RoomCode) {
    let (mut anna, ben) = server.two_players(&options("slide:3x3")).await;
    let code = anna.state.heat().code;
    let skill = Skill::Master;
    anna.say(ClientMessage::AddBot { skill }).await;
    anna.until_members(3).await;
    (anna, ben, code)
}

#[tokio::test]
async fn rooms_on_four_shards_race_to_the_end() {
    let server = server();
    let mut heats = JoinSet::new();
    for _ in 0..HEATS {
        let (mut anna, mut ben, _) = heat(&server).await;
        heats.spawn(async move {
            anna.start().await;
            ben.until_go().await;
            tokio::join!(anna.finish(), ben.finish());
            tokio::join!(anna.until_over(), ben.until_over());
            assert_eq!(anna.state.result(), ben.state.result());
            assert_eq!(anna.state.result().standings.len(), 3);
        });
    }
    while let Some(raced) = heats.join_next().await {
        raced.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_moves_between_rooms_is_served_in_each() {
    let server = server();
    let mut heats = Vec::new();
    for _ in 0..HEATS {
        heats.push(heat(&server).await);
    }
    let mut cleo = server.client().await;
    for (anna, _, code) in &mut heats {
        cleo.join(*code, "Cleo", Role::Player).await;
        anna.until_members(4).await;
        cleo.settle().await;
        cleo.leave().await;
    }
    // The connection is lost during a heat, and resumed.
    let (anna, _, code) = &mut heats[1];
    cleo.join(*code, "Cleo", Role::Player).await;
    anna.start().await;
    cleo.until_go().await;
    cleo.advance(1).await;
    let (code, player, token) = cleo.state.key.clone().unwrap();
    cleo.vanish();
    let mut cleo = server.json_client().await;
    cleo.say(ClientMessage::Resume { code, player, token }).await;
    cleo.until("to be back", State::is_in_a_heat).await;
    cleo.finish().await;
}

#[tokio::test]
async fn clients_on_all_shards_are_told_of_the_shutdown() {
    let server = server();
    let mut heats = Vec::new();
    for _ in 0..HEATS {
        heats.push(heat(&server).await);
    }
    let mut idle = server.client().await;
    let stopping = server.begin_to_stop();
    let down = Some(CloseCode::ShuttingDown.number());
    for (anna, ben, _) in &mut heats {
        for person in [anna, ben] {
            let closed = timeout(PATIENCE, person.until_closed()).await.unwrap();
            assert_eq!(closed, down);
        }
    }
    assert_eq!(timeout(PATIENCE, idle.until_closed()).await.unwrap(), down);
    stopped(stopping).await;
}
