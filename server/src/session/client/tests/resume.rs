//! Lost connections and resumed seats.

use super::*;
use crate::hub::StandingRoom;
use crate::race::Newcomer;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test(start_paused = true)]
async fn a_room_waits_for_a_lost_connection_until_its_grace_expires() {
    let (mut client, served) = greet().await;
    let code = client.open().await;
    drop(client);
    served.task.await.unwrap();
    let state = served.state;
    for (second, is_open) in [(59, true), (61, false)] {
        let instant = state.clock.timer(ServerInstant(second * 1_000_000));
        tokio::select! {
            () = state.hub.run_reaper() => {}
            () = tokio::time::sleep_until(instant) => {}
        }
        assert_eq!(state.hub.find(code).is_some(), is_open, "{second} s");
    }
}

/// Connects, proves a key and asks for a seat; returns the answer.
async fn join_with_key(
    state: &Arc<ServerState>,
    code: RoomCode,
) -> (TestClient, Served, ServerMessage) {
    let (mut client, served) = connect_to(state, PIPE_BYTES).await;
    let ServerMessage::Welcome { challenge, .. } = client.hello().await else { unreachable!() };
    let proof = Key::from_bytes([7; 32]).prove(challenge, "10.0.0.1", false);
    client.send(&ClientMessage::Identify(proof)).await;
    client.send_join(code, "Anna", Role::Player).await;
    let answer = client.receive().await;
    (client, served, answer)
}

fn seat_in(answer: &ServerMessage) -> PlayerId {
    let ServerMessage::Joined { you, .. } = answer else { panic!("{answer:?}") };
    *you
}

#[tokio::test(start_paused = true)]
async fn a_client_with_the_same_key_takes_over_the_seat_of_a_silent_connection() {
    let state = server();
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let room = state.hub.open(options, None).unwrap();
    let (mut first, _first, joined) = join_with_key(&state, room.code()).await;
    let seat = seat_in(&joined);
    // While the first connection is active, another one doesn't get its seat.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(4)).await;
        first.send(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    let (_second, _second_served, answer) = join_with_key(&state, room.code()).await;
    assert_eq!(answer, refused(Refusal::NameTaken));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (_third, _third_served, joined) = join_with_key(&state, room.code()).await;
    assert_eq!(seat_in(&joined), seat);
    assert_eq!(room.members(), 1);
    first.assert_dismissed(Farewell::Superseded).await;
    assert_eq!(room.members(), 1, "closing the old connection doesn't vacate the seat");
}

#[tokio::test(start_paused = true)]
async fn clients_that_come_back_to_their_own_seats_use_up_no_attempts() {
    let state = server();
    let room = state.hub.open(HeatOptions::new("slide:3x3".parse().unwrap()), None).unwrap();
    let (client, served, joined) = join_with_key(&state, room.code()).await;
    let seat = seat_in(&joined);
    drop(client);
    served.task.await.unwrap();
    let (outbox, mut token) = (Arc::default(), Rng::default().token());
    let newcomer = Newcomer::person("Ben".parse().unwrap());
    let player = room.join(&outbox, newcomer, token.clone()).unwrap();
    // One attempt is left.
    let now = state.clock.now();
    while state.admission.take_attempt(ADDRESS, now) {}
    state.admission.refund_attempt(ADDRESS, now);
    for _ in 0..3 {
        let (mut client, served) = connect_to(&state, PIPE_BYTES).await;
        client.hello().await;
        client.send(&ClientMessage::Resume { code: room.code(), player, token }).await;
        assert_eq!(seat_in(&client.receive().await), player);
        let ServerMessage::Token { token: next, .. } = client.receive().await else { panic!() };
        token = next;
        drop(client);
        served.task.await.unwrap();
        let (client, served, joined) = join_with_key(&state, room.code()).await;
        assert_eq!(seat_in(&joined), seat);
        drop(client);
        served.task.await.unwrap();
    }
    assert!(
        state.admission.take_attempt(ADDRESS, now) && !state.admission.take_attempt(ADDRESS, now)
    );
}

#[tokio::test]
async fn a_client_that_finds_a_room_between_two_servers_or_two_openings_is_told_to_wait() {
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let standing = StandingRoom {
        name: None,
        options: options.clone(),
        seed: None,
        bots: Vec::new(),
        pin: None,
    };
    let (hub, codes) = Hub::new(vec![standing]).unwrap();
    let frozen = hub.open(options.clone(), None).unwrap();
    frozen.freeze();
    let closed = hub.open(options, None).unwrap();
    // As the hub does before it opens the standing one anew.
    assert!(hub.find(codes[0]).unwrap().close_if_empty() && closed.close_if_empty());
    let (mut client, _served) = connect_to(&server_with(hub), PIPE_BYTES).await;
    client.hello().await;
    let busy = [(frozen.code(), Refusal::Busy), (codes[0], Refusal::Busy)];
    for (code, why) in busy.into_iter().chain([(closed.code(), Refusal::NoSuchRoom)]) {
        client.send_join(code, "Anna", Role::Player).await;
        assert_eq!(client.receive().await, refused(why));
    }
}

#[tokio::test]
async fn resume_attempts_are_limited_like_attempts_at_codes() {
    let (mut client, served) = greet().await;
    let resume = ClientMessage::Resume {
        code: "KQZT".parse().unwrap(),
        player: PlayerId(1),
        token: Rng::default().token(),
    };
    client.send(&resume).await;
    assert_eq!(client.receive().await, refused(Refusal::NotResumed));
    let now = served.state.clock.now();
    while served.state.admission.take_attempt(ADDRESS, now) {}
    client.send(&resume).await;
    assert_eq!(client.receive().await, refused(Refusal::TooFast));
}
