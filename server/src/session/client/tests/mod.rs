//! A client's connection over a pipe in memory, with the clock in the test's hand.

mod behind;
mod coming_back;
mod deaf;
mod flood;

use super::*;
use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::session::lifecycle::{Connection, close_socket};
use crate::session::quotas::RoomQuota;
use crate::tables::TableStore;
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
use gridrace_shared::util::time::Millis;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role as End;

/// Bytes that lie between the two ends: about what a kernel holds.
const PIPE: usize = 64 * 1024;
/// Whose it is: somebody's on another machine.
const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

async fn socket(stream: DuplexStream, clock: Clock) -> WebSocket<DuplexStream> {
    let buffered = bytes::Bytes::new();
    WebSocket::new(stream, buffered, Codec::Json, clock, ClientRate::default()).await
}

struct Peer {
    stream: WebSocketStream<DuplexStream>,
    state: Arc<ServerState>,
    down: watch::Sender<bool>,
    served: JoinHandle<()>,
}

impl Peer {
    async fn connect(pipe: usize) -> Self {
        let clock = Clock::start();
        let (hub, _) = Hub::new(clock, TableStore::default(), Vec::new()).unwrap();
        let state = Arc::new(ServerState {
            clock,
            hub,
            admission: AdmissionControl::new(ArrivalRate::default()),
            room_quota: RoomQuota::default(),
            client_rate: ClientRate::default(),
        });
        Self::connect_to(state, pipe).await
    }

    /// Connects to a server that there is.
    async fn connect_to(state: Arc<ServerState>, pipe: usize) -> Self {
        let (here, there) = tokio::io::duplex(pipe);
        let (down, watch) = watch::channel(false);
        let socket = socket(there, state.clock).await;
        let connection = Box::new(Connection {
            socket,
            client: Client::new(Arc::clone(&state), ADDRESS, "10.0.0.1".into()),
            shutdown: watch,
            rebind: |_| Ok(()),
            permit: state.admission.admit(ADDRESS, state.clock.now()).unwrap(),
        });
        let served = tokio::spawn(connection.serve());
        let stream = WebSocketStream::from_raw_socket(here, End::Client, None).await;
        Self { stream, state, down, served }
    }

    /// Connects and says hello.
    async fn greeted() -> Self {
        let mut peer = Self::connect(PIPE).await;
        peer.hello().await;
        assert!(matches!(peer.hear().await, Some(ServerMessage::Welcome { .. })));
        peer
    }

    async fn hello(&mut self) {
        self.say(&ClientMessage::Hello(Hello { version: VERSION, agent: "test".to_owned() })).await;
    }

    async fn say(&mut self, message: &ClientMessage) {
        self.send(Message::text(serde_json::to_string(message).unwrap())).await;
    }

    async fn send(&mut self, message: Message) {
        self.stream.send(message).await.unwrap();
    }

