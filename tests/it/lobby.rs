//! The lobby: options, bots, private rooms, and the list of rooms.

use crate::harness::{TestServer, greeting, options, pick};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::options::OptionsError;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};

const SEATS: usize = 32;

#[tokio::test]
async fn options_set_by_the_host_reach_all_members_with_a_new_commitment() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    let before = ben.state.heat().setup.clone();
    let set = |options, seed: Option<&str>| ClientMessage::Options {
        options,
        seed: seed.map(|seed| seed.parse().unwrap()),
    };
    ben.refused_for(set(options("slide:5x5"), None), Refusal::NotHost).await;
    anna.say(set(options("slide:5x5"), Some("friday"))).await;
    ben.until("the options", |state| state.heat().setup != before).await;
    let after = &ben.state.heat().setup;
    assert_eq!(after.options, options("slide:5x5"));
    assert_eq!(after.seed, SeedOrigin::Host);
    assert_ne!(after.commitment, before.commitment);

    let mut endless = options("slide:5x5");
    endless.time_limit_seconds = 0;
    anna.refused_for(set(endless, None), Refusal::Options(OptionsError::TimeLimit)).await;
    anna.start().await;
    anna.refused_for(set(options("slide:2x2"), None), Refusal::WrongPhase).await;
}

#[tokio::test]
async fn options_out_of_bounds_are_refused() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut options = options("slide:2x2");
    options.countdown_seconds = 0;
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let open = ClientMessage::Open { entrant, options, seed: None, pin: None };
    anna.refused_for(open, Refusal::Options(OptionsError::Countdown)).await;
    assert!(!anna.state.is_in_a_heat());
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
    guest.say(ClientMessage::Heats).await;
    guest.until("the list", |state| !state.heats().is_empty()).await;
    let heats = guest.state.heats();
    assert_eq!(heats.len(), 1);
    assert_eq!((heats[0].code, heats[0].players, heats[0].in_lobby), (open, 1, true));
    guest.join(secret, "Guest", Role::Spectator).await;
}

#[tokio::test]
async fn a_full_room_refuses_players() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    let add = || ClientMessage::AddBot { skill: Skill::Casual };
    for _ in 1..SEATS {
        anna.say(add()).await;
    }
    anna.until_members(SEATS).await;
    anna.refused_for(add(), Refusal::Full).await;
    ben.ask_to_join(code, "Ben", Role::Player).await;
    ben.until("a refusal", |state| state.refusals() == [Refusal::Full]).await;
    ben.join(code, "Ben", Role::Spectator).await;
    ben.refused_for(ClientMessage::TakeSeat, Refusal::Full).await;
}

#[tokio::test]
async fn bots_are_marked_and_the_host_may_disallow_them() {
    let server = TestServer::start();
    let (mut anna, mut robot) = (server.client().await, server.json_client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Expert }).await;
    anna.until_members(2).await;
    robot.join_as_bot(code, "Robot").await;
    anna.until_members(3).await;
    let kinds: Vec<PlayerKind> =
        anna.state.heat().roster.members.iter().map(|member| member.kind).collect();
    assert_eq!(kinds, [PlayerKind::Human, PlayerKind::HouseBot(Skill::Expert), PlayerKind::Bot]);

    let mut without = options("slide:2x2");
    without.bots_allowed = false;
    anna.say(ClientMessage::Options { options: without, seed: None }).await;
    anna.until_members(2).await;
    let robot = robot.you();
    assert_eq!(anna.state.member(robot).unwrap().role, Role::Spectator);
    anna.refused_for(ClientMessage::AddBot { skill: Skill::Expert }, Refusal::NoBots).await;
}

#[tokio::test]
async fn requests_in_the_wrong_state_are_refused_and_the_connection_stays_open() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    for request in [ClientMessage::Start, ClientMessage::Hint, ClientMessage::Leave] {
        anna.refused_for(request, Refusal::NotInAHeat).await;
    }
    let nowhere = ClientMessage::Join {
        code: "BBBB".parse().unwrap(),
        entrant: Entrant { name: "Anna".to_owned(), bot: false },
        role: Role::Player,
        pin: None,
    };
    anna.refused_for(nowhere.clone(), Refusal::NoSuchHeat).await;
    anna.open("Anna", &options("slide:2x2")).await;
    anna.refused_for(nowhere, Refusal::InAHeat).await;
    anna.refused_for(ClientMessage::Rematch, Refusal::WrongPhase).await;
    anna.refused_for(greeting(VERSION), Refusal::HelloTwice).await;
    anna.settle().await;
    assert_eq!(pick!(anna.state, ServerMessage::Welcome { version, .. } => *version), [VERSION]);
}

#[tokio::test]
async fn a_room_without_members_is_closed() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Casual }).await;
    anna.leave().await;
    ben.ask_to_join(code, "Ben", Role::Player).await;
    ben.until("a refusal", |state| state.refusals() == [Refusal::NoSuchHeat]).await;
    // The connection of a member that left stays open, and may open another room.
    assert_ne!(anna.open("Anna", &options("slide:2x2")).await, code);
}
