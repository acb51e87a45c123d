//! Rooms on several shards, and connections that move to their room's shard.
//!
//! All servers of the tests have two shards, but few rooms, which all live on the first. In these tests
//! there are four, each with rooms enough that further ones are spread.

use crate::harness::{TestClient, TestServer, options};
use gridrace_server::{ServerConfig, StandingRoom};
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use tokio::task::JoinSet;

/// Fewer than [`HEATS`], so that some shard has several rooms.
const SHARDS: usize = 4;
const HEATS: usize = 6;

/// Rooms that a shard gets before the next one gets any.
const ROOMS_PER_SHARD: usize = 64;

fn server() -> TestServer {
    let room = StandingRoom {
        name: None,
        options: options("slide:3x3"),
        seed: None,
        bots: Vec::new(),
        pin: None,
    };
    let standing = vec![room; SHARDS * ROOMS_PER_SHARD];
    TestServer::start_with(ServerConfig { shards: SHARDS, standing, ..ServerConfig::default() })
}

/// Two people and a bot in a room.
async fn heat(server: &TestServer) -> (TestClient, TestClient) {
    let (mut anna, ben) = server.two_players(&options("slide:3x3")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    anna.until_members(3).await;
    (anna, ben)
}

#[tokio::test]
async fn rooms_on_four_shards_race_to_the_end() {
    let server = server();
    let mut heats = JoinSet::new();
    for _ in 0..HEATS {
        let (mut anna, mut ben) = heat(&server).await;
        heats.spawn(async move {
            anna.start().await;
            ben.until_go().await;
            tokio::join!(anna.finish(), ben.finish());
            tokio::join!(anna.until_over(), ben.until_over());
            assert_eq!(anna.result(), ben.result());
            assert_eq!(anna.result().standings.len(), 3);
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
    for (anna, _) in &mut heats {
        cleo.join(anna.view().code, "Cleo", Role::Player).await;
        anna.until_members(4).await;
        cleo.settle().await;
        cleo.leave().await;
    }
    // The connection is lost during a heat, and resumed.
    let (anna, _) = &mut heats[1];
    cleo.join(anna.view().code, "Cleo", Role::Player).await;
    anna.start().await;
    cleo.until_go().await;
    cleo.advance(1).await;
    let mut cleo = server.resume(&cleo.vanish()).await;
    cleo.finish().await;
}
