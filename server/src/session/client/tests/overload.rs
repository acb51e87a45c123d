//! Load shedding of moves.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_overloaded_server_sheds_moves_that_wait_and_admits_others() {
    let state = server();
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into(), Codec::Json);
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let open = ClientMessage::Open { entrant, options, seed: None, pin: None };
    client.requests.handle(open, state.clock.now(), false);
    let admits = || client.admit_move(state.clock.now());
    // The first move is in time; later ones wait longer and longer. Standings are shed first.
    assert!(admits());
    for _ in 0..4 {
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(admits());
    }
    tokio::time::advance(Duration::from_millis(50)).await;
    assert!(admits(), "a trickle is always admitted");
    assert!([(); 3].iter().all(|()| !admits()));
    // The next turn has no latency.
    client.wake_latency.measure(std::future::ready(())).await;
    assert!(admits());
    assert!(client.pending_moves.is_empty());
}
