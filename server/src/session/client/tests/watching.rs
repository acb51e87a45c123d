//! Tables of a tournament: the permission to watch one, and the rating that is computed once for all.

use super::*;
use crate::hub::{NewTournament, Requester};
use crate::race::TablePhase;
use crate::tournament::Event;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentRequest, TournamentUpdate,
};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::settings::TournamentSettings;

const ORGANISER: u8 = 99;

fn key(number: u8) -> Key {
    Key::from_bytes([number; 32])
}

fn name() -> TournamentName {
    "friday".parse().unwrap()
}

/// Connects a client that proves a key, if it has one.
async fn client(state: &Arc<ServerState>, number: Option<u8>) -> (TestClient, Served) {
    client_from(state, ADDRESS, number).await
}

async fn client_from(
    state: &Arc<ServerState>,
    address: IpAddr,
    number: Option<u8>,
) -> (TestClient, Served) {
    let (mut client, served) = connect_from(state, PIPE_BYTES, address).await;
    let ServerMessage::Welcome { challenge, .. } = client.hello().await else { panic!() };
    if let Some(number) = number {
        let proof = key(number).prove(challenge, "10.0.0.1", false);
        client.send(&ClientMessage::Identify(proof)).await;
    }
    (client, served)
}

/// Asks to watch a table, and returns the answer.
async fn watch(client: &mut TestClient, code: RoomCode, name: &str) -> ServerMessage {
    client.send_join(code, name, Role::Spectator).await;
    client.receive().await
}

/// Opens a tournament whose tables have two seats, and draws its first round; returns how the organiser
/// gives commands.
fn begin(state: &Arc<ServerState>, players: u8) -> impl Fn(TournamentCommand) + use<> {
    let founder = key(ORGANISER).public().fingerprint(false);
    let new = NewTournament {
        name: name(),
        plan: "heats:2/1+final:1".parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        pin: None,
        founder,
    };
    let tournament = state.hub.open_tournament(new).unwrap();
    for number in 0..players {
        let by = key(number).public().fingerprint(false);
        let name = format!("Player {number}").parse().unwrap();
        tournament.apply(Event::Enter { by, name, bot: false, team: None }, None);
    }
    let command = move |command| {
        let (by, is_operator) = (founder, false);
        let event = Event::Command { by, is_operator, command, confirmed: true };
        tournament.apply(event, None);
    };
    command(TournamentCommand::Begin);
    command
}

#[tokio::test]
async fn a_board_is_rated_once_for_all_tables_of_its_round() {
    let state = server();
    let driver = Arc::clone(&state);
    let driver = tokio::spawn(async move { driver.hub.run_tournaments().await });
    let command = begin(&state, 8);
    let phases = || {
        let tables = state.hub.tables().into_iter();
        tables.map(|(_, status)| status.phase).collect::<Vec<_>>()
    };
    let is_ahead = |phase: &TablePhase| matches!(phase, TablePhase::Countdown { .. });
    while phases().iter().filter(|phase| is_ahead(phase)).count() < 4 {
        tokio::task::yield_now().await;
    }
    command(TournamentCommand::MoveGo { seconds: 0 });
    // No entrant is there, so the boards end as they begin.
    while !phases().iter().all(|phase| matches!(phase, TablePhase::Over(_))) {
        tokio::task::yield_now().await;
    }
    assert_eq!((phases().len(), state.hub.services.metrics.board_ratings()), (4, 1));
    driver.abort();
}

