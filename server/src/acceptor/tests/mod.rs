//! The acceptor over in-memory pipes: clients from any address, and a clock that advances only
//! while every task waits for it.

mod limits;
mod room_panics;

use super::*;
use crate::http::connection_limits::{HEADER_TIMEOUT, MAX_HEADER_BYTES, MAX_HEADERS};
use crate::platform::clock::Clock;
use crate::test_client::TestClient;
use crate::transport::listener::listen;
use crate::{Server, ServerConfig};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::util::time::ServerInstant;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::{Mutex, mpsc};

/// Capacity of a pipe in bytes.
const PIPE_BYTES: usize = 16 * 1024;
/// Burst of connections of one address.
const BURST: usize = 256;
/// The farewell of an address that has exceeded its burst.
const BUSY: Farewell = Farewell::Busy { retry_seconds: 2 };

type Accepted = io::Result<(DuplexStream, SocketAddr)>;

/// The client that connects from the server's machine.
const OWN_MACHINE: u32 = 7_415;

/// A listener whose connections the test opens.
struct PipeListener(Mutex<mpsc::UnboundedReceiver<Accepted>>);

impl Listener for PipeListener {
    type Stream = DuplexStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok((Ipv4Addr::LOCALHOST, 7415).into())
    }

    fn is_own_machine(_: &DuplexStream, peer: IpAddr) -> bool {
        peer == test_address(OWN_MACHINE)
    }

    async fn accept(&self) -> Accepted {
        match self.0.lock().await.recv().await {
            Some(arrival) => arrival,
            None => std::future::pending().await,
        }
    }
}

/// A running server, and the way to connect to it.
struct TestServer {
    send: mpsc::UnboundedSender<Accepted>,
    state: Arc<ServerState>,
}

impl TestServer {
    fn start() -> Self {
        Self::start_with(ServerConfig::default())
    }

    fn start_with(config: ServerConfig) -> Self {
        let (send, receive) = mpsc::unbounded_channel();
        let pipes = PipeListener(Mutex::new(receive));
        let server = Server::new(pipes, config).unwrap();
        let state = Arc::clone(&server.state);
        tokio::spawn(server.run(std::future::pending()));
        Self { send, state }
    }

    fn open_stream(&self, from: u32) -> DuplexStream {
        let (client, server) = tokio::io::duplex(PIPE_BYTES);
        self.send.send(Ok((server, (test_address(from), 50_000).into()))).unwrap();
        client
    }

    fn fail_accept(&self, error: io::Error) {
        self.send.send(Err(error)).unwrap();
    }

    /// Connects and completes the handshake.
    async fn connect(&self, from: u32) -> TestClient {
        self.connect_with(from, "").await
    }

    /// Like [`Self::connect`], with further header lines.
    async fn connect_with(&self, from: u32, headers: &str) -> TestClient {
        let mut stream = self.open_stream(from);
        let head = send_request(&mut stream, &upgrade(headers)).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        TestClient::new(stream).await
    }

    /// Connects and completes the hello.
    async fn greet(&self, from: u32) -> TestClient {
        let mut client = self.connect(from).await;
        client.hello().await;
        client
    }
}

fn test_address(from: u32) -> IpAddr {
    Ipv4Addr::from_bits(0x0a00_0000 + from).into()
}

fn upgrade(headers: &str) -> String {
    format!(
        "GET {PATH} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: {}\r\n{headers}\r\n",
        Codec::Json.subprotocol()
    )
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n")
}

/// Sends a request; returns the head of the answer.
async fn send_request(stream: &mut DuplexStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    read_head(stream).await
}

async fn read_head(stream: &mut DuplexStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// Waits until the server has closed a connection; returns what it sent.
async fn read_to_end(mut stream: DuplexStream) -> String {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok();
    String::from_utf8(rest).unwrap()
}

#[tokio::test(start_paused = true)]
async fn slow_handshakes_by_the_thousand_do_not_delay_a_good_client() {
    let server = TestServer::start();
    let clock = Clock::start();
    let mut slow = Vec::new();
    for n in 0..2_000 {
        // At most an address's burst from each.
        let mut stream = server.open_stream(n / 200);
        let half = upgrade("");
        stream.write_all(&half.as_bytes()[..n as usize % half.len()]).await.unwrap();
        slow.push(stream);
    }
    server.greet(1_000).await.open().await;
    assert_eq!(clock.now(), ServerInstant(0), "nothing was delayed");
    for stream in slow {
        read_to_end(stream).await;
    }
    let waited = Duration::from_micros(clock.now().0);
    assert!(waited >= HEADER_TIMEOUT);
    assert!(waited < HEADER_TIMEOUT + Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn clients_above_the_rate_are_told_when_to_retry_and_others_are_admitted() {
    let server = TestServer::start();
    let mut burst = Vec::new();
    for _ in 0..BURST {
        burst.push(server.connect(1).await);
    }
    server.connect(1).await.assert_dismissed(BUSY).await;
    let head = send_request(&mut server.open_stream(1), &get("/")).await;
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    assert!(head.contains("retry-after: 2\r\n"), "{head}");

    server.greet(2).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    server.greet(1).await;
}

#[tokio::test(start_paused = true)]
async fn the_servers_own_machine_has_no_limits_by_address() {
    let server = TestServer::start();
    let mut connections = Vec::new();
    for _ in 0..=BURST {
        connections.push(server.connect(OWN_MACHINE).await);
    }
    connections.pop().unwrap().hello().await;
}

#[tokio::test(start_paused = true)]
async fn without_file_descriptors_the_acceptor_pauses_and_continues() {
    const OUT_OF_FILES: [i32; 2] = [24, 23];
    let server = TestServer::start();
    let clock = Clock::start();
    for code in OUT_OF_FILES {
        server.fail_accept(io::Error::from_raw_os_error(code));
    }
    server.greet(1).await;
    assert!(clock.now() >= ServerInstant(200_000), "it pauses between attempts");
    server.fail_accept(ErrorKind::ConnectionAborted.into());
    let before = clock.now();
    server.greet(1).await;
    assert_eq!(clock.now(), before, "a peer's reset causes no pause");
}

#[tokio::test(start_paused = true)]
async fn too_long_heads_and_too_many_headers_are_refused() {
    let server = TestServer::start();
    let headers = |count| (0..count).map(|n| format!("X-{n}: y\r\n")).collect::<String>();
    let long = format!("X-Long: {}\r\n", "x".repeat(MAX_HEADER_BYTES));
    for (headers, status) in [(long, 431), (headers(MAX_HEADERS + 1), 431), (headers(40), 101)] {
        let head = send_request(&mut server.open_stream(1), &upgrade(&headers)).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_http_connection_is_closed_after_its_timeout() {
    let server = TestServer::start();
    let clock = Clock::start();
    let mut stream = server.open_stream(1);
    while clock.now() < ServerInstant(60_000_000) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stream.write_all(get("/healthz").as_bytes()).await.is_err() {
            break;
        }
    }
    read_to_end(stream).await;
    assert!(clock.now() <= ServerInstant(20_000_000), "{:?}", clock.now());
}

#[tokio::test]
async fn the_accept_queue_holds_many_simultaneous_clients() {
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Nothing is accepted meanwhile; beyond the backlog the system delays clients by retries.
    for _ in 0..500 {
        let connected = timeout(Duration::from_secs(30), tokio::net::TcpStream::connect(address));
        waiting.push(connected.await.expect("room in the backlog").unwrap());
    }
    for _ in &waiting {
        listener.accept().await.unwrap();
    }
}
