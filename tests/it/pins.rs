//! Heats behind a PIN.

use crate::harness::{State, TestClient, TestServer, options};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::Refusal;

fn entrant(name: &str) -> Entrant {
    Entrant { name: name.to_owned(), bot: false }
}

fn join(code: RoomCode, name: &str, pin: Option<&str>) -> ClientMessage {
    ClientMessage::Join {
        code,
        entrant: entrant(name),
        role: Role::Player,
        pin: pin.map(|pin| pin.parse().unwrap()),
    }
}

/// Opens a heat behind the PIN 4711.
async fn locked(server: &TestServer) -> (TestClient, RoomCode) {
    let mut anna = server.client().await;
    anna.say(ClientMessage::Open {
        entrant: entrant("Anna"),
        options: options("slide:3x3"),
        seed: None,
        pin: Some("4711".parse().unwrap()),
    })
    .await;
    anna.until("to be in the heat", State::is_in_a_heat).await;
    let code = anna.state.heat().code;
    (anna, code)
}

#[tokio::test]
async fn only_who_has_the_pin_gets_into_a_heat_that_has_one() {
    let server = TestServer::start();
    let (mut anna, code) = locked(&server).await;
    let mut ben = server.client().await;
    for wrong in [None, Some("4712"), Some("47110"), Some("00004711")] {
        ben.refused_for(join(code, "Ben", wrong), Refusal::WrongPin).await;
    }
    ben.say(join(code, "Ben", Some("4711"))).await;
    ben.until("to be in the heat", State::is_in_a_heat).await;
    anna.until_members(2).await;

    // Coming back takes the token alone, and the next heat of the group has the same PIN.
    let (code, player, token) = ben.state.key.clone().unwrap();
    ben.vanish();
    let mut back = server.client().await;
    back.say(ClientMessage::Resume { code, player, token }).await;
    back.until("to be back", State::is_in_a_heat).await;
    anna.start().await;
    anna.finish().await;
    back.say(ClientMessage::GiveUp).await;
    anna.until_over().await;
    anna.say(ClientMessage::Rematch).await;
    anna.until_lobby().await;
    let mut carl = server.client().await;
    carl.refused_for(join(code, "Carl", None), Refusal::WrongPin).await;
}

#[tokio::test]
async fn pins_are_guessed_a_few_times_by_however_many_connections() {
    let server = TestServer::start();
    let (_anna, code) = locked(&server).await;
    let mut thief = server.client().await;
    for guess in 0..10 {
        let pin = format!("{guess:04}");
        let mut another = server.client().await;
        another.refused_for(join(code, "Thief", Some(&pin)), Refusal::WrongPin).await;
    }
    // Now even the right one would tell too much.
    for pin in ["4712", "4711"] {
        thief.refused_for(join(code, "Thief", Some(pin)), Refusal::TooFast).await;
    }
    assert!(!thief.state.is_in_a_heat());
}

#[tokio::test]
async fn the_pin_is_told_to_nobody() {
    let server = TestServer::start();
    let (anna, code) = locked(&server).await;
    let mut ben = server.json_client().await;
    ben.say(join(code, "Ben", Some("4711"))).await;
    ben.until("to be in the heat", State::is_in_a_heat).await;
    ben.settle().await;
    for message in anna.state.log.iter().chain(&ben.state.log) {
        let text = serde_json::to_string(message).unwrap();
        assert!(!text.contains("pin\":") && !text.contains("4711\""), "{text}");
    }
}
