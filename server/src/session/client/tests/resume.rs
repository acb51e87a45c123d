//! Lost connections and resumed seats.

use super::*;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test(start_paused = true)]
async fn a_room_waits_for_a_lost_connection_until_its_grace_expires() {
    let mut client = TestClient::greeted().await;
    let code = client.open().await;
    drop(client.stream);
    client.served.await.unwrap();
    let state = client.state;
    let clock = state.clock;
    tokio::select! {
        () = state.hub.run_reaper() => {}
        () = tokio::time::sleep_until(clock.timer(ServerInstant(59_000_000))) => {}
    }
    assert!(state.hub.find(code).is_some());
    tokio::select! {
        () = state.hub.run_reaper() => {}
        () = tokio::time::sleep_until(clock.timer(ServerInstant(61_000_000))) => {}
    }
    assert!(state.hub.find(code).is_none());
}

/// Connects, proves a key and asks for a seat.
async fn join_with_key(state: &Arc<ServerState>, code: RoomCode) -> TestClient {
    let mut client = TestClient::connect_to(Arc::clone(state), PIPE_BYTES).await;
    client.hello().await;
    let Some(ServerMessage::Welcome { challenge, .. }) = client.receive().await else {
        panic!("no welcome")
    };
    let proof = Key::from_bytes([7; 32]).prove(challenge, "10.0.0.1", false);
    client.send(&ClientMessage::Identify(proof)).await;
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    client.send(&ClientMessage::Join { code, entrant, role: Role::Player, pin: None }).await;
    client
}

#[tokio::test(start_paused = true)]
async fn a_client_with_the_same_key_takes_over_the_seat_of_a_silent_connection() {
    let mut host = TestClient::greeted().await;
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let room = host.state.hub.open(options, None).unwrap();
    let (state, code) = (Arc::clone(&host.state), room.code());
    host.send(&ClientMessage::Heats).await; // it stays connected without a seat
    let you = |heard| match heard {
        Some(ServerMessage::Joined { you, .. }) => you,
        other => panic!("{other:?}"),
    };
    let mut first = join_with_key(&state, code).await;
    let seat = you(first.receive().await);
    // While the first connection is active, another one doesn't get its seat.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(4)).await;
        first.send(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut second = join_with_key(&state, code).await;
    let taken = ServerMessage::Refused(Refusal::NameTaken);
    assert_eq!(second.receive().await, Some(taken));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut third = join_with_key(&state, code).await;
    assert_eq!(you(third.receive().await), seat);
    assert_eq!(room.members(), 1);
    let (farewell, closed, _) = first.end().await;
    assert_eq!(farewell, Some(Farewell::Superseded));
    assert_eq!(closed, Some(CloseCode::Superseded));
    assert_eq!(room.members(), 1, "closing the old connection doesn't vacate the seat");
}

#[tokio::test]
async fn resume_attempts_are_limited_like_attempts_at_codes() {
    let mut client = TestClient::greeted().await;
    let resume = ClientMessage::Resume {
        code: "KQZT".parse().unwrap(),
        player: PlayerId(1),
        token: Rng::default().token(),
    };
    client.send(&resume).await;
    let refused = |why| Some(ServerMessage::Refused(why));
    assert_eq!(client.receive().await, refused(Refusal::NotResumed));
    let now = client.state.clock.now();
    while client.state.admission.take_attempt(ADDRESS, now) {}
    client.send(&resume).await;
    assert_eq!(client.receive().await, refused(Refusal::TooFast));
}
