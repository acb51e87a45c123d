//! Members of a room: codes, seats, leaving, identities.

use crate::harness::{RawSocket, TestServer, options};
use gridrace_shared::heat::identity::{Challenge, Key};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::{Farewell, Refusal};

#[tokio::test]
async fn codes_are_read_without_regard_to_case() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:2x2")).await.to_string().to_lowercase();
    let mut ben = RawSocket::hello(server.address, Codec::Json).await;
    ben.join(&code, "Ben", "player").await;
    anna.until_members(2).await;
}

#[tokio::test]
async fn a_kicked_member_is_told_and_closed() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    let (host, guest) = (anna.you(), ben.you());
    ben.refused_for(ClientMessage::Kick { player: host }, Refusal::NotHost).await;
    for player in [host, PlayerId(99)] {
        anna.refused_for(ClientMessage::Kick { player }, Refusal::NoSuchPlayer).await;
    }
    anna.say(ClientMessage::Kick { player: guest }).await;
    assert_eq!(ben.until_closed().await, Some(CloseCode::Kicked.number()));
    assert_eq!(ben.farewell(), Some(Farewell::Kicked));
    anna.until_members(1).await;
}

#[tokio::test]
async fn seats_can_be_taken_and_given_back_in_the_lobby() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    ben.join(code, "Ben", Role::Spectator).await;
    for (request, plays) in [(ClientMessage::TakeSeat, true), (ClientMessage::LeaveSeat, false)] {
        ben.say(request).await;
        ben.until("the other role", |client| client.view().is_player() == plays).await;
    }
    anna.say(ClientMessage::LeaveSeat).await;
    anna.refused_for(ClientMessage::Start, Refusal::NoPlayers).await;
}

#[tokio::test]
async fn a_key_has_one_identity_across_connections_and_another_for_its_bot() {
    let server = TestServer::start();
    let key = Key::from_bytes([7; 32]);
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let mut robot = server.client().await;
    anna.identify(&key, false).await;
    ben.identify(&key, false).await;
    robot.identify(&key, true).await;
    let code = anna.open("Anna", &options("slide:3x3")).await;
    ben.join(code, "Ben", Role::Player).await;
    robot.join_as_bot(code, "R2").await;
    let members = robot.view().roster.members.iter();
    let found: Vec<_> = members.map(|member| (member.kind, member.identity.unwrap())).collect();
    let [own, of_the_bot] = [false, true].map(|bot| key.public().fingerprint(bot));
    let human = (PlayerKind::Human, own);
    assert_eq!(found, [human, human, (PlayerKind::Bot, of_the_bot)]);
}

#[tokio::test]
async fn a_proof_for_another_connection_is_refused_and_gives_no_identity() {
    let server = TestServer::start();
    let foreign = Challenge::from_bytes([7; 32]);
    let proof = Key::from_bytes([7; 32]).prove(foreign, &server.address.to_string(), false);
    let mut client = server.client().await;
    client.refused_for(ClientMessage::Identify(proof), Refusal::Unproven).await;
    client.open("Anna", &options("slide:3x3")).await;
    assert_eq!(client.view().me().unwrap().identity, None);
}
