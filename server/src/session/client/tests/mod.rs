//! A session over an in-memory pipe, with a paused clock.

mod flooding;
mod overload;
mod read_probe;
mod resume;

use super::*;
use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::rng::Rng;
use crate::session::lifecycle::{Connection, close_socket};
use crate::session::quotas::RoomQuota;
use crate::transport::admission::{AdmissionControl, ArrivalRate};
use crate::transport::client_rate::ClientRate;
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::Entrant;
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT, decode_text};
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::HeatInstant;
use gridrace_tables::TableStore;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role as End;

/// Capacity of a pipe in bytes, similar to a socket's.
const PIPE_BYTES: usize = 64 * 1024;
/// The client's address, on another machine.
const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

async fn socket(stream: DuplexStream, clock: Clock) -> WebSocket<DuplexStream> {
    let buffered = bytes::Bytes::new();
    WebSocket::new(
        stream,
        buffered,
        Codec::Json,
        &Environment::default(),
        clock,
        ClientRate::default(),
    )
    .await
}

struct TestClient {
    stream: WebSocketStream<DuplexStream>,
    state: Arc<ServerState>,
    down: watch::Sender<bool>,
    served: JoinHandle<()>,
}

impl TestClient {
    async fn connect(pipe: usize) -> Self {
        let clock = Clock::start();
        let (hub, _) = Hub::new(clock, TableStore::default(), Vec::new()).unwrap();
        let state = Arc::new(ServerState {
            environment: Environment::default(),
            clock,
            hub,
            admission: AdmissionControl::new(ArrivalRate::default()),
            room_quota: RoomQuota::default(),
            client_rate: ClientRate::default(),
        });
        Self::connect_to(state, pipe).await
    }

    /// Connects to an existing server.
    async fn connect_to(state: Arc<ServerState>, pipe: usize) -> Self {
        let (client, server) = tokio::io::duplex(pipe);
        let (down, watch) = watch::channel(false);
        let socket = socket(server, state.clock).await;
        let connection = Box::new(Connection {
            socket,
            client: Client::new(Arc::clone(&state), ADDRESS, "10.0.0.1".into()),
            shutdown: watch,
            rebind: |_| Ok(()),
            permit: state.admission.admit(ADDRESS, state.clock.now()).unwrap(),
        });
        let served = tokio::spawn(connection.serve());
        let stream = WebSocketStream::from_raw_socket(client, End::Client, None).await;
        Self { stream, state, down, served }
    }

    async fn greeted() -> Self {
        let mut client = Self::connect(PIPE_BYTES).await;
        client.hello().await;
        assert!(matches!(client.receive().await, Some(ServerMessage::Welcome { .. })));
        client
    }

    async fn hello(&mut self) {
        self.send(&ClientMessage::Hello(Hello { version: VERSION, agent: "test".to_owned() }))
            .await;
    }

    async fn send(&mut self, message: &ClientMessage) {
        self.send_raw(Message::text(serde_json::to_string(message).unwrap())).await;
    }

    async fn send_raw(&mut self, message: Message) {
        self.stream.send(message).await.unwrap();
    }

    async fn open(&mut self) -> RoomCode {
        let entrant = Entrant { name: "Anna".to_owned(), bot: false };
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        self.send(&ClientMessage::Open { entrant, options, seed: None, pin: None }).await;
        match self.receive().await {
            Some(ServerMessage::Joined { heat, .. }) => {
                let token = self.receive().await;
                assert!(matches!(token, Some(ServerMessage::Token { .. })));
                heat.code
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the next message, or `None` once the connection is closed.
    async fn receive(&mut self) -> Option<ServerMessage> {
        loop {
            match self.stream.next().await?.unwrap() {
                Message::Text(text) => {
                    return Some(decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap());
                }
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return None,
                Message::Binary(_) | Message::Frame(_) => panic!("not in JSON"),
            }
        }
    }

    /// Receives until the end; returns the farewell, the close code and its reason.
    async fn end(mut self) -> (Option<Farewell>, Option<CloseCode>, String) {
        let mut farewell = None;
        while let Some(Ok(message)) = self.stream.next().await {
            match message {
                Message::Text(text) => {
                    assert_eq!(farewell, None, "a message after the farewell");
                    let message = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                    if let ServerMessage::Goodbye(why) = message {
                        farewell = Some(why);
                    }
                }
                Message::Close(frame) => {
                    let frame = frame.unwrap();
                    let code = CloseCode::from_number(frame.code.into());
                    return (farewell, code, frame.reason.to_string());
                }
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Binary(_) | Message::Frame(_) => panic!("not in JSON"),
            }
        }
        (farewell, None, String::new())
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_hello_is_closed() {
    let client = TestClient::connect(PIPE_BYTES).await;
    let clock = client.state.clock;
    let (farewell, code, _) = client.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Silent), Some(CloseCode::Silent)));
    assert_eq!(clock.now().0 / 100_000, 50);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_closed_after_25_seconds() {
    let mut client = TestClient::greeted().await;
    let code = client.open().await;
    let TestClient { stream, state, served, down: _down } = client;
    served.await.unwrap(); // the client doesn't read, so it answers no ping
    assert_eq!(state.clock.now().0 / 100_000, 265, "25 s, and 1.5 s for the close");
    let room = state.hub.find(code).unwrap();
    assert_eq!(room.members(), 0, "the connection is lost, and its seat is kept");
    drop(stream);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_pings_stays() {
    let mut client = TestClient::greeted().await;
    let waited = tokio::time::timeout(Duration::from_secs(120), client.receive()).await;
    assert!(waited.is_err(), "{waited:?}");
}

#[tokio::test]
async fn a_client_of_another_version_is_told_the_servers() {
    let mut client = TestClient::connect(PIPE_BYTES).await;
    let hello = Hello { version: VERSION + 1, agent: String::new() };
    client.send(&ClientMessage::Hello(hello)).await;
    let (farewell, code, _) = client.end().await;
    assert_eq!(farewell, Some(Farewell::Version { server: VERSION }));
    assert_eq!(code, Some(CloseCode::Version));
}

#[tokio::test]
async fn requests_before_hello_are_refused() {
    let mut client = TestClient::connect(PIPE_BYTES).await;
    client.send(&ClientMessage::Heats).await;
    let (farewell, code, reason) = client.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Malformed), Some(CloseCode::Malformed)));
    assert_eq!(reason, "hello comes first");
}

#[tokio::test]
async fn a_malformed_message_is_answered_with_its_error() {
    let mut client = TestClient::greeted().await;
    client.send_raw(Message::text(format!("{{\"{}\":1}}", "é".repeat(300)))).await;
    let (farewell, code, reason) = client.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Malformed), Some(CloseCode::Malformed)));
    assert!(reason.starts_with("not a message: unknown variant"), "{reason}");
}

