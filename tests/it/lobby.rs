//! The lobby: options, private rooms, and the list of rooms.

use crate::harness::raw::greeting;
use crate::harness::{TestServer, join, options, pick};
use gridrace_client::session::Entry;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::options::OptionsError;
use gridrace_shared::heat::player_name::NameError;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::puzzle::HintStyle;

#[tokio::test]
async fn a_room_with_invalid_options_or_an_invalid_name_is_not_opened() {
    let server = TestServer::start();
    let mut anna = server.json_client().await;
    let mut options = options("slide:2x2");
    options.countdown_seconds = 0;
    for (name, why) in [
        ("Anna", Refusal::Options(OptionsError::Countdown)),
        ("bell\u{7}", Refusal::Name(NameError::Forbidden)),
        ("Screen 1234", Refusal::Name(NameError::Reserved)),
    ] {
        let entry = Entry::Open { options: options.clone(), seed: None, pin: None };
        anna.refused_for(entry.request(name.to_owned(), false), why).await;
        options.countdown_seconds = 1;
    }
    assert!(!anna.is_in_a_room());
    anna.open("Änna 安娜", &options).await;
}

#[tokio::test]
async fn a_bot_that_opens_a_room_without_bots_is_told_so() {
    let server = TestServer::start();
    let mut bot = server.json_client().await;
    let mut options = options("slide:2x2");
    options.bots_allowed = false;
    let entry = Entry::Open { options, seed: None, pin: None };
    bot.refused_for(entry.request("R2".to_owned(), true), Refusal::NoBots).await;
    assert!(!bot.is_in_a_room());
}

#[tokio::test]
async fn the_name_of_a_big_screen_is_a_spectator_s_without_a_key() {
    let server = TestServer::start();
    let (mut anna, mut screen) = (server.client().await, server.json_client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    let reserved = Refusal::Name(NameError::Reserved);
    screen.refused_for(join(code, "Screen 1234", Role::Player), reserved).await;
    screen.join(code, "Screen 1234", Role::Spectator).await;
    let mut known = server.json_client().await;
    known.identify(&Key::from_bytes([7; 32]), false).await;
    known.refused_for(join(code, "Screen 5678", Role::Spectator), reserved).await;
    known.join(code, "Screen 56789", Role::Spectator).await;
}

#[tokio::test]
async fn private_rooms_are_joined_by_code_and_not_listed() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let mut guest = server.json_client().await;
    let mut hidden = options("slide:2x2");
    hidden.private = true;
    let secret = anna.open("Anna", &hidden).await;
    let open = ben.open("Ben", &options("slide:3x3")).await;
    guest.say(ClientMessage::Rooms).await;
    guest.until("the list", |client| !client.rooms().is_empty()).await;
    let heats = guest.rooms();
    assert_eq!(heats.len(), 1);
    assert_eq!((heats[0].code, heats[0].players, heats[0].is_joinable()), (open, 1, true));
    guest.join(secret, "Guest", Role::Spectator).await;
}

#[tokio::test]
async fn requests_in_the_wrong_state_are_refused_and_the_connection_stays_open() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    for request in [
        ClientMessage::Start,
        ClientMessage::Hint { style: HintStyle::Shortest },
        ClientMessage::Leave,
    ] {
        anna.refused_for(request, Refusal::NotInARoom).await;
    }
    let nowhere = join("BBBB".parse().unwrap(), "Anna", Role::Player);
    anna.refused_for(nowhere.clone(), Refusal::NoSuchRoom).await;
    anna.open("Anna", &options("slide:2x2")).await;
    anna.refused_for(nowhere, Refusal::InARoom).await;
    anna.refused_for(anna.ticket().request(), Refusal::InARoom).await;
    anna.refused_for(ClientMessage::Rematch, Refusal::WrongPhase).await;
    anna.refused_for(greeting(VERSION), Refusal::HelloTwice).await;
    anna.settle().await;
    assert_eq!(pick!(anna, ServerMessage::Welcome { .. } => ()), []);
}

#[tokio::test]
async fn a_room_without_members_is_closed() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Casual }).await;
    anna.leave().await;
    ben.refused_for(join(code, "Ben", Role::Player), Refusal::NoSuchRoom).await;
    // The connection of a member that left stays open, and may open another room.
    assert_ne!(anna.open("Anna", &options("slide:2x2")).await, code);
}
