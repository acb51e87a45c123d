//! A server with more to do than it can.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_server_that_is_behind_refuses_moves_and_what_follows_them_and_looks_at_repeats_anew() {
    let Peer { shared, .. } = Peer::connect(PIPE).await;
    let mut client = Client::new(Arc::clone(&shared), ADDRESS, "".into());
    let mut takes_on = |seq| {
        let now = shared.clock.now();
        client.takes_on(Seq(seq), now)
    };
    // It came in time, and what came later waits for longer and longer.
    assert!(takes_on(1));
    // Standings give way first.
    for seq in 2..6 {
        tokio::time::advance(Duration::from_millis(50)).await;
        assert!(takes_on(seq));
    }
    tokio::time::advance(Duration::from_millis(50)).await;
    assert!(takes_on(6), "one now and then, whatever it waited");
    assert_eq!([7, 8, 9].map(&mut takes_on), [false; 3]);
    let Client { outbox, wait, .. } = &client;
    let refused = outbox.take().frames;
    let refused = refused.iter().map(|frame| frame.message().verdict());
    let busy = |seq| Some(Verdict::Rejected(Seq(seq), Rejection::Busy));
    assert!(refused.eq([7, 8, 9].map(busy)));
    // The next turn comes at once.
    let turn = wait.of(std::future::ready(()));
    turn.await;
    let now = shared.clock.now();
    assert!(!client.takes_on(Seq(10), now));
    assert!(client.takes_on(Seq(7), now));
    assert!(client.takes_on(Seq(8), now));
    assert!(client.asked.is_empty());
}
