//! The limits by address behind proxies, of plain HTTP, and of clients that are turned away.

use super::*;
use crate::TrustedProxy;
use crate::http::connection_limits::MIN_WRITTEN;
use crate::http::metrics::metrics;
use axum::extract::State;
use axum::response::IntoResponse;

fn forwarded(client: &str) -> String {
    format!("X-Forwarded-For: 198.51.100.1, {client}\r\n")
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
    clients.pop().unwrap().hello().await;
    server.connect_with(9, &first).await.assert_dismissed(BUSY).await;
    server.connect_with(9, &forwarded("203.0.113.8")).await.hello().await;
    // A connection without the header is the proxy's own.
    server.greet(9).await;
}

#[tokio::test(start_paused = true)]
async fn forwarded_addresses_of_other_peers_are_ignored() {
    let proxies = vec![TrustedProxy::Loopback];
    let server = TestServer::start_with(ServerConfig { proxies, ..ServerConfig::default() });
    let mut clients = Vec::new();
    for n in 0..BURST {
        clients.push(server.connect_with(1, &forwarded(&format!("203.0.113.{n}"))).await);
    }
    let mut refused = server.connect_with(1, &forwarded("203.0.114.1")).await;
    refused.assert_dismissed(BUSY).await;
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_connection_are_bounded() {
    let server = TestServer::start();
    let mut stream = server.open_stream(1);
    stream.write_all(get("/healthz").repeat(100).as_bytes()).await.unwrap();
    let answers = read_to_end(stream).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), MAX_REQUESTS as usize);
    assert_eq!(answers.matches("connection: close").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_last_request_of_a_connection_may_be_a_handshake() {
    let server = TestServer::start();
    let mut stream = server.open_stream(1);
    for _ in 1..MAX_REQUESTS {
        let head = send_request(&mut stream, &get("/healthz")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        stream.read_exact(&mut [0; 3]).await.unwrap();
    }
    let head = send_request(&mut stream, &upgrade("")).await;
    assert!(head.starts_with("HTTP/1.1 101") && !head.contains("close"), "{head}");
    TestClient::new(stream).await.hello().await;
}

#[tokio::test(start_paused = true)]
async fn of_seven_hundred_simultaneous_arrivals_each_is_admitted_or_told_when_to_retry() {
    let server = TestServer::start();
    let mut arrivals: Vec<_> = (0..700).map(|_| server.open_stream(1)).collect();
    for stream in &mut arrivals {
        stream.write_all(upgrade("").as_bytes()).await.unwrap();
    }
    let mut welcome = 0;
    for mut stream in arrivals {
        let head = read_head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        let mut client = TestClient::new(stream).await;
        client.send_hello().await;
        match client.receive_or_end().await {
            Ok(ServerMessage::Welcome { .. }) => welcome += 1,
            Ok(ServerMessage::Goodbye(farewell)) => {
                assert_eq!(farewell, BUSY);
                assert_eq!(client.end().await.code, Some(BUSY.into()));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(welcome, BURST);
}

#[tokio::test(start_paused = true)]
async fn dropped_connections_are_counted() {
    let server = TestServer::start();
    let mut turned_away: Vec<_> =
        (0..BURST + MAX_TURNED_AWAY).map(|_| server.open_stream(1)).collect();
    read_to_end(server.open_stream(1)).await;
    assert!(turned_away.pop().unwrap().write_all(b"GET ").await.is_ok());
    let answer = metrics(State(Arc::clone(&server.state))).await;
    let body = answer.into_response().into_body();
    let text = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let line = "gridrace_dismissed_total{cause=\"unheard\"} 1\n";
    assert!(text.contains(line), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_reaches_a_slow_reader_unless_it_hardly_reads() {
    let folder = tempfile::tempdir().unwrap();
    let length = 8 * MIN_WRITTEN as usize;
    std::fs::write(folder.path().join("style.css"), " ".repeat(length)).unwrap();
    let web_dir = Some(folder.path().to_owned());
    let server = TestServer::start_with(ServerConfig { web_dir, ..ServerConfig::default() });
    let least = MIN_WRITTEN / HTTP_CONNECTION_TIMEOUT.as_secs();
    for (bytes_a_second, is_served) in [(2 * least, true), (1, false)] {
        let mut stream = server.open_stream(1);
        let head = send_request(&mut stream, &get("/web/style.css")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        for _ in 0..2 * HTTP_CONNECTION_TIMEOUT.as_secs() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut read = vec![0; bytes_a_second as usize];
            stream.read_exact(&mut read).await.unwrap();
        }
        let read = 2 * HTTP_CONNECTION_TIMEOUT.as_secs() * bytes_a_second;
        let rest = read_to_end(stream).await.len();
        let is_whole = read as usize + rest == length;
        assert_eq!(is_whole, is_served, "{bytes_a_second} bytes a second, then {rest}");
    }
}
