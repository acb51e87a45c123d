//! HTTP: pages, the upgrade to WebSocket, and which origins may upgrade.

use crate::harness::{RawSocket, TestServer, options};
use gridrace_server::ServerConfig;
use gridrace_server::store::Archive;
use gridrace_shared::protocol::PATH;
use std::path::Path;

const BROWSER: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

#[tokio::test]
async fn the_index_is_text_for_curl_and_the_page_for_a_browser() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let open = anna.open("Anna", &options("slide:3x3")).await.to_string();
    let mut private = options("slide:4x4");
    private.private = true;
    let hidden = ben.open("Ben", &private).await.to_string();
    let text = RawSocket::get(server.address, "/", "Accept: */*\r\n").await;
    assert!(text.head.contains("content-type: text/plain"), "{}", text.head);
    for wanted in [&format!("gridrace join {open}"), "slide:3x3"] {
        assert!(text.body.contains(wanted), "{}", text.body);
    }
    assert!(!text.body.contains(&hidden), "a private room is not shown");
    let page = RawSocket::get(server.address, "/", BROWSER).await;
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    assert!(page.body.starts_with("<!doctype html>"), "{}", page.body);
}

#[tokio::test]
async fn every_address_of_the_page_has_its_content_policy() {
    let server = TestServer::start();
    let socket = format!("connect-src 'self' ws://{0} wss://{0};", server.address);
    for path in [
        "/",
        "/KQZT",
        "/kqzt",
        "/KQZT/tv",
        "/results",
        "/r/KQZT-20261121-3f9c",
        "/t/friday-cup",
        "/t/friday-cup/tv",
    ] {
        let page = RawSocket::get(server.address, path, BROWSER).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.starts_with("<!doctype html>"), "{path}");
        for wanted in ["default-src 'none'", "frame-ancestors 'none'", &socket] {
            assert!(page.head.contains(wanted), "{path}: {}", page.head);
        }
        assert!(!page.head.contains("unsafe-inline"), "{path}: {}", page.head);
    }
}

