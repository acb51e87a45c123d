//! Results that a server with a store sends to the owner of a key.

use crate::harness::{TestClient, TestServer, options, pick, stopped};
use gridrace_client::net::{Tcp, connect_over};
use gridrace_client::session::{SessionError, fetch_replay};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::OwnResult;
use gridrace_shared::replay::verify;

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

/// Asks on another connection, in JSON.
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
    assert_eq!(standings[0].state, RaceState::Finished { time });

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

/// Fetches a replay and returns its standings: the file changes when the board is rated.
async fn replayed(
    server: &TestServer,
    id: &str,
    key: Option<&Key>,
) -> Result<Vec<Standing>, Refusal> {
    let address = server.address.to_string();
    let mut connection = connect_over(&Tcp::default(), &address).await.unwrap();
    if let Some(key) = key {
        connection.identify(key, false).await.unwrap();
    }
    match fetch_replay(&mut connection, id).await {
        Ok(file) => Ok(verify(&file).unwrap().replay.outcome.standings),
        Err(SessionError::Refused(why)) => Err(why),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_replay_is_fetched_by_all_and_that_of_a_room_with_a_pin_by_those_who_raced_there() {
    let server = TestServer::start();
    for pin in [None, Some("4711")] {
        let mut anna = server.client().await;
        anna.identify(&key(1), false).await;
        anna.enter(ClientMessage::Open {
            entrant: Entrant { name: "Anna".to_owned(), bot: false },
            options: options("slide:2x2"),
            seed: None,
            pin: pin.map(|pin| pin.parse().unwrap()),
        })
        .await;
        anna.start().await;
        anna.finish().await;
        anna.until_over().await;
        let id = &results(&mut anna).await[0].heat;
        let standings = anna.result().standings.clone();
        assert_eq!(replayed(&server, id, Some(&key(1))).await, Ok(standings.clone()));
        let expected = if pin.is_none() { Ok(standings) } else { Err(Refusal::NoReplay) };
        assert_eq!(replayed(&server, id, Some(&key(2))).await, expected);
        assert_eq!(replayed(&server, id, None).await, expected);
    }
    let none = replayed(&server, "KQZT-20261121-3f9c", None).await;
    assert_eq!(none, Err(Refusal::NoReplay));
    let keeps_nothing = TestServer::start_ephemeral();
    let none = replayed(&keeps_nothing, "KQZT-20261121-3f9c", None).await;
    assert_eq!(none, Err(Refusal::NoReplay));
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
