//! The door over pipes in memory: guests from any address, and a clock that stands still
//! unless everybody waits for it.

mod bounds;
mod broken;

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

/// Bytes that lie between the two ends.
const PIPE: usize = 16 * 1024;

type Arrival = io::Result<(DuplexStream, SocketAddr)>;

/// Where connections come from that a test makes.
struct Pipes(Mutex<mpsc::UnboundedReceiver<Arrival>>);

impl Listener for Pipes {
    type Stream = DuplexStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok((Ipv4Addr::LOCALHOST, 7415).into())
    }

    async fn accept(&self) -> Arrival {
        match self.0.lock().await.recv().await {
            Some(arrival) => arrival,
            None => std::future::pending().await,
        }
    }
}

/// The way to a server's door.
struct Street {
    send: mpsc::UnboundedSender<Arrival>,
    state: Arc<ServerState>,
}

impl Street {
    fn start() -> Self {
        Self::start_with(ServerConfig::default())
    }

    fn start_with(config: ServerConfig) -> Self {
        let (send, receive) = mpsc::unbounded_channel();
        let pipes = Pipes(Mutex::new(receive));
        let server = Server::new(pipes, config).unwrap();
        let state = Arc::clone(&server.state);
        tokio::spawn(server.run(std::future::pending()));
        Self { send, state }
    }

    fn come(&self, from: u32) -> DuplexStream {
        let (here, there) = tokio::io::duplex(PIPE);
        let address = Ipv4Addr::from_bits(0x0a00_0000 + from);
        self.send.send(Ok((there, (address, 50_000).into()))).unwrap();
        here
    }

    fn fail(&self, error: io::Error) {
        self.send.send(Err(error)).unwrap();
    }

    /// Comes and shakes hands.
    async fn guest(&self, from: u32) -> Guest {
        self.guest_with(from, "").await
    }

    /// Does so with further lines in the head.
    async fn guest_with(&self, from: u32, headers: &str) -> Guest {
        let mut stream = self.come(from);
        let head = ask(&mut stream, &upgrade(headers)).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        Guest(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
    }
}

struct Guest(WebSocketStream<DuplexStream>);

impl Guest {
    async fn say(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).unwrap();
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn hear(&mut self) -> Heard {
        loop {
            match self.0.next().await.unwrap().unwrap() {
                Message::Text(text) => {
                    let message = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                    return Heard::Message(Box::new(message));
                }
                Message::Close(frame) => return Heard::Closed(frame.unwrap().code.into()),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Binary(_) | Message::Frame(_) => panic!("not in JSON"),
            }
        }
    }

    async fn hello(&mut self) {
        let agent = "test".to_owned();
        let version = VERSION;
        self.say(&ClientMessage::Hello(Hello { version, agent })).await;
        let heard = self.hear().await;
        assert!(heard.is(|message| matches!(message, ServerMessage::Welcome { .. })));
    }

    async fn open(&mut self) -> RoomCode {
        let entrant = Entrant { name: "Anna".to_owned(), bot: false };
        self.say(&ClientMessage::Open {
            entrant,
            options: HeatOptions::new("slide:3x3".parse().unwrap()),
            seed: None,
            pin: None,
        })
        .await;
        let code = self.joined().await;
        assert!(matches!(self.hear().await, Heard::Message(_)), "the token");
        code
    }

    async fn join(&mut self, code: RoomCode) {
        let entrant = Entrant { name: "Ben".to_owned(), bot: false };
        self.say(&ClientMessage::Join { code, entrant, role: Part::Spectator, pin: None }).await;
        self.joined().await;
    }

    async fn joined(&mut self) -> RoomCode {
        let heard = self.hear().await;
        if let Heard::Message(message) = &heard
            && let ServerMessage::Joined { heat, .. } = &**message
        {
            return heat.code;
        }
        panic!("{heard:?}")
    }

