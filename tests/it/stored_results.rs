//! Results that a server with a store sends to the owner of a key.

use crate::harness::{TestClient, TestServer, options, pick, stopped};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::OwnResult;

fn key(byte: u8) -> Key {
    Key::from_bytes([byte; 32])
}

async fn results(client: &mut TestClient) -> Vec<OwnResult> {
    let heard =
        |client: &TestClient| pick!(client, ServerMessage::Results(results) => results.clone());
    let before = heard(client).len();
    client.say(ClientMessage::Results).await;
    client.until("results", |client| heard(client).len() > before).await;
    heard(client).remove(before)
}

/// Asks on a connection of its own, in JSON.
async fn results_of(server: &TestServer, key: &Key, bot: bool) -> Vec<OwnResult> {
    let mut client = server.json_client().await;
    client.identify(key, bot).await;
    results(&mut client).await
}

#[tokio::test]
async fn each_key_finds_its_own_results_only_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (mut anna, mut ben) = (server.client().await, server.json_client().await);
    let mut robot = server.client().await;
    anna.identify(&key(1), false).await;
    ben.identify(&key(2), false).await;
    robot.identify(&key(1), true).await;
    let code = anna.open("Anna", &options("slide:2x2")).await;
    ben.join(code, "Ben", Role::Player).await;
    robot.join_as_bot(code, "R2").await;
    anna.until_members(3).await;
    anna.start().await;
    ben.until_go().await;
    anna.finish().await;
    ben.say(ClientMessage::GiveUp).await;
    robot.leave().await;
    anna.until_over().await;
    assert_eq!(results(&mut anna).await.len(), 1, "in the heat as well");
    ben.until_over().await;
    ben.leave().await;
    anna.rematch().await;
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    let standings = anna.result().standings.clone();
    drop((anna, ben, robot));
    stopped(server.begin_to_stop()).await;

    let server = TestServer::start_at(folder.path());
    let of_anna = results_of(&server, &key(1), false).await;
    let [second, first] = &of_anna[..] else { panic!("{of_anna:?}") };
    assert!(second.ended >= first.ended);
    assert_ne!(second.heat, first.heat);
    assert!(first.heat.starts_with(&code.to_string()), "{}", first.heat);
    assert_eq!((first.place, first.of), (1, 3));
    assert_eq!((second.place, second.of), (1, 1));
    assert_eq!((second.name.as_str(), second.hints), ("Anna", 0));
    assert_eq!(second.spec, "slide:2x2".parse().unwrap());
    assert_eq!(second.moves, standings[0].moves.moves);
    let time = second.time.unwrap();
    assert_eq!(standings[0].state, State::Finished { time });

    let of_ben = results_of(&server, &key(2), false).await;
    assert_eq!(of_ben.len(), 1);
    assert_eq!((&of_ben[0].heat, of_ben[0].time), (&first.heat, None));
    let of_robot = results_of(&server, &key(1), true).await;
    assert_eq!(of_robot.len(), 1);
    assert_eq!(of_robot[0].name.as_str(), "R2");
    assert_eq!(results_of(&server, &key(3), false).await, []);
}

#[tokio::test]
async fn results_are_refused_without_a_key_too_often_and_without_a_store() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.refused_for(ClientMessage::Results, Refusal::Nobody).await;
    anna.identify(&key(1), false).await;
    // Ten requests can't all be a second apart, even on a slow machine.
    for _ in 0..10 {
        anna.say(ClientMessage::Results).await;
    }
    anna.until("a refusal", |client| client.refusals().contains(&Refusal::TooFast)).await;
    let keeps_nothing = TestServer::start_ephemeral();
    let mut anna = keeps_nothing.client().await;
    anna.identify(&key(1), false).await;
    anna.refused_for(ClientMessage::Results, Refusal::NoResults).await;
}

#[tokio::test]
async fn a_finish_that_is_too_fast_for_a_person_is_marked_unless_a_bot_says_so() {
    let server = TestServer::start();
    let (mut anna, mut robot) = (server.client().await, server.client().await);
    anna.identify(&key(1), false).await;
    robot.identify(&key(1), true).await;
    let code = anna.open("Anna", &options("slide:4x4")).await;
    robot.join_as_bot(code, "R2").await;
    anna.until_members(2).await;
    anna.start().await;
    robot.until_go().await;
    anna.finish().await;
    robot.finish().await;
    anna.until_over().await;
    robot.until_over().await;
    assert!(results(&mut anna).await[0].inhuman_speed);
    assert!(!results(&mut robot).await[0].inhuman_speed);
}
