//! More than one client may say.

use super::*;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test]
async fn a_flood_of_messages_is_dammed() {
    let mut peer = Peer::greeted().await;
    for _ in 0..200 {
        peer.say(&ClientMessage::Ping { sent: ClientInstant(0) }).await;
    }
    let (farewell, code, _) = peer.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Flooding), Some(CloseCode::Flooding)));
}

#[tokio::test]
async fn what_everybody_hears_of_is_dammed_sooner() {
    let mut peer = Peer::greeted().await;
    peer.open().await;
    for ready in [true, false].repeat(25) {
        peer.say(&ClientMessage::Ready { ready }).await;
    }
    assert_eq!(peer.end().await.0, Some(Farewell::Flooding));
}

#[tokio::test(start_paused = true)]
async fn a_quick_player_is_no_flood() {
    let mut peer = Peer::greeted().await;
    let mut pace = tokio::time::interval(Duration::from_millis(33));
    for sent in 0..600 {
        pace.tick().await;
        peer.say(&ClientMessage::Ping { sent: ClientInstant(sent) }).await;
        let pong = peer.hear().await;
        assert!(
            matches!(pong, Some(ServerMessage::Pong { sent: ClientInstant(s), .. }) if s == sent)
        );
    }
}
