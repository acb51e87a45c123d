//! HTTP: pages, the upgrade to WebSocket, and which origins may upgrade.

use crate::harness::{RawSocket, TestClient, TestServer, options};
use gridrace_server::store::{Archive, Data};
use gridrace_server::{Server, ServerConfig};
use gridrace_shared::protocol::PATH;
use gridrace_shared::protocol::codec::Codec;
use std::path::Path;
use tokio::net::TcpListener;

#[tokio::test]
async fn the_index_for_curl_is_text_that_says_how_to_join() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:3x3")).await.to_string();
    let index = RawSocket::get(server.address, "/", "Accept: */*\r\n").await;
    assert_eq!(index.status, 200);
    assert!(index.head.contains("content-type: text/plain"));
    let command = format!("gridrace join {code}");
    assert!(index.body.contains(&command), "{}", index.body);
    assert!(index.body.contains(&code) && index.body.contains("slide:3x3"), "{}", index.body);
    assert!(!index.body.contains('<'));
}

#[tokio::test]
async fn behind_a_tls_proxy_the_index_shows_tls_addresses() {
    let server = TestServer::start();
    for (header, scheme) in [("X-Forwarded-Proto: https\r\n", "wss://"), ("", "ws://")] {
        let index = RawSocket::get(server.address, "/", header).await;
        let socket = format!("{scheme}{}/ws speaks", server.address);
        assert!(index.body.contains(&socket), "{}", index.body);
    }
}

#[tokio::test]
async fn the_index_for_a_browser_is_html() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let mut private = options("slide:3x3");
    private.private = true;
    let code = anna.open("Anna", &private).await.to_string();
    let accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    let index = RawSocket::get(server.address, "/", accept).await;
    assert_eq!(index.status, 200);
    assert!(index.head.contains("content-type: text/html"));
    assert!(index.body.starts_with("<!doctype html>"));
    assert!(!index.body.contains(&code), "a private heat is not shown");
}

#[tokio::test]
async fn healthz_answers_ok_and_unknown_paths_404() {
    let server = TestServer::start();
    assert_eq!(RawSocket::get(server.address, "/healthz", "").await.status, 200);
    assert_eq!(RawSocket::get(server.address, "/admin", "").await.status, 404);
}

#[tokio::test]
async fn a_plain_get_of_the_websocket_path_is_answered_with_upgrade_required() {
    let server = TestServer::start();
    let answer = RawSocket::get(server.address, PATH, "").await;
    assert_eq!(answer.status, 426);
    assert!(answer.head.contains("upgrade: websocket"));
}

#[tokio::test]
async fn unknown_subprotocols_are_refused_with_the_known_ones() {
    let server = TestServer::start();
    let answer = ask(&server, "Sec-WebSocket-Protocol: chat, gridrace.v9.json\r\n").await;
    assert_eq!(answer.status, 426);
    for codec in Codec::ALL {
        assert!(answer.head.contains(codec.subprotocol()), "{}", answer.head);
    }
}

#[tokio::test]
async fn the_first_known_subprotocol_is_chosen_and_json_is_the_default() {
    let server = TestServer::start();
    let offer = "Sec-WebSocket-Protocol: chat, gridrace.v4.json, gridrace.v4.bincode\r\n";
    let answer = ask(&server, offer).await;
    assert_eq!(answer.status, 101);
    assert!(answer.head.contains("sec-websocket-protocol: gridrace.v4.json\r\n"));
    let answer = ask(&server, "").await;
    assert_eq!(answer.status, 101);
    assert!(!answer.head.contains("sec-websocket-protocol"));
}

#[tokio::test]
async fn metrics_are_served_on_their_own_listener_only() {
    let free = || TcpListener::bind("127.0.0.1:0");
    let (listener, metrics) = (free().await.unwrap(), free().await.unwrap());
    let (address, apart) = (listener.local_addr().unwrap(), metrics.local_addr().unwrap());
    let server = Server::new(listener, ServerConfig::default()).unwrap();
    server.serve_metrics(metrics);
    let running = tokio::spawn(server.run(std::future::pending()));
    let mut anna = TestClient::hello(address, Codec::Binary).await;
    anna.open("Anna", &options("slide:3x3")).await;
    let told = RawSocket::get(apart, "/metrics", "Connection: close\r\n").await;
    assert_eq!(told.status, 200);
    for line in ["gridrace_connections 1\n", "gridrace_heats{phase=\"lobby\"} 1\n"] {
        assert!(told.body.contains(line), "{}", told.body);
    }
    assert_eq!(RawSocket::get(address, "/metrics", "").await.status, 404);
    // A page whose host name was rebound to this address reads nothing.
    for (host, status) in [("evil.example", 403), ("localhost:7416", 200)] {
        let mut page = RawSocket::connect(apart).await;
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n");
        page.send(request.as_bytes()).await;
        assert_eq!(page.response_head().await.status, status, "{host}");
    }
    running.abort();
}

