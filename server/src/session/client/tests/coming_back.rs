//! Lost connections, and those who come back.

use super::*;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test(start_paused = true)]
async fn a_heat_waits_for_a_lost_connection_until_its_grace_is_over() {
    let mut peer = Peer::greeted().await;
    let code = peer.open().await;
    drop(peer.stream);
    peer.served.await.unwrap();
    let state = peer.state;
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

/// Comes to a server, proves a key and asks for a seat.
async fn anna(state: &Arc<ServerState>, code: RoomCode) -> Peer {
    let mut peer = Peer::connect_to(Arc::clone(state), PIPE).await;
    peer.hello().await;
    let Some(ServerMessage::Welcome { challenge, .. }) = peer.hear().await else {
        panic!("no welcome")
    };
    let proof = Key::from_bytes([7; 32]).prove(challenge, "10.0.0.1", false);
    peer.say(&ClientMessage::Identify(proof)).await;
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    peer.say(&ClientMessage::Join { code, entrant, role: Role::Player, pin: None }).await;
    peer
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_anew_by_the_same_key_has_the_seat_of_a_connection_that_is_silent() {
    let mut host = Peer::greeted().await;
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let heat = host.state.hub.open(options, None).unwrap();
    let (state, code) = (Arc::clone(&host.state), heat.code());
    host.say(&ClientMessage::Heats).await; // it is there, and has no seat
    let you = |heard| match heard {
        Some(ServerMessage::Joined { you, .. }) => you,
        other => panic!("{other:?}"),
    };
    let mut first = anna(&state, code).await;
    let seat = you(first.hear().await);
    // As long as something comes over it, it is hers, and the other one somebody else.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(4)).await;
        first.say(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut second = anna(&state, code).await;
    let taken = ServerMessage::Refused(Refusal::NameTaken);
    assert_eq!(second.hear().await, Some(taken));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut third = anna(&state, code).await;
    assert_eq!(you(third.hear().await), seat);
    assert_eq!(heat.members(), 1);
    let (farewell, closed, _) = first.end().await;
    assert_eq!(farewell, Some(Farewell::Superseded));
    assert_eq!(closed, Some(CloseCode::Superseded));
    assert_eq!(heat.members(), 1, "the end of the old one is nobody's loss");
}

#[tokio::test]
async fn tokens_are_tried_at_the_rate_of_codes() {
    let mut peer = Peer::greeted().await;
    let resume = ClientMessage::Resume {
        code: "KQZT".parse().unwrap(),
        player: PlayerId(1),
        token: rng::token(),
    };
    peer.say(&resume).await;
    let refused = |why| Some(ServerMessage::Refused(why));
    assert_eq!(peer.hear().await, refused(Refusal::NotResumed));
    let now = peer.state.clock.now();
    while peer.state.admission.take_attempt(ADDRESS, now) {}
    peer.say(&resume).await;
    assert_eq!(peer.hear().await, refused(Refusal::TooFast));
}
