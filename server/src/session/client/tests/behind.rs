//! A server with more to do than it can.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_server_that_is_behind_refuses_moves_and_what_follows_them_and_looks_at_repeats_anew() {
    let Peer { state, .. } = Peer::connect(PIPE).await;
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into());
    let mut admits = |seq| {
        let now = state.clock.now();
        client.admit_move(Seq(seq), now)
    };
    // It came in time, and what came later waits for longer and longer.
    assert!(admits(1));
    // Standings give way first.
    for seq in 2..6 {
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(admits(seq));
    }
    tokio::time::advance(Duration::from_millis(50)).await;
    assert!(admits(6), "one now and then, whatever it waited");
    assert_eq!([7, 8, 9].map(&mut admits), [false; 3]);
    let wake_latency = &client.wake_latency;
    // The next turn comes at once.
    let turn = wake_latency.of(std::future::ready(()));
    turn.await;
    let now = state.clock.now();
    assert!(!client.admit_move(Seq(10), now));
    assert!(client.admit_move(Seq(7), now));
    assert!(client.admit_move(Seq(8), now));
    assert!(client.pending_moves.is_empty());
}
