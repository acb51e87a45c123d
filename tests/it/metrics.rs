//! The metrics, as a monitoring system reads them.

use crate::harness::raw::Response;
use crate::harness::{RawSocket, TestClient, options, pick, stored_at};
use gridrace_server::Server;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::grid::Cell;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server with a store, and the address of its metrics.
struct Watched {
    address: SocketAddr,
    apart: SocketAddr,
    running: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Watched {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let free = || TcpListener::bind("127.0.0.1:0");
        let (listener, metrics) = (free().await.unwrap(), free().await.unwrap());
        let apart = metrics.local_addr().unwrap();
        let server = Server::new(listener, stored_at(folder.path())).unwrap();
        server.serve_metrics(metrics);
        Self {
            address: server.address(),
            apart,
            running: tokio::spawn(server.run(std::future::pending())),
            _folder: folder,
        }
    }

    async fn client(&self) -> TestClient {
        TestClient::connect(self.address, Codec::Binary).await
    }

    /// Reads a metric; 0 if it has no value yet.
    async fn reads(&self, name: &str) -> f64 {
        let Response { status, body, .. } =
            RawSocket::get(self.apart, "/metrics", "Connection: close\r\n").await;
        assert_eq!(status, 200);
        let line = body.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(0.0, |number| number.trim().parse().unwrap())
    }
}

#[tokio::test]
async fn moves_response_times_hints_and_the_journal_are_counted() {
    let watched = Watched::start().await;
    let (mut anna, mut ben) = (watched.client().await, watched.client().await);
    let mut options = options("slide:4x4");
    options.hints = HintRule::Free;
    let code = anna.open("Anna", &options).await;
    ben.join(code, "Ben", Role::Player).await;
    assert_eq!(watched.reads("gridrace_rooms{phase=\"lobby\"}").await, 1.0);
    anna.say(ClientMessage::Move { seq: Seq(1), play: Move::Slide(Cell(0)) }).await;
    anna.start().await;
    ben.until_go().await;
    for _ in 0..3 {
        let play = anna.board().legal_moves().swap_remove(0);
        anna.play(play).await;
    }
    let off = Cell(99);
    anna.say(ClientMessage::Move { seq: Seq(4), play: Move::Slide(off) }).await;
    anna.until("both rejections", |client| client.rejections().len() == 2).await;
    // A played move is sent again, as after a lost connection.
    anna.say(ClientMessage::Move { seq: Seq(3), play: Move::Slide(off) }).await;
    let repeats = |client: &TestClient| {
        pick!(client, ServerMessage::Accepted { seq: Seq(3), .. } => ()).len()
    };
    anna.until("the answer to it", |client| repeats(client) == 2).await;
    ben.hint().await;

    let reads = |name| watched.reads(name);
    assert_eq!(reads("gridrace_connections").await, 2.0);
    assert_eq!(reads("gridrace_rooms{phase=\"running\"}").await, 1.0);
    assert_eq!(reads("gridrace_moves_total{verdict=\"accepted\"}").await, 3.0);
    assert_eq!(reads("gridrace_moves_total{verdict=\"early\"}").await, 1.0);
    assert_eq!(reads("gridrace_moves_total{verdict=\"illegal\"}").await, 1.0);
    assert_eq!(reads("gridrace_moves_total{verdict=\"repeated\"}").await, 1.0);
    assert_eq!(reads("gridrace_acknowledgement_seconds_count").await, 6.0);
    assert_eq!(reads("gridrace_hints_total{outcome=\"given\"}").await, 1.0);
    assert!(reads("gridrace_hint_nodes_total{outcome=\"given\"}").await > 0.0);
    assert_eq!(reads("gridrace_hint_seconds_count").await, 1.0);
    assert_eq!(reads("gridrace_journal_recording").await, 1.0);
    assert!(reads("gridrace_journal_commit_seconds_count").await > 0.0);
    assert!(reads("gridrace_journal_bytes_total").await > 0.0);
    watched.running.abort();
}

#[tokio::test]
async fn connections_closed_for_their_frames_are_counted_by_cause() {
    let watched = Watched::start().await;
    let mut socket = RawSocket::hello(watched.address, Codec::Binary).await;
    // A frame with a reserved bit set.
    socket.send(&[0xf2, 0x80, 0, 0, 0, 0]).await;
    socket.until_closed().await;
    let name = "gridrace_dismissed_total{cause=\"protocol\"}";
    assert_eq!(watched.reads(name).await, 1.0);
    watched.running.abort();
}

#[tokio::test]
async fn metrics_are_served_on_their_own_listener_only() {
    let watched = Watched::start().await;
    assert_eq!(RawSocket::get(watched.address, "/metrics", "").await.status, 404);
    // A page whose host name was rebound to this address reads nothing.
    for (host, status) in [("evil.example", 403), ("localhost:7416", 200)] {
        let mut page = RawSocket::connect(watched.apart).await;
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n");
        page.send(request.as_bytes()).await;
        assert_eq!(page.response_head().await.status, status, "{host}");
    }
    watched.running.abort();
}

#[tokio::test]
async fn an_endless_metrics_request_is_dropped_and_does_not_block_others() {
    let watched = Watched::start().await;
    let mut slow = Vec::new();
    for _ in 0..140 {
        let mut socket = RawSocket::connect(watched.apart).await;
        socket.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ").await;
        slow.push(socket);
    }
    assert_eq!(watched.reads("gridrace_connections").await, 0.0);
    for mut socket in slow {
        socket.until_end().await;
    }
    watched.running.abort();
}