    async fn open(&mut self) -> RoomCode {
        let entrant = Entrant { name: "Anna".to_owned(), bot: false };
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        self.say(&ClientMessage::Open { entrant, options, seed: None, pin: None }).await;
        match self.hear().await {
            Some(ServerMessage::Joined { heat, .. }) => {
                let token = self.hear().await;
                assert!(matches!(token, Some(ServerMessage::Token { .. })));
                heat.code
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the next message, or nothing once the connection is closed.
    async fn hear(&mut self) -> Option<ServerMessage> {
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

    /// Hears everything to the end, and returns the last farewell with the close frame.
    async fn end(mut self) -> (Option<Farewell>, Option<CloseCode>, String) {
        let mut farewell = None;
        while let Some(Ok(message)) = self.stream.next().await {
            match message {
                Message::Text(text) => {
                    assert_eq!(farewell, None, "nothing comes after a farewell");
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
async fn whoever_says_no_hello_is_let_go() {
    let peer = Peer::connect(PIPE).await;
    let clock = peer.state.clock;
    let (farewell, code, _) = peer.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Silent), Some(CloseCode::Silent)));
    assert_eq!(clock.now().0 / 100_000, 50);
}

#[tokio::test(start_paused = true)]
async fn whoever_falls_silent_is_let_go_after_25_seconds() {
    let mut peer = Peer::greeted().await;
    let code = peer.open().await;
    let Peer { stream, state, served, down: _down } = peer;
    served.await.unwrap(); // nobody reads at the other end, so no ping is answered
    assert_eq!(state.clock.now().0 / 100_000, 265, "25 s, and 1.5 s for the close to be read");
    let heat = state.hub.find(code).unwrap();
    assert_eq!(heat.members(), 0, "the connection is lost, and its seat waits");
    drop(stream);
}

#[tokio::test(start_paused = true)]
async fn whoever_answers_pings_stays() {
    let mut peer = Peer::greeted().await;
    let waited = tokio::time::timeout(Duration::from_secs(120), peer.hear()).await;
    assert!(waited.is_err(), "{waited:?}");
}

#[tokio::test]
async fn another_version_is_told_which_one_is_spoken() {
    let mut peer = Peer::connect(PIPE).await;
    let hello = Hello { version: VERSION + 1, agent: String::new() };
    peer.say(&ClientMessage::Hello(hello)).await;
    let (farewell, code, _) = peer.end().await;
    assert_eq!(farewell, Some(Farewell::Version { server: VERSION }));
    assert_eq!(code, Some(CloseCode::Version));
}

#[tokio::test]
async fn nothing_is_granted_before_hello() {
    let mut peer = Peer::connect(PIPE).await;
    peer.say(&ClientMessage::Heats).await;
    let (farewell, code, reason) = peer.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Malformed), Some(CloseCode::Malformed)));
    assert_eq!(reason, "hello comes first");
}

#[tokio::test]
async fn a_frame_that_is_no_message_is_told_what_is_wrong_with_it() {
    let mut peer = Peer::greeted().await;
    peer.send(Message::text(format!("{{\"{}\":1}}", "é".repeat(300)))).await;
    let (farewell, code, reason) = peer.end().await;
    assert_eq!((farewell, code), (Some(Farewell::Malformed), Some(CloseCode::Malformed)));
    assert!(reason.starts_with("not a message: unknown variant"), "{reason}");
}

#[tokio::test]
async fn a_frame_above_the_limit_closes_with_its_own_code() {
    let mut peer = Peer::greeted().await;
    peer.send(Message::binary(vec![0; 5_000])).await;
    assert_eq!(peer.end().await.1, Some(CloseCode::TooBig));
}

#[tokio::test]
async fn a_frame_of_the_server_s_above_the_limit_closes_with_that_code_after_those_before_it() {
    let Peer { state, .. } = Peer::connect(PIPE).await;
    let (here, there) = tokio::io::duplex(PIPE);
    let mut socket = socket(there, state.clock).await;
    let mut client = Client::new(Arc::clone(&state), ADDRESS, "".into());
    let play = Move::Slide(Cell(0));
    let moved = Moved { player: PlayerId(1), at: Millis(0), play };
    client.requests.refuse(Refusal::NotHost);
    client.requests.send(ServerMessage::Moves(vec![moved; SERVER_FRAME_LIMIT / 32]));
    let SessionOutcome::Closed(reason) = client.run(&mut socket).await else {
        panic!("handed over")
    };
    let closing = tokio::spawn(close_socket(socket, ADDRESS, reason));
    let mut stream = WebSocketStream::from_raw_socket(here, End::Client, None).await;
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
async fn whoever_never_reads_is_cut_off() {
    let mut peer = Peer::connect(1_024).await;
    peer.hello().await;
    let served = {
        let Peer { stream, served, .. } = &mut peer;
        tokio::pin!(served);
        loop {
            // Nothing is read here, so the answers fill the pipe.
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
async fn the_close_of_a_client_is_answered() {
    let mut peer = Peer::greeted().await;
    peer.stream.close(None).await.unwrap();
    assert!(matches!(peer.stream.next().await, Some(Ok(Message::Close(_)))));
    assert!(peer.stream.next().await.is_none());
    peer.served.await.unwrap();
}

#[tokio::test]
async fn whoever_leaves_may_open_another_heat() {
    let mut peer = Peer::greeted().await;
    let first = peer.open().await;
    peer.say(&ClientMessage::Start).await;
    assert!(matches!(peer.hear().await, Some(ServerMessage::Phase(_))));
    peer.say(&ClientMessage::Leave).await;
    let second = peer.open().await;
    assert!(peer.state.hub.find(first).is_none());
    assert!(peer.state.hub.find(second).is_some());
}

#[tokio::test]
async fn one_heat_at_a_time() {
    let mut peer = Peer::greeted().await;
    let code = peer.open().await;
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    let role = gridrace_shared::protocol::client::Role::Player;
    peer.say(&ClientMessage::Join { code, entrant, role, pin: None }).await;
    assert_eq!(peer.hear().await, Some(ServerMessage::Refused(Refusal::InAHeat)));
}

#[tokio::test]
async fn the_end_of_the_server_is_told() {
    let peer = Peer::greeted().await;
    peer.down.send_replace(true);
    let served = tokio::spawn(peer.end());
    let (farewell, code, _) = served.await.unwrap();
    assert_eq!(farewell, Some(Farewell::ShuttingDown));
    assert_eq!(code, Some(CloseCode::ShuttingDown));
}