#[tokio::test]
async fn an_endless_metrics_request_is_dropped_and_does_not_block_others() {
    let free = || TcpListener::bind("127.0.0.1:0");
    let metrics = free().await.unwrap();
    let apart = metrics.local_addr().unwrap();
    let server = Server::new(free().await.unwrap(), ServerConfig::default()).unwrap();
    server.serve_metrics(metrics);
    let mut slow = Vec::new();
    for _ in 0..140 {
        let mut socket = RawSocket::connect(apart).await;
        socket.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ").await;
        slow.push(socket);
    }
    let told = RawSocket::get(apart, "/metrics", "").await;
    assert_eq!(told.status, 200);
    for mut socket in slow {
        socket.until_end().await;
    }
}

#[tokio::test]
async fn pages_of_other_origins_cannot_open_a_websocket() {
    let origins = vec!["https://race.example".to_owned()];
    let server = TestServer::start_with(ServerConfig { origins, ..ServerConfig::default() });
    let own = format!("http://{}", server.address);
    for (origin, status) in [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1", 403),
        ("https://race.example.evil.example", 403),
        ("https://race.example", 101),
        (&own, 101),
    ] {
        let answer = ask(&server, &format!("Origin: {origin}\r\n")).await;
        assert_eq!(answer.status, status, "{origin}");
    }
}

#[tokio::test]
async fn no_path_leads_to_a_file() {
    let server = TestServer::start();
    for path in [
        "/etc/passwd",
        "/../../../../../../etc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/Cargo.toml",
        "/ws/../Cargo.toml",
        "/healthz/../../Cargo.toml",
        "/Cargo.toml%00",
        "http://here/Cargo.toml",
    ] {
        let answer = RawSocket::get(server.address, path, "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.body, "not found; see /\n", "{path}");
    }
}

#[tokio::test]
async fn no_text_from_a_client_becomes_the_path_of_a_file() {
    const PATH_UP: &str = "../../../../tmp/x";
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = TestServer::start_with(ServerConfig {
        data: Data::At(data.clone()),
        ..ServerConfig::default()
    });
    // A name may contain dots and slashes.
    let mut anna = server.client().await;
    let mut two = options("slide:2x2");
    two.private = true;
    anna.open(PATH_UP, &two).await;
    anna.start().await;
    anna.finish().await;
    anna.until_over().await;
    for path in ["/heats/../../data/gridrace.db", "/gridrace.db", "/data/lock"] {
        let answer = RawSocket::get(server.address, path, "").await;
        assert_eq!(answer.status, 404, "{path}");
    }
    let archive = Archive::at(&data);
    let kept = archive.latest(9).unwrap();
    assert!(kept[0].result.contains("standings") && kept.len() == 1);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    assert!(kept[0].id.chars().all(plain), "{}", kept[0].id);
    for id in [PATH_UP, "/etc/passwd", "gridrace.db"] {
        assert_eq!(archive.replay(id).unwrap(), None);
    }
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(folder.path()), ["data"]);
    let files = ["gridrace.db", "gridrace.db-shm", "gridrace.db-wal", "lock"];
    assert_eq!(names(&data), files);
}

#[tokio::test]
async fn a_rebound_host_name_cannot_open_a_websocket() {
    let hosts = vec!["hall.example".to_owned()];
    let server = TestServer::start_with(ServerConfig { hosts, ..ServerConfig::default() });
    for (host, status) in [("evil.example", 403), ("hall.example", 101), ("localhost", 101)] {
        let mut socket = RawSocket::connect(server.address).await;
        let answer = socket.ask_to_upgrade(host, &format!("Origin: http://{host}\r\n")).await;
        assert_eq!(answer.status, status, "{host}");
    }
}

async fn ask(server: &TestServer, headers: &str) -> crate::harness::raw::Response {
    let mut socket = RawSocket::connect(server.address).await;
    socket.ask_to_upgrade(server.address, headers).await
}