#[tokio::test]
async fn a_file_of_the_page_that_the_browser_has_is_not_sent_again() {
    let server = TestServer::start();
    let file = RawSocket::get(server.address, "/web/main.js", "").await;
    assert!(file.head.contains("content-type: text/javascript"), "{}", file.head);
    let tag = file.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let known = format!("If-None-Match: {tag}\r\n");
    assert_eq!(RawSocket::get(server.address, "/web/main.js", &known).await.status, 304);
    assert_eq!(RawSocket::get(server.address, "/web/style.css", &known).await.status, 200);
    let second_line = format!("If-None-Match: \"other\"\r\n{known}");
    assert_eq!(RawSocket::get(server.address, "/web/main.js", &second_line).await.status, 304);
    for path in ["/web/nothing.js", "/web/wasm.from", "/web/../Cargo.toml"] {
        assert_eq!(RawSocket::get(server.address, path, "").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_request_has_exactly_one_valid_host() {
    let server = TestServer::start();
    for (version, hosts, status) in [
        ("1.1", "", 400),
        ("1.1", "Host: here\r\nHost: here\r\n", 400),
        ("1.1", "Host: a b\r\n", 400),
        ("1.1", "Host: user@here\r\n", 400),
        ("1.1", "Host: here:7415\r\n", 200),
        ("1.1", "Host: \r\n", 200),
        ("1.0", "", 200),
    ] {
        let mut socket = RawSocket::connect(server.address).await;
        let request = format!("GET /healthz HTTP/{version}\r\n{hosts}\r\n");
        socket.send(request.as_bytes()).await;
        assert_eq!(socket.response_head().await.status, status, "{version} {hosts}");
    }
    let mut socket = RawSocket::connect(server.address).await;
    let handshake = format!(
        "GET {PATH} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.send(handshake.as_bytes()).await;
    assert_eq!(socket.response_head().await.status, 400);
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
async fn an_upgrade_agrees_on_the_first_known_subprotocol_or_is_refused_with_the_known_ones() {
    let server = TestServer::start();
    let both = "Sec-WebSocket-Protocol: chat, gridrace.v5.json, gridrace.v5.bincode\r\n";
    let unknown = "Sec-WebSocket-Protocol: chat, gridrace.v5.xml\r\n";
    for (offer, status, named) in
        [("", 101, &[][..]), (both, 101, &["json"]), (unknown, 426, &["bincode", "json"])]
    {
        let mut socket = RawSocket::connect(server.address).await;
        let answer = socket.ask_to_upgrade(server.address, offer).await;
        assert_eq!(answer.status, status, "{offer}");
        let is_named = |codec: &&str| answer.head.contains(&format!("gridrace.v5.{codec}"));
        let found: Vec<_> = ["bincode", "json"].into_iter().filter(is_named).collect();
        assert_eq!(found, named, "{}", answer.head);
    }
    let plain = RawSocket::get(server.address, PATH, "").await;
    assert_eq!(plain.status, 426);
    assert!(plain.head.contains("upgrade: websocket"));
}

#[tokio::test]
async fn pages_of_other_origins_and_rebound_host_names_cannot_open_a_websocket() {
    let server = TestServer::start_with(ServerConfig {
        origins: vec!["https://race.example".to_owned()],
        hosts: vec!["games.example".to_owned()],
        ..ServerConfig::default()
    });
    let own = server.address.to_string();
    for (host, origin, status) in [
        (own.as_str(), "http://evil.example", 403),
        (&own, "https://race.example", 101),
        (&own, &format!("http://{own}"), 101),
        ("evil.example", "http://evil.example", 403),
        ("games.example", "http://games.example", 101),
    ] {
        let mut socket = RawSocket::connect(server.address).await;
        let answer = socket.ask_to_upgrade(host, &format!("Origin: {origin}\r\n")).await;
        assert_eq!(answer.status, status, "{origin} at {host}");
    }
}

#[tokio::test]
async fn no_path_leads_to_a_file() {
    let server = TestServer::start();
    assert_eq!(RawSocket::get(server.address, "/healthz", "").await.status, 200);
    for path in [
        "/admin",
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
async fn browsers_get_a_page_where_there_is_nothing_and_other_clients_text() {
    let server = TestServer::start();
    for path in
        ["/abc", "/r/a.b", "/abc/tv", "/t/No_Name", "/t/none.grt", "/a/b/c", "/%ff", "/r/%ff"]
    {
        let answer = RawSocket::get(server.address, path, "").await;
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found; see /\n"), "{path}");
        let html = "Accept: text/html,*/*;q=0.8\r\nIf-None-Match: *\r\n";
        let answer = RawSocket::get(server.address, path, html).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.body.contains("<!doctype html>"), "{path}: {}", answer.body);
        assert!(answer.head.contains("frame-ancestors 'none'"), "{path}: {}", answer.head);
        assert!(answer.head.contains("cache-control: no-store"), "{path}: {}", answer.head);
    }
}

#[tokio::test]
async fn no_text_from_a_client_becomes_the_path_of_a_file() {
    const PATH_UP: &str = "../../../../tmp/x";
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = TestServer::start_at(&data);
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
    let files = [
        "gridrace.db",
        "gridrace.db-shm",
        "gridrace.db-wal",
        "journal-0000000000000001",
        "lock",
        "server.key",
    ];
    assert_eq!(names(&data), files);
}

#[tokio::test]
async fn the_links_of_a_room_and_a_tournament_are_served_as_qr_codes() {
    let server = TestServer::start();
    for path in ["/KQZT.svg", "/t/friday-cup.svg"] {
        let code = RawSocket::get(server.address, path, "").await;
        assert_eq!(code.status, 200, "{path}");
        assert!(code.head.contains("content-type: image/svg+xml"), "{}", code.head);
        assert!(code.body.starts_with("<svg ") && code.body.ends_with("</svg>"), "{}", code.body);
    }
    for other in ["/AEIO.svg", "/KQZT.png", "/.svg", "/KQZT.svg/more", "/t/a_b.svg", "/t/-/tv"] {
        assert_eq!(RawSocket::get(server.address, other, "").await.status, 404, "{other}");
    }
}
