//! Clients that exceed their rate.

use super::*;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test]
async fn too_many_messages_close_with_flooding() {
    let (mut client, _served) = greet().await;
    for _ in 0..200 {
        client.send(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    client.assert_dismissed(Farewell::Flooding).await;
}

#[tokio::test]
async fn requests_that_are_broadcast_cost_more() {
    let (mut client, _served) = greet().await;
    client.open().await;
    for ready in [true, false].repeat(25) {
        client.send(&ClientMessage::Ready { ready }).await;
    }
    client.assert_dismissed(Farewell::Flooding).await;
}

#[tokio::test(start_paused = true)]
async fn a_fast_player_stays_below_the_rate() {
    let (mut client, _served) = greet().await;
    let mut pace = tokio::time::interval(Duration::from_millis(33));
    for sent in (0..600).map(ClientInstant) {
        pace.tick().await;
        client.send(&ClientMessage::Ping { sent }).await;
        let answer = client.receive().await;
        let is_pong =
            matches!(answer, ServerMessage::Pong { sent: answered, .. } if answered == sent);
        assert!(is_pong, "{answer:?}");
    }
}
