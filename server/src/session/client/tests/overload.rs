//! Load shedding of moves.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_overloaded_server_sheds_moves_and_their_followers_and_admits_repeats() {
    let state = server();
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into(), Codec::Json);
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let open = ClientMessage::Open { entrant, options, seed: None, pin: None };
    client.requests.handle(open, state.clock.now(), false);
    let mut admits = |seq| {
        let now = state.clock.now();
        client.admit_move(Seq(seq), now)
    };
    // The first move is in time; later ones wait longer and longer. Standings are shed first.
    assert!(admits(1));
    for seq in 2..6 {
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(admits(seq));
    }
    tokio::time::advance(Duration::from_millis(50)).await;
    assert!(admits(6), "a trickle is always admitted");
    assert_eq!([7, 8, 9].map(&mut admits), [false; 3]);
    // The next turn has no latency.
    client.wake_latency.measure(std::future::ready(())).await;
    let now = state.clock.now();
    assert_eq!([10, 7, 8].map(|seq| client.admit_move(Seq(seq), now)), [false, true, true]);
    assert!(client.pending_moves.is_empty());
}
