//! A session over an in-memory pipe, with a paused clock.

mod flooding;
mod hall;
mod overload;
mod read_probe;
mod resume;
mod watching;

use super::*;
use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::rng::Rng;
use crate::room::services::Services;
use crate::session::lifecycle::{ClientConnection, close_socket};
use crate::session::quotas::RoomQuota;
use crate::test_client::TestClient;
use crate::transport::admission::{AdmissionControl, ArrivalRate};
use crate::transport::client_rate::ClientRate;
use crate::transport::rate_limited_stream::RateLimitedStream;
use crate::transport::websocket::MessageLimits;
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{Entrant, Role};
use gridrace_shared::protocol::codec::{Codec, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::HeatInstant;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// Capacity of a pipe in bytes, similar to a socket's.
const PIPE_BYTES: usize = 64 * 1024;
/// The client's address, on another machine.
const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

async fn socket(stream: DuplexStream, clock: Clock) -> WebSocket<DuplexStream> {
    let stream = RateLimitedStream::new(stream, clock, ClientRate::default());
    let limits = MessageLimits::PROTOCOL;
    WebSocket::new(stream, Bytes::new(), Codec::Json, limits, Rng::default()).await
}

fn server() -> Arc<ServerState> {
    server_on(Services::for_test())
}

fn server_on(services: Services) -> Arc<ServerState> {
    server_with(Hub::start(services, None, Vec::new()).unwrap().0)
}

fn server_with(hub: Hub) -> Arc<ServerState> {
    Arc::new(ServerState {
        environment: Environment::default(),
        clock: hub.services.clock,
        hub,
        admission: AdmissionControl::new(ArrivalRate::default()),
        room_quota: RoomQuota::default(),
        client_rate: ClientRate::default(),
        shared_addresses: false,
    })
}

/// The server's side of a connection.
struct Served {
    state: Arc<ServerState>,
    shutdown: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// Connects a client to a server by a pipe of this capacity.
async fn connect_to(state: &Arc<ServerState>, pipe: usize) -> (TestClient, Served) {
    connect_from(state, pipe, ADDRESS).await
}

/// As [`connect_to`], from another address.
async fn connect_from(
    state: &Arc<ServerState>,
    pipe: usize,
    address: IpAddr,
) -> (TestClient, Served) {
    let (client, server) = tokio::io::duplex(pipe);
    let (shutdown, is_shutdown) = watch::channel(false);
    let connection = Box::new(ClientConnection {
        socket: socket(server, state.clock).await,
        client: Client::new(Arc::clone(state), address, "10.0.0.1".into(), Codec::Json),
        shutdown: is_shutdown,
        rebind: |_| Ok(()),
        permit: state.admission.admit(address, state.clock.now()).unwrap(),
    });
    let task = tokio::spawn(connection.serve());
    (TestClient::new(client).await, Served { state: Arc::clone(state), shutdown, task })
}

async fn connect() -> (TestClient, Served) {
    connect_to(&server(), PIPE_BYTES).await
}

/// Connects a client to a fresh server, and completes the hello.
async fn greet() -> (TestClient, Served) {
    let (mut client, served) = connect().await;
    client.hello().await;
    (client, served)
}

fn refused(why: Refusal) -> ServerMessage {
    ServerMessage::Refused(why)
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_hello_is_closed() {
    let (mut client, served) = connect().await;
    client.assert_dismissed(Farewell::Silent).await;
    assert_eq!(served.state.clock.now().0 / 100_000, 50);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_closed_after_25_seconds() {
    let (mut client, served) = greet().await;
    let code = client.open().await;
    served.task.await.unwrap(); // the client doesn't read, so it answers no ping
    let state = served.state;
    assert_eq!(state.clock.now().0 / 100_000, 265, "25 s, and 1.5 s for the close");
    let room = state.hub.find(code).unwrap();
    assert_eq!(room.members(), 0, "the connection is lost, and its seat is kept");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_pings_stays() {
    let (mut client, _served) = greet().await;
    let waited = timeout(Duration::from_secs(120), client.receive()).await;
    assert!(waited.is_err(), "{waited:?}");
}

#[tokio::test]
async fn a_client_of_another_version_is_told_the_servers() {
    let (mut client, _served) = connect().await;
    let hello = Hello { version: VERSION + 1, agent: String::new() };
    client.send(&ClientMessage::Hello(hello)).await;
    client.assert_dismissed(Farewell::Version { server: VERSION }).await;
}

#[tokio::test]
async fn requests_before_hello_are_refused() {
    let (mut client, _served) = connect().await;
    client.send(&ClientMessage::Rooms).await;
    assert_eq!(client.assert_dismissed(Farewell::Malformed).await, "hello comes first");
}

#[tokio::test]
async fn a_malformed_message_is_answered_with_its_error() {
    let (mut client, _served) = greet().await;
    client.send_raw(Message::text(format!("{{\"{}\":1}}", "é".repeat(300)))).await;
    let reason = client.assert_dismissed(Farewell::Malformed).await;
    assert!(reason.starts_with("not a message: unknown variant"), "{reason}");
}

#[tokio::test]
async fn a_too_long_client_message_closes_with_too_big() {
    let (mut client, _served) = greet().await;
    client.send_raw(Message::binary(vec![0; 9_000])).await;
    assert_eq!(client.end().await.code, Some(CloseCode::TooBig));
}

#[tokio::test]
async fn a_too_long_server_message_closes_with_too_big_after_earlier_ones() {
    let state = server();
    let (near, far) = tokio::io::duplex(PIPE_BYTES);
    let mut socket = socket(far, state.clock).await;
    let mut session = Client::new(state, ADDRESS, "".into(), Codec::Json);
    let play = Move::Slide(Cell(0));
    let moved = Moved { player: PlayerId(1), at: HeatInstant(0), play };
    session.requests.refuse(Refusal::NotHost);
    session.requests.send(ServerMessage::Moves(vec![moved; SERVER_FRAME_LIMIT / 32]));
    let SessionOutcome::Closed(reason) = session.run(&mut socket).await else {
        panic!("handed over")
    };
    let closing = tokio::spawn(close_socket(socket, ADDRESS, reason));
    let mut client = TestClient::new(near).await;
    assert_eq!(client.receive().await, refused(Refusal::NotHost));
    assert_eq!(client.end().await.code, Some(CloseCode::TooBig));
    drop(client);
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_disconnected() {
    let (mut client, mut served) = connect_to(&server(), 1_024).await;
    client.send_hello().await;
    loop {
        // The client doesn't read, so the answers fill the pipe.
        let rooms = Message::text("\"rooms\"");
        tokio::select! {
            ended = &mut served.task => return ended.unwrap(),
            _ = client.0.send(rooms) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

#[tokio::test]
async fn a_close_frame_of_the_client_is_answered() {
    let (mut client, served) = greet().await;
    client.0.close(None).await.unwrap();
    assert!(matches!(client.0.next().await, Some(Ok(Message::Close(_)))));
    assert!(client.0.next().await.is_none());
    served.task.await.unwrap();
}

#[tokio::test]
async fn a_client_that_left_may_open_another_room() {
    let (mut client, served) = greet().await;
    let first = client.open().await;
    client.send(&ClientMessage::Start).await;
    // The board is drawn first, and nothing but the countdown follows that.
    let is_countdown = |message| matches!(message, ServerMessage::Phase(Phase::Countdown { .. }));
    while !is_countdown(client.receive().await) {}
    client.send(&ClientMessage::Leave).await;
    let second = client.open().await;
    assert!(served.state.hub.find(first).is_none());
    assert!(served.state.hub.find(second).is_some());
}

#[tokio::test]
async fn a_client_is_in_one_room_at_a_time() {
    let (mut client, _served) = greet().await;
    let code = client.open().await;
    client.send_join(code, "Anna", Role::Player).await;
    assert_eq!(client.receive().await, refused(Refusal::InARoom));
}

#[tokio::test]
async fn the_shutdown_is_announced() {
    let (mut client, served) = greet().await;
    served.shutdown.send_replace(true);
    client.assert_dismissed(Farewell::ShuttingDown).await;
}
