//! Hosts and operators of a server, over sockets.

use crate::harness::{TestServer, join, options};
use gridrace_server::{Operators, ServerConfig, StandingRoom};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Farewell, Refusal};
use gridrace_shared::protocol::snapshot::RoomPhase;

/// A server with a standing room, and its operator's key.
fn standing_server() -> (TestServer, Key) {
    let key = Key::from_bytes([9; 32]);
    let operators = Operators::Keys([key.public().fingerprint(false)].into());
    let room = StandingRoom {
        name: Some("evening".parse().unwrap()),
        options: options("slide:3x3"),
        seed: None,
        bots: Vec::new(),
        pin: Some("4711".parse().unwrap()),
    };
    let standing = vec![room];
    (TestServer::start_with(ServerConfig { standing, operators, ..ServerConfig::default() }), key)
}

#[tokio::test]
async fn an_evening_with_an_operator() {
    let (server, key) = standing_server();
    let mut anna = server.client().await;
    anna.say(ClientMessage::Rooms).await;
    anna.until("the list", |client| !client.rooms().is_empty()).await;
    let room = &anna.rooms()[0];
    assert_eq!(room.name.as_ref().map(ToString::to_string).as_deref(), Some("evening"));
    assert!(room.needs_pin && room.phase == RoomPhase::Lobby && room.people == 0);
    let code = room.code;
    let with_pin = |name: &str| {
        let mut join = join(code, name, Role::Player);
        if let ClientMessage::Join { pin, .. } = &mut join {
            *pin = "4711".parse().ok();
        }
        join
    };
    anna.enter(with_pin("Anna")).await;
    let mut ben = server.client().await;
    let ben_key = Key::from_bytes([2; 32]);
    ben.identify(&ben_key, false).await;
    ben.enter(with_pin("Ben")).await;
    let mut cleo = server.client().await;
    cleo.enter(with_pin("Cleo")).await;
    assert!(anna.view().is_host());
    assert_eq!(anna.view().room_name, "evening".parse().ok());

    // The operator needs no PIN, and is the host of the standing room.
    let mut olga = server.json_client().await;
    olga.identify(&key, false).await;
    olga.enter(join(code, "Olga", Role::Spectator)).await;
    olga.settle().await;
    assert!(olga.view().is_host() && olga.view().has_host_powers());
    assert_eq!(olga.view().pin, Some("4711".parse().unwrap()));
    anna.until_roster("the operator", |roster| roster.members.iter().any(|it| it.operator)).await;
    anna.refused_for(ClientMessage::Kick { player: olga.you() }, Refusal::NotHost).await;

    // No heat begins over the head of a host who watches.
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.say(ClientMessage::Ready { ready: true }).await;
    }
    olga.until_roster("all ready", |roster| roster.members[..3].iter().all(|it| it.ready)).await;
    assert!(!anna.is_running());
    olga.say(ClientMessage::HandOver { player: anna.you() }).await;
    anna.until("the host's place", |client| client.view().is_host()).await;
    anna.until_go().await;
    let text = "Two minutes".to_owned();
    anna.say(ClientMessage::Announce { text }).await;
    ben.until("the announcement", |client| client.view().announcement.is_some()).await;
    ben.refused_for(ClientMessage::EndHeat, Refusal::NotHost).await;
    // A player who is kicked in mid-race is out, and the others race on.
    olga.say(ClientMessage::Kick { player: cleo.you() }).await;
    assert_eq!(cleo.until_closed().await, Some(CloseCode::Kicked.number()));
    let kicked = cleo.you();
    let is_out = |row: &Standing| row.player == kicked && row.state == RaceState::Dnf;
    ben.until("the kicked player out", |it| it.view().standings.iter().any(is_out)).await;
    assert!(ben.is_running());
    olga.say(ClientMessage::EndHeat).await;
    ben.until_over().await;

    // A ban closes the connection, and keeps the key out.
    anna.say(ClientMessage::Ban { player: ben.you() }).await;
    assert_eq!(ben.until_closed().await, Some(CloseCode::Banned.number()));
    assert_eq!(ben.farewell(), Some(Farewell::Banned));
    let mut ben = server.client().await;
    ben.identify(&ben_key, false).await;
    ben.refused_for(with_pin("Ben"), Refusal::Banned).await;
    anna.refused_for(ClientMessage::Ban { player: olga.you() }, Refusal::OperatorOnly).await;
}