#[tokio::test]
async fn a_too_long_client_message_closes_with_too_big() {
    let mut client = TestClient::greeted().await;
    client.send_raw(Message::binary(vec![0; 5_000])).await;
    assert_eq!(client.end().await.1, Some(CloseCode::TooBig));
}

#[tokio::test]
async fn a_too_long_server_message_closes_with_too_big_after_earlier_ones() {
    let TestClient { state, .. } = TestClient::connect(PIPE_BYTES).await;
    let (near, far) = tokio::io::duplex(PIPE_BYTES);
    let mut socket = socket(far, state.clock).await;
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into());
    let play = Move::Slide(Cell(0));
    let moved = Moved { player: PlayerId(1), at: HeatInstant(0), play };
    client.requests.refuse(Refusal::NotHost);
    client.requests.send(ServerMessage::Moves(vec![moved; SERVER_FRAME_LIMIT / 32]));
    let SessionOutcome::Closed(reason) = client.run(&mut socket).await else {
        panic!("handed over")
    };
    let closing = tokio::spawn(close_socket(socket, ADDRESS, reason));
    let mut stream = WebSocketStream::from_raw_socket(near, End::Client, None).await;
    let refused = stream.next().await.unwrap().unwrap();
    assert_eq!(refused.to_text().unwrap(), r#"{"refused":"not_host"}"#);
    let Some(Ok(Message::Close(Some(frame)))) = stream.next().await else {
        panic!("no close frame")
    };
    let code = CloseCode::from_number(frame.code.into());
    assert_eq!(code, Some(CloseCode::TooBig));
    drop(stream);
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_disconnected() {
    let mut client = TestClient::connect(1_024).await;
    client.hello().await;
    let served = {
        let TestClient { stream, served, .. } = &mut client;
        tokio::pin!(served);
        loop {
            // The client doesn't read, so the answers fill the pipe.
            let heats = Message::text("\"heats\"");
            tokio::select! {
                ended = &mut served => break ended,
                _ = stream.send(heats) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    served.unwrap();
}

#[tokio::test]
async fn a_close_frame_of_the_client_is_answered() {
    let mut client = TestClient::greeted().await;
    client.stream.close(None).await.unwrap();
    assert!(matches!(client.stream.next().await, Some(Ok(Message::Close(_)))));
    assert!(client.stream.next().await.is_none());
    client.served.await.unwrap();
}

#[tokio::test]
async fn a_client_that_left_may_open_another_room() {
    let mut client = TestClient::greeted().await;
    let first = client.open().await;
    client.send(&ClientMessage::Start).await;
    assert!(matches!(client.receive().await, Some(ServerMessage::Phase(_))));
    client.send(&ClientMessage::Leave).await;
    let second = client.open().await;
    assert!(client.state.hub.find(first).is_none());
    assert!(client.state.hub.find(second).is_some());
}

#[tokio::test]
async fn a_client_is_in_one_room_at_a_time() {
    let mut client = TestClient::greeted().await;
    let code = client.open().await;
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let role = gridrace_shared::protocol::client::Role::Player;
    client.send(&ClientMessage::Join { code, entrant, role, pin: None }).await;
    assert_eq!(client.receive().await, Some(ServerMessage::Refused(Refusal::InAHeat)));
}

#[tokio::test]
async fn the_shutdown_is_announced() {
    let client = TestClient::greeted().await;
    client.down.send_replace(true);
    let served = tokio::spawn(client.end());
    let (farewell, code, _) = served.await.unwrap();
    assert_eq!(farewell, Some(Farewell::ShuttingDown));
    assert_eq!(code, Some(CloseCode::ShuttingDown));
}
