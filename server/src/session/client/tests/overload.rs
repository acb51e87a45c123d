//! Load shedding of moves.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_overloaded_server_sheds_moves_and_their_followers_and_admits_repeats() {
    let TestClient { state, .. } = TestClient::connect(PIPE_BYTES).await;
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into());
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let open = ClientMessage::Open { entrant, options, seed: None, pin: None };
    client.requests.handle(open, state.clock.now(), false);
    let mut admits = |seq| {
        let now = state.clock.now();
        client.admit_move(Seq(seq), now)
    };
    // The first move is in time; later ones wait longer and longer.
    assert!(admits(1));
    // Standings give way first.
    for seq in 2..6 {
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(admits(seq));
    }
    tokio::time::advance(Duration::from_millis(50)).await;
    assert!(admits(6), "a trickle is always admitted");
    assert_eq!([7, 8, 9].map(&mut admits), [false; 3]);
    let wake_latency = &client.wake_latency;
    // The next turn has no latency.
    let turn = wake_latency.measure(std::future::ready(()));
    turn.await;
    let now = state.clock.now();
    assert!(!client.admit_move(Seq(10), now));
    assert!(client.admit_move(Seq(7), now));
    assert!(client.admit_move(Seq(8), now));
    assert!(client.pending_moves.is_empty());
}
