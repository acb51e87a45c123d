//! Load shedding of moves.

use super::*;
use crate::platform::shards::Shards;

#[tokio::test(start_paused = true)]
async fn an_overloaded_server_sheds_moves_that_wait_and_admits_others() {
    let state = server();
    let client = member(&state);
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
    let wake_latency = Arc::clone(&client.wake_latency);
    wake_latency.measure(std::future::ready(())).await;
    assert!(admits());
    assert!(client.pending_moves.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_gets_little_processor_time_admits_moves_however_late_they_are() {
    let mut services = Services::for_test();
    // Judged by the processor time of this process, while the clock passes much faster.
    services.shards = Arc::new(Shards::start(0, true).unwrap());
    let state = server_on(services);
    let client = member(&state);
    for _ in 0..1_000 {
        tokio::time::advance(Duration::from_millis(100)).await;
        assert!((0..3).all(|_| client.admit_move(state.clock.now())));
    }
}

/// A client that has opened a room.
fn member(state: &Arc<ServerState>) -> Client {
    let mut client = Client::new(Arc::clone(state), ADDRESS, "".into(), Codec::Json);
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let open = ClientMessage::Open { entrant, options, seed: None, pin: None };
    client.requests.handle(open, state.clock.now(), false);
    client
}
