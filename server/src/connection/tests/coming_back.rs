//! Lost connections, and those who come back.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_heat_waits_for_a_lost_connection_until_its_grace_is_over() {
    let mut peer = Peer::greeted().await;
    let code = peer.open().await;
    drop(peer.stream);
    peer.served.await.unwrap();
    let shared = peer.shared;
    let clock = shared.clock;
    tokio::select! {
        () = shared.hub.keep_tidy() => {}
        () = tokio::time::sleep_until(clock.timer(Micros(59_000_000))) => {}
    }
    assert!(shared.hub.find(code).is_some());
    tokio::select! {
        () = shared.hub.keep_tidy() => {}
        () = tokio::time::sleep_until(clock.timer(Micros(61_000_000))) => {}
    }
    assert!(shared.hub.find(code).is_none());
}

#[tokio::test]
async fn tokens_are_tried_at_the_rate_of_codes() {
    let mut peer = Peer::greeted().await;
    let resume = ClientMessage::Resume {
        code: "KQZT".parse().unwrap(),
        player: PlayerId(1),
        token: entropy::token(),
    };
    peer.say(&resume).await;
    let refused = |why| Some(ServerMessage::Refused(why));
    assert_eq!(peer.hear().await, refused(Refusal::NotResumed));
    let now = peer.shared.clock.now();
    while peer.shared.admission.attempt(ADDRESS, now) {}
    peer.say(&resume).await;
    assert_eq!(peer.hear().await, refused(Refusal::TooFast));
}
