//! Members of a room: names, late players, leaving, the host, identities.

use crate::harness::{State, TestClient, TestServer, options, pick};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::NameError;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;

#[tokio::test]
async fn names_with_control_or_invisible_characters_are_refused() {
    let server = TestServer::start();
    let mut anna = server.json_client().await;
    for (name, fault) in [
        ("\u{1b}[2J\u{1b}[31mred", NameError::Forbidden),
        ("\u{9b}31mred", NameError::Forbidden),
        ("bell\u{7}", NameError::Forbidden),
        ("two\nlines", NameError::Forbidden),
        ("abc\u{202e}fed", NameError::Forbidden),
        ("\u{2066}isolated\u{2069}", NameError::Forbidden),
        ("no\u{200b}body", NameError::Forbidden),
        ("", NameError::Empty),
        ("   ", NameError::Empty),
        ("a name of more than twenty", NameError::TooLong),
        (&format!("a{}", "\u{301}".repeat(60)), NameError::TooLong),
    ] {
        let entrant = Entrant { name: name.to_owned(), bot: false };
        let open =
            ClientMessage::Open { entrant, options: options("slide:2x2"), seed: None, pin: None };
        anna.refused_for(open, Refusal::Name(fault)).await;
    }
    anna.open("Änna 安娜", &options("slide:2x2")).await;
}

#[tokio::test]
async fn a_name_that_looks_like_another_member_s_is_taken() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    // The same in other case, with a Cyrillic А and а, with a Greek Ν and mathematical n.
    for name in ["Anna", "ANNA", " anna ", "\u{410}nn\u{430}", "A\u{39d}Na", "An\u{1d5c7}a"] {
        let before = ben.state.refusals().len();
        ben.ask_to_join(code, name, Role::Player).await;
        ben.until("a refusal", |state| state.refusals().len() > before).await;
        assert_eq!(ben.state.refusals()[before], Refusal::NameTaken, "{name:?}");
    }
    ben.join(code, "Ben", Role::Player).await;
}

#[tokio::test]
async fn codes_are_read_without_regard_to_case() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:2x2")).await.to_string().to_lowercase();
    let join = format!(
        r#"{{"join":{{"code":"{code}","entrant":{{"name":"Ben","bot":false}},"role":"player"}}}}"#
    );
    let mut ben = server.json_client().await;
    ben.say_text(&join).await;
    ben.until("to be in the heat", State::is_in_a_heat).await;
}

#[tokio::test]
async fn another_member_becomes_host_when_the_host_leaves_or_disconnects() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let (mut ben, mut carl) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    ben.join(code, "Ben", Role::Player).await;
    carl.join(code, "Carl", Role::Player).await;
    carl.refused_for(ClientMessage::Start, Refusal::NotHost).await;
    anna.leave().await;
    let next = ben.you();
    until_host(&mut carl, next).await;
    until_host(&mut ben, next).await;
    ben.vanish();
    let you = carl.you();
    until_host(&mut carl, you).await;
    carl.start().await;
}

#[tokio::test]
async fn a_kicked_member_is_told_and_closed() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:2x2")).await;
    let (host, guest) = (anna.you(), ben.you());
    ben.refused_for(ClientMessage::Kick { player: host }, Refusal::NotHost).await;
    for nobody in [host, PlayerId(99)] {
        anna.refused_for(ClientMessage::Kick { player: nobody }, Refusal::NoSuchPlayer).await;
    }
    anna.say(ClientMessage::Kick { player: guest }).await;
    assert_eq!(ben.until_closed().await, Some(CloseCode::Kicked.number()));
    assert_eq!(ben.state.farewell(), Some(Farewell::Kicked));
    anna.until_members(1).await;
}

#[tokio::test]
async fn a_late_player_watches_and_has_a_seat_in_the_next_heat() {
    let server = TestServer::start();
    let (mut anna, mut late) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    anna.start().await;
    late.join(code, "Late", Role::Player).await;
    let you = late.you();
    let member = late.state.member(you).unwrap();
    assert_eq!((member.role, member.next_seat), (Role::Spectator, true));
    // A snapshot during a heat holds its whole state.
    assert!(matches!(late.state.heat().phase, Phase::Running { .. }));
    assert!(late.state.row(anna.you()).is_some());
    assert!(late.state.boards.contains_key(&anna.you()));

    anna.finish().await;
    anna.until_over().await;
    anna.say(ClientMessage::Rematch).await;
    late.until("a seat", |state| {
        let member = state.member(you).unwrap();
        (member.role, member.next_seat) == (Role::Player, false)
    })
    .await;
    anna.until_lobby().await;
    anna.start().await;
    late.until_go().await;
    late.finish().await;
}

#[tokio::test]
async fn seats_can_be_taken_and_given_back_in_the_lobby() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:2x2")).await;
    ben.join(code, "Ben", Role::Spectator).await;
    for (request, role) in
        [(ClientMessage::TakeSeat, Role::Player), (ClientMessage::LeaveSeat, Role::Spectator)]
    {
        ben.say(request).await;
        let you = ben.you();
        ben.until("the other role", |state| state.member(you).unwrap().role == role).await;
    }
    anna.say(ClientMessage::LeaveSeat).await;
    anna.refused_for(ClientMessage::Start, Refusal::NoPlayers).await;
}

async fn until_host(client: &mut TestClient, host: PlayerId) {
    client.until("the host", |state| state.heat().roster.host == Some(host)).await;
}

#[tokio::test]
async fn a_key_has_one_identity_across_connections_and_another_for_its_bot() {
    let server = TestServer::start();
    let key = Key::from_bytes([7; 32]);
    let mut fingerprints = Vec::new();
    for (name, bot) in [("Anna", false), ("Anna again", false), ("R2", true)] {
        let mut client = server.client().await;
        client.identify(&key, server.address, bot).await;
        client.open(name, &options("slide:3x3")).await;
        let member = client.state.heat().roster.members[0].clone();
        assert_eq!(member.kind == PlayerKind::Bot, bot);
        fingerprints.push(member.identity.unwrap());
    }
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert_eq!(fingerprints[0], key.public().fingerprint(false));
    assert_eq!(fingerprints[2], key.public().fingerprint(true));
}

#[tokio::test]
async fn a_proof_for_another_connection_is_refused_and_gives_no_identity() {
    let server = TestServer::start();
    let key = Key::from_bytes([7; 32]);
    let host = server.address.to_string();
    let overheard = server.client().await;
    let challenge = pick!(overheard.state, ServerMessage::Welcome { challenge, .. } => *challenge);
    let mut client = server.client().await;
    client.say(ClientMessage::Identify(key.prove(challenge[0], &host, false))).await;
    client
        .until("a refusal", |state| {
            !pick!(state, ServerMessage::Refused(Refusal::Unproven) => ()).is_empty()
        })
        .await;
    client.open("Anna", &options("slide:3x3")).await;
    assert_eq!(client.state.heat().roster.members[0].identity, None);
}