#[tokio::test]
async fn an_entrant_watches_no_other_table_of_the_round_nor_does_a_screen_beside() {
    let state = server();
    let driver = Arc::clone(&state);
    let driver = tokio::spawn(async move { driver.hub.run_tournaments().await });
    let command = begin(&state, 4);
    while state.hub.tables().len() < 2 {
        tokio::task::yield_now().await;
    }
    let of = |number: u8| {
        let key = Some(key(number).public().fingerprint(false));
        let tables = state.hub.tables();
        tables.into_iter().find(|(room, _)| room.reserves(key)).unwrap().0.code()
    };
    let anna = 0;
    let other = (1..4).map(of).find(|code| *code != of(anna)).unwrap();
    let (mut screen, _screen) = client(&state, None).await;
    let is_joined = |answer: &ServerMessage| matches!(answer, ServerMessage::Joined { .. });
    assert!(is_joined(&watch(&mut screen, other, "Screen").await), "anyone watches");
    let (mut entrant, _entrant) = client(&state, Some(anna)).await;
    assert_eq!(watch(&mut entrant, other, "Anna").await, refused(Refusal::SameBoards));
    // The entrant follows the tournament, so the server knows who is at that address.
    let follow = TournamentRequest::Follow { name: name(), pin: None };
    entrant.send(&ClientMessage::Tournament(Box::new(follow))).await;
    assert!(matches!(entrant.receive().await, ServerMessage::Tournament(_)));
    let (mut beside, _beside) = client(&state, None).await;
    assert_eq!(watch(&mut beside, other, "Beside").await, refused(Refusal::SameBoards));
    assert!(
        is_joined(&watch(&mut beside, of(anna), "Beside").await),
        "at the own table others see no more"
    );
    let (mut organiser, _organiser) = client(&state, Some(ORGANISER)).await;
    assert!(is_joined(&watch(&mut organiser, other, "Organiser").await));
    // The first screen came before anybody knew that a player is beside it: it goes at GO.
    entrant.send_join(of(anna), "Anna", Role::Player).await;
    command(TournamentCommand::MoveGo { seconds: 0 });
    let mut told = screen.receive().await;
    while !matches!(told, ServerMessage::Goodbye(_)) {
        told = screen.receive().await;
    }
    assert_eq!(told, ServerMessage::Goodbye(Farewell::SameBoards));
    assert!(is_joined(&watch(&mut screen, of(anna), "Screen").await), "the connection stands");
    driver.abort();
}

/// Receives up to the first message of which `pick` makes something.
async fn receive_until<T>(
    client: &mut TestClient,
    pick: impl Fn(&ServerMessage) -> Option<T>,
) -> T {
    loop {
        if let Some(picked) = pick(&client.receive().await) {
            return picked;
        }
    }
}

async fn ask(client: &mut TestClient, request: TournamentRequest) {
    client.send(&ClientMessage::Tournament(Box::new(request))).await;
}

/// Waits for two tables; returns the code of the player's own, and of the other.
async fn two_tables(state: &Arc<ServerState>, player: u8) -> (RoomCode, RoomCode) {
    while state.hub.tables().len() < 2 {
        tokio::task::yield_now().await;
    }
    let key = Some(key(player).public().fingerprint(false));
    let (own, other): (Vec<_>, Vec<_>) =
        state.hub.tables().into_iter().partition(|(room, _)| room.reserves(key));
    (own[0].0.code(), other[0].0.code())
}

const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));
const ANNA: u8 = 0;

const fn goodbye(message: &ServerMessage) -> Option<Farewell> {
    if let ServerMessage::Goodbye(why) = message { Some(*why) } else { None }
}

fn token(message: &ServerMessage) -> Option<(PlayerId, ResumeToken)> {
    let ServerMessage::Token { player, token, .. } = message else { return None };
    Some((*player, token.clone()))
}

/// Returns what finds an answer about the tournament.
fn answer(expected: TournamentUpdate) -> impl Fn(&ServerMessage) -> Option<()> {
    let expected = ServerMessage::Tournament(Box::new(expected));
    move |message| (*message == expected).then_some(())
}

#[tokio::test]
async fn a_screen_beside_a_seated_entrant_is_known_whether_or_not_the_entrant_follows() {
    let state = server();
    let driver = Arc::clone(&state);
    let driver = tokio::spawn(async move { driver.hub.run_tournaments().await });
    let _command = begin(&state, 4);
    let (own, other) = two_tables(&state, ANNA).await;
    let is_joined = |answer: &ServerMessage| matches!(answer, ServerMessage::Joined { .. });
    let (mut early, _early) = client(&state, None).await;
    assert!(is_joined(&watch(&mut early, other, "Early").await));
    let (mut afar, _afar) = client_from(&state, ELSEWHERE, None).await;
    assert!(is_joined(&watch(&mut afar, other, "Afar").await));
    // Anna doesn't follow the tournament.
    let (mut anna, _anna) = client(&state, Some(ANNA)).await;
    anna.send_join(own, "Anna", Role::Player).await;
    let (player, token) = receive_until(&mut anna, token).await;
    assert_eq!(receive_until(&mut early, goodbye).await, Farewell::SameBoards, "at once");
    assert_eq!(watch(&mut early, other, "Early").await, refused(Refusal::SameBoards));
    let follow = TournamentRequest::Follow { name: name(), pin: None };
    ask(&mut anna, follow).await;
    ask(&mut anna, TournamentRequest::Unfollow).await;
    receive_until(&mut anna, answer(TournamentUpdate::Done)).await;
    assert_eq!(watch(&mut early, other, "Early").await, refused(Refusal::SameBoards));
    // Anna comes back from where another one watches.
    let (mut moved, _moved) = client_from(&state, ELSEWHERE, None).await;
    moved.send(&ClientMessage::Resume { code: own, player, token }).await;
    assert!(is_joined(&moved.receive().await));
    assert_eq!(receive_until(&mut afar, goodbye).await, Farewell::SameBoards);
    assert!(is_joined(&watch(&mut early, other, "Early").await), "nobody races here any more");
    driver.abort();
}

