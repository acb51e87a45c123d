//! The acceptor over in-memory pipes: clients from any address, and a clock that advances only
//! while every task waits for it.

mod limits;
mod room_panics;

use super::*;
use crate::http::connection_limits::{HEADER_TIMEOUT, MAX_HEADER_BYTES, MAX_HEADERS};
use crate::platform::clock::Clock;
use crate::transport::listener::listen;
use crate::{Server, ServerConfig};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello, Role as Part};
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT, decode_text};
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::protocol::{PATH, VERSION};
use gridrace_shared::util::time::ServerInstant;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::{Mutex, mpsc};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// Capacity of a pipe in bytes.
const PIPE_BYTES: usize = 16 * 1024;

type Accepted = io::Result<(DuplexStream, SocketAddr)>;

/// A listener whose connections the test opens.
struct PipeListener(Mutex<mpsc::UnboundedReceiver<Accepted>>);

impl Listener for PipeListener {
    type Stream = DuplexStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok((Ipv4Addr::LOCALHOST, 7415).into())
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
        let address = Ipv4Addr::from_bits(0x0a00_0000 + from);
        self.send.send(Ok((server, (address, 50_000).into()))).unwrap();
        client
    }

    fn fail_accept(&self, error: io::Error) {
        self.send.send(Err(error)).unwrap();
    }

    /// Connects and completes the handshake.
    async fn connect(&self, from: u32) -> TestClient {
        self.connect_with(from, "").await
    }

    /// Like [`Self::client`], with further header lines.
    async fn connect_with(&self, from: u32, headers: &str) -> TestClient {
        let mut stream = self.open_stream(from);
        let head = send_request(&mut stream, &upgrade(headers)).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        TestClient(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }
}

struct TestClient(WebSocketStream<DuplexStream>);

impl TestClient {
    async fn send(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).unwrap();
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn receive(&mut self) -> Received {
        loop {
            match self.0.next().await.unwrap().unwrap() {
                Message::Text(text) => {
                    let message = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                    return Received::Message(Box::new(message));
                }
                Message::Close(frame) => return Received::Closed(frame.unwrap().code.into()),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Binary(_) | Message::Frame(_) => panic!("not in JSON"),
            }
        }
    }

    async fn hello(&mut self) {
        let agent = "test".to_owned();
        let version = VERSION;
        self.send(&ClientMessage::Hello(Hello { version, agent })).await;
        let received = self.receive().await;
        assert!(received.is(|message| matches!(message, ServerMessage::Welcome { .. })));
    }

    async fn open(&mut self) -> RoomCode {
        let entrant = Entrant { name: "Anna".to_owned(), bot: false };
        self.send(&ClientMessage::Open {
            entrant,
            options: HeatOptions::new("slide:3x3".parse().unwrap()),
            seed: None,
            pin: None,
        })
        .await;
        let code = self.joined().await;
        assert!(matches!(self.receive().await, Received::Message(_)), "the token");
        code
    }

    async fn join(&mut self, code: RoomCode) {
        let entrant = Entrant { name: "Ben".to_owned(), bot: false };
        self.send(&ClientMessage::Join { code, entrant, role: Part::Spectator, pin: None }).await;
        self.joined().await;
    }

    async fn joined(&mut self) -> RoomCode {
        let received = self.receive().await;
        if let Received::Message(message) = &received
            && let ServerMessage::Joined { heat, .. } = &**message
        {
            return heat.code;
        }
        panic!("{received:?}")
    }

    /// Receives until the end; returns the farewell and the close code.
    async fn end(&mut self) -> (Option<Farewell>, u16) {
        let mut farewell = None;
        loop {
            match self.receive().await {
                Received::Message(message) => {
                    if let ServerMessage::Goodbye(why) = *message {
                        farewell = Some(why);
                    }
                }
                Received::Closed(code) => return (farewell, code),
            }
        }
    }
}

#[derive(Debug)]
enum Received {
    Message(Box<ServerMessage>),
    Closed(u16),
}

impl Received {
    fn is(&self, what: impl FnOnce(&ServerMessage) -> bool) -> bool {
        match self {
            Self::Message(message) => what(message),
            Self::Closed(_) => false,
        }
    }
}

fn upgrade(headers: &str) -> String {
    format!(
        "GET {PATH} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: {}\r\n{headers}\r\n",
        Codec::Json.subprotocol()
    )
}

/// Sends a request; returns the head of the answer.
async fn send_request(stream: &mut DuplexStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// Waits until the server has closed a connection.
async fn read_to_end(mut stream: DuplexStream) {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok();
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
    let mut good = server.connect(1_000).await;
    good.hello().await;
    good.open().await;
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
    for _ in 0..256 {
        burst.push(server.connect(1).await);
    }
    let mut refused = server.connect(1).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    let received = refused.receive().await;
    assert!(received.is(|message| *message == ServerMessage::Goodbye(busy)), "{received:?}");
    assert!(matches!(refused.receive().await, Received::Closed(1013)));
    let page = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    let head = send_request(&mut server.open_stream(1), page).await;
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    assert!(head.contains("retry-after: 2\r\n"), "{head}");

    server.connect(2).await.hello().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    server.connect(1).await.hello().await;
}

#[tokio::test(start_paused = true)]
async fn without_file_descriptors_the_acceptor_pauses_and_continues() {
    const OUT_OF_FILES: [i32; 2] = [24, 23];
    let server = TestServer::start();
    let clock = Clock::start();
    for code in OUT_OF_FILES {
        server.fail_accept(io::Error::from_raw_os_error(code));
    }
    server.connect(1).await.hello().await;
    assert!(clock.now() >= ServerInstant(200_000), "it pauses between attempts");
    server.fail_accept(ErrorKind::ConnectionAborted.into());
    let before = clock.now();
    server.connect(1).await.hello().await;
    assert_eq!(clock.now(), before, "a peer's reset causes no pause");
}

#[tokio::test(start_paused = true)]
async fn too_long_heads_and_too_many_headers_are_refused() {
    let server = TestServer::start();
    let long = format!("X-Long: {}\r\n", "x".repeat(MAX_HEADER_BYTES));
    let many: String = (0..=MAX_HEADERS).map(|n| format!("X-{n}: y\r\n")).collect();
    for headers in [long, many] {
        let head = send_request(&mut server.open_stream(1), &upgrade(&headers)).await;
        assert!(head.starts_with("HTTP/1.1 431"), "{head}");
    }
    let few: String = (0..40).map(|n| format!("X-{n}: y\r\n")).collect();
    let head = send_request(&mut server.open_stream(1), &upgrade(&few)).await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
}

#[tokio::test(start_paused = true)]
async fn an_http_connection_is_closed_after_its_timeout() {
    let server = TestServer::start();
    let clock = Clock::start();
    let mut stream = server.open_stream(1);
    let page = "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    while clock.now() < ServerInstant(60_000_000) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stream.write_all(page.as_bytes()).await.is_err() {
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
