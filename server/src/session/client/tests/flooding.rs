//! Clients that exceed their rate.

use super::*;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test]
async fn too_many_messages_close_with_flooding() {
    let mut client = TestClient::greeted().await;
    for _ in 0..200 {
        client.send(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    let (farewell, code, _) = client.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Flooding), Some(CloseCode::Flooding)));
}

#[tokio::test]
async fn requests_that_are_broadcast_cost_more() {
    let mut client = TestClient::greeted().await;
    client.open().await;
    for ready in [true, false].repeat(25) {
        client.send(&ClientMessage::Ready { ready }).await;
    }
    assert_eq!(client.end().await.0, Some(Farewell::Flooding));
}

#[tokio::test(start_paused = true)]
async fn a_fast_player_stays_below_the_rate() {
    let mut client = TestClient::greeted().await;
    let mut pace = tokio::time::interval(Duration::from_millis(33));
    for sent in 0..600 {
        pace.tick().await;
        client.send(&ClientMessage::Ping { sent: ClientInstant(sent) }).await;
        let pong = client.receive().await;
        assert!(
            matches!(pong, Some(ServerMessage::Pong { sent: ClientInstant(s), .. }) if s == sent)
        );
    }
}