#[tokio::test]
async fn a_spectator_s_seat_is_not_resumed_beside_an_entrant_of_another_table() {
    let state = server();
    let driver = Arc::clone(&state);
    let driver = tokio::spawn(async move { driver.hub.run_tournaments().await });
    let _command = begin(&state, 4);
    let (own, other) = two_tables(&state, ANNA).await;
    let (mut anna, _anna) = client(&state, Some(ANNA)).await;
    anna.send_join(own, "Anna", Role::Player).await;
    assert!(matches!(anna.receive().await, ServerMessage::Joined { .. }));
    let (mut afar, _afar) = client_from(&state, ELSEWHERE, None).await;
    afar.send_join(other, "Afar", Role::Spectator).await;
    let (player, token) = receive_until(&mut afar, token).await;
    let (mut beside, _beside) = client(&state, None).await;
    let resume = |token| ClientMessage::Resume { code: other, player, token };
    let wrong = ResumeToken::from_bytes([7; 32]);
    for (token, answer) in [(wrong, Refusal::NotResumed), (token, Refusal::SameBoards)] {
        beside.send(&resume(token)).await;
        assert_eq!(beside.receive().await, refused(answer));
    }
    driver.abort();
}

#[tokio::test]
async fn no_more_connections_of_one_key_follow_by_proving_it_afterwards() {
    let state = server();
    let _command = begin(&state, 4);
    let is_told = |why| answer(TournamentUpdate::Refused(why));
    let mut clients = Vec::new();
    for number in 1..=9 {
        let (mut client, served) = connect_to(&state, PIPE_BYTES).await;
        let ServerMessage::Welcome { challenge, .. } = client.hello().await else { panic!() };
        ask(&mut client, TournamentRequest::Follow { name: name(), pin: None }).await;
        let proof = key(ANNA).prove(challenge, "10.0.0.1", false);
        client.send(&ClientMessage::Identify(proof)).await;
        if number > 8 {
            receive_until(&mut client, is_told(TournamentError::TooManyFollowers)).await;
        }
        ask(&mut client, TournamentRequest::Unfollow).await;
        if number > 8 {
            receive_until(&mut client, is_told(TournamentError::NotFollowing)).await;
        } else {
            ask(&mut client, TournamentRequest::Follow { name: name(), pin: None }).await;
            client.send(&ClientMessage::Rooms).await;
            receive_until(&mut client, |message| {
                matches!(message, ServerMessage::Rooms(_)).then_some(())
            })
            .await;
        }
        clients.push((client, served));
    }
}

#[tokio::test]
async fn entrants_take_no_place_of_the_audience() {
    let state = server();
    let _command = begin(&state, 4);
    let tournament = state.hub.tournaments.find(&name()).unwrap();
    let follow = |number: Option<u8>| {
        let key = number.map(|number| key(number).public().fingerprint(false));
        let outbox = Arc::default();
        tournament.follow(&Requester { key, address: None, own_address: None, outbox }, None)
    };
    let _entrants: Vec<_> = (0..4).map(|number| follow(Some(number)).unwrap()).collect();
    let audience: Vec<_> = (0..4_096).map(|_| follow(None).unwrap()).collect();
    assert_eq!(follow(None).map(drop).unwrap_err(), TournamentError::TooManyFollowers);
    follow(Some(ORGANISER)).unwrap();
    drop(audience);
    follow(None).unwrap();
}
