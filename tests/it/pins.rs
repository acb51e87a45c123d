//! Rooms with a PIN.

use crate::harness::{TestClient, TestServer, options};
use gridrace_client::session::Entry;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::Refusal;

fn join(code: RoomCode, name: &str, pin: Option<&str>) -> ClientMessage {
    let pin = pin.map(|pin| pin.parse().unwrap());
    Entry::Join { code, role: Role::Player, pin }.request(name.to_owned(), false)
}

/// Opens a room with the PIN 4711.
async fn room_with_pin(server: &TestServer) -> (TestClient, RoomCode) {
    let mut anna = server.client().await;
    let pin = Some("4711".parse().unwrap());
    let entry = Entry::Open { options: options("slide:3x3"), seed: None, pin };
    let code = anna.enter(entry.request("Anna".to_owned(), false)).await;
    (anna, code)
}

#[tokio::test]
async fn a_room_with_a_pin_is_joined_with_that_pin_only() {
    let server = TestServer::start();
    let (mut anna, code) = room_with_pin(&server).await;
    let mut ben = server.client().await;
    ben.refused_for(join(code, "Ben", None), Refusal::NeedsPin).await;
    for wrong in [Some("4712"), Some("47110"), Some("00004711")] {
        ben.refused_for(join(code, "Ben", wrong), Refusal::WrongPin).await;
    }
    ben.enter(join(code, "Ben", Some("4711"))).await;
    anna.until_members(2).await;

    // Resuming needs only the token, and a rematch keeps the PIN.
    let mut ben = server.resume(&ben.vanish()).await;
    anna.start().await;
    anna.finish().await;
    ben.say(ClientMessage::GiveUp).await;
    anna.until_over().await;
    anna.rematch().await;
    let mut carl = server.client().await;
    carl.refused_for(join(code, "Carl", None), Refusal::NeedsPin).await;
}

#[tokio::test]
async fn wrong_pins_are_limited_across_connections() {
    let server = TestServer::start();
    let (_anna, code) = room_with_pin(&server).await;
    let mut thief = server.client().await;
    for guess in 0..10 {
        let pin = format!("{guess:04}");
        let mut another = server.client().await;
        another.refused_for(join(code, "Thief", Some(&pin)), Refusal::WrongPin).await;
    }
    // From now on the right one is refused as well, or the refusal would confirm a guess.
    for pin in ["4712", "4711"] {
        thief.refused_for(join(code, "Thief", Some(pin)), Refusal::TooFast).await;
    }
    assert!(!thief.is_in_a_room());
}

#[tokio::test]
async fn a_key_that_was_in_the_room_gets_in_while_others_guess() {
    let server = TestServer::start();
    let (_anna, code) = room_with_pin(&server).await;
    let key = Key::from_bytes([1; 32]);
    let mut ben = server.client().await;
    ben.identify(&key, false).await;
    ben.enter(join(code, "Ben", Some("4711"))).await;
    ben.leave().await;
    let mut thief = server.client().await;
    for guess in 0..10 {
        let pin = format!("{guess:04}");
        thief.refused_for(join(code, "Thief", Some(&pin)), Refusal::WrongPin).await;
    }
    thief.refused_for(join(code, "Thief", Some("4711")), Refusal::TooFast).await;

    let mut ben = server.client().await;
    ben.identify(&key, false).await;
    ben.refused_for(join(code, "Ben", Some("4712")), Refusal::TooFast).await;
    ben.enter(join(code, "Ben", Some("4711"))).await;
}

#[tokio::test]
async fn only_the_host_is_told_the_pin() {
    let server = TestServer::start();
    let (mut anna, code) = room_with_pin(&server).await;
    anna.settle().await;
    assert_eq!(anna.view().pin, Some("4711".parse().unwrap()));
    let mut ben = server.json_client().await;
    ben.enter(join(code, "Ben", Some("4711"))).await;
    ben.settle().await;
    for message in &ben.log {
        let text = serde_json::to_string(message).unwrap();
        assert!(!text.contains("pin\":") && !text.contains("4711\""), "{text}");
    }
}