    /// Hears everything up to the end, and returns the farewell and the close code.
    async fn end(&mut self) -> (Option<Farewell>, u16) {
        let mut farewell = None;
        loop {
            match self.hear().await {
                Heard::Message(message) => {
                    if let ServerMessage::Goodbye(why) = *message {
                        farewell = Some(why);
                    }
                }
                Heard::Closed(code) => return (farewell, code),
            }
        }
    }
}

#[derive(Debug)]
enum Heard {
    Message(Box<ServerMessage>),
    Closed(u16),
}

impl Heard {
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

/// Sends a request, and returns the head of the answer.
async fn ask(stream: &mut DuplexStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// Waits until the server has ended a connection.
async fn until_end(mut stream: DuplexStream) {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok();
}

#[tokio::test(start_paused = true)]
async fn slow_handshakes_by_the_thousand_do_not_delay_a_good_client() {
    let street = Street::start();
    let clock = Clock::start();
    let mut slow = Vec::new();
    for n in 0..2_000 {
        // No more from one address than may come at once.
        let mut stream = street.come(n / 200);
        let half = upgrade("");
        stream.write_all(&half.as_bytes()[..n as usize % half.len()]).await.unwrap();
        slow.push(stream);
    }
    let mut good = street.guest(1_000).await;
    good.hello().await;
    good.open().await;
    assert_eq!(clock.now(), ServerInstant(0), "nobody had to wait for anything");
    for stream in slow {
        until_end(stream).await;
    }
    let waited = Duration::from_micros(clock.now().0);
    assert!(waited >= HEADER_TIMEOUT);
    assert!(waited < HEADER_TIMEOUT + Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_storm_is_told_when_to_come_again_and_others_come_in() {
    let street = Street::start();
    let mut storm = Vec::new();
    for _ in 0..256 {
        storm.push(street.guest(1).await);
    }
    let mut refused = street.guest(1).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    let heard = refused.hear().await;
    assert!(heard.is(|message| *message == ServerMessage::Goodbye(busy)), "{heard:?}");
    assert!(matches!(refused.hear().await, Heard::Closed(1013)));
    let page = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    let head = ask(&mut street.come(1), page).await;
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    assert!(head.contains("retry-after: 2\r\n"), "{head}");

    street.guest(2).await.hello().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    street.guest(1).await.hello().await;
}

#[tokio::test(start_paused = true)]
async fn without_files_left_the_door_waits_and_goes_on() {
    /// Too many open files, in the process and in the system, as Linux numbers them.
    const OUT: [i32; 2] = [24, 23];
    let street = Street::start();
    let clock = Clock::start();
    for code in OUT {
        street.fail(io::Error::from_raw_os_error(code));
    }
    street.guest(1).await.hello().await;
    assert!(clock.now() >= ServerInstant(200_000), "it doesn't spin meanwhile");
    street.fail(ErrorKind::ConnectionAborted.into());
    let before = clock.now();
    street.guest(1).await.hello().await;
    assert_eq!(clock.now(), before, "one that is gone holds nobody up");
}

#[tokio::test(start_paused = true)]
async fn heads_too_long_or_with_too_many_headers_are_refused() {
    let street = Street::start();
    let long = format!("X-Long: {}\r\n", "x".repeat(MAX_HEADER_BYTES));
    let many: String = (0..=MAX_HEADERS).map(|n| format!("X-{n}: y\r\n")).collect();
    for headers in [long, many] {
        let head = ask(&mut street.come(1), &upgrade(&headers)).await;
        assert!(head.starts_with("HTTP/1.1 431"), "{head}");
    }
    let few: String = (0..40).map(|n| format!("X-{n}: y\r\n")).collect();
    let head = ask(&mut street.come(1), &upgrade(&few)).await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
}

#[tokio::test(start_paused = true)]
async fn a_pipe_that_stays_open_for_pages_is_closed_in_the_end() {
    let street = Street::start();
    let clock = Clock::start();
    let mut stream = street.come(1);
    let page = "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    while clock.now() < ServerInstant(60_000_000) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stream.write_all(page.as_bytes()).await.is_err() {
            break;
        }
    }
    until_end(stream).await;
    assert!(clock.now() <= ServerInstant(20_000_000), "{:?}", clock.now());
}

#[tokio::test]
async fn whoever_comes_at_once_finds_room_before_the_door() {
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Nobody is accepted meanwhile. With less room the system lets them try again, ever later.
    for _ in 0..500 {
        let came = timeout(Duration::from_secs(30), tokio::net::TcpStream::connect(address));
        waiting.push(came.await.expect("room").unwrap());
    }
    for _ in &waiting {
        listener.accept().await.unwrap();
    }
}
