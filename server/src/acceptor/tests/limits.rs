//! The limits by address behind proxies, of plain HTTP, and of clients that are turned away.

use super::*;
use crate::TrustedProxy;
use crate::http::metrics::metrics;
use axum::extract::State;
use axum::response::IntoResponse;

/// Burst of connections of one address.
const BURST: usize = 256;

fn forwarded(client: &str) -> String {
    format!("X-Forwarded-For: 198.51.100.1, {client}\r\n")
}

async fn is_admitted(mut client: TestClient) -> bool {
    let agent = "test".to_owned();
    let version = VERSION;
    client.send(&ClientMessage::Hello(Hello { version, agent })).await;
    let received = client.receive().await;
    received.is(|message| matches!(message, ServerMessage::Welcome { .. }))
}

#[tokio::test(start_paused = true)]
async fn clients_behind_a_trusted_proxy_count_by_their_own_address() {
    let proxies = vec![TrustedProxy::Address(Ipv4Addr::new(10, 0, 0, 9).into())];
    let server = TestServer::start_with(ServerConfig { proxies, ..ServerConfig::default() });
    let first = forwarded("203.0.113.7");
    let mut clients = Vec::new();
    for _ in 0..BURST {
        clients.push(server.connect_with(9, &first).await);
    }
    assert!(is_admitted(clients.pop().unwrap()).await);
    let mut refused = server.connect_with(9, &first).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    assert_eq!(refused.end().await, (Some(busy), 1013));
    let other = forwarded("203.0.113.8");
    assert!(is_admitted(server.connect_with(9, &other).await).await);
    // A connection without the header is the proxy's own.
    assert!(is_admitted(server.connect(9).await).await);
}

#[tokio::test(start_paused = true)]
async fn forwarded_addresses_of_other_peers_are_ignored() {
    let server = TestServer::start_with(ServerConfig {
        proxies: vec![TrustedProxy::Loopback],
        ..ServerConfig::default()
    });
    let mut clients = Vec::new();
    for n in 0..BURST {
        let another = forwarded(&format!("203.0.113.{n}"));
        clients.push(server.connect_with(1, &another).await);
    }
    let mut refused = server.connect_with(1, &forwarded("203.0.114.1")).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    assert_eq!(refused.end().await, (Some(busy), 1013));
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_connection_are_bounded() {
    let server = TestServer::start();
    let mut stream = server.open_stream(1);
    let page = "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    stream.write_all(page.repeat(100).as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).await.ok();
    let answers = String::from_utf8(answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), MAX_REQUESTS as usize);
    assert_eq!(answers.matches("connection: close").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropped_connections_are_counted() {
    let server = TestServer::start();
    let mut turned_away: Vec<_> =
        (0..BURST + MAX_TURNED_AWAY).map(|_| server.open_stream(1)).collect();
    let dropped = server.open_stream(1);
    read_to_end(dropped).await;
    assert!(turned_away.pop().unwrap().write_all(b"GET ").await.is_ok());
    let answer = metrics(State(Arc::clone(&server.state))).await;
    let body = answer.into_response().into_body();
    let text = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let line = "gridrace_dismissed_total{cause=\"unheard\"} 1\n";
    assert!(text.contains(line), "{text}");
}
