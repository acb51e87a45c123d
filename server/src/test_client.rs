//! A client for tests: it speaks JSON over an in-memory pipe.

use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::{SERVER_FRAME_LIMIT, decode_text};
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use tokio::io::DuplexStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Message, protocol};

pub(crate) struct TestClient(pub(crate) WebSocketStream<DuplexStream>);

/// What a server sent last.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) farewell: Option<Farewell>,
    pub(crate) code: Option<CloseCode>,
    /// The reason in the close frame.
    pub(crate) reason: String,
}

impl TestClient {
    /// Wraps a stream after its handshake.
    pub(crate) async fn new(stream: DuplexStream) -> Self {
        Self(WebSocketStream::from_raw_socket(stream, protocol::Role::Client, None).await)
    }

    pub(crate) async fn send(&mut self, message: &ClientMessage) {
        self.send_raw(Message::text(serde_json::to_string(message).unwrap())).await;
    }

    pub(crate) async fn send_raw(&mut self, message: Message) {
        self.0.send(message).await.unwrap();
    }

    pub(crate) async fn send_hello(&mut self) {
        let hello = Hello { version: VERSION, agent: "test".to_owned() };
        self.send(&ClientMessage::Hello(hello)).await;
    }

    /// Sends a hello; returns the welcome.
    pub(crate) async fn hello(&mut self) -> ServerMessage {
        self.send_hello().await;
        let welcome = self.receive().await;
        assert!(matches!(welcome, ServerMessage::Welcome { .. }), "{welcome:?}");
        welcome
    }

    /// Opens a room as Anna, and receives the snapshot and the token.
    pub(crate) async fn open(&mut self) -> RoomCode {
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        let entrant = entrant("Anna");
        self.send(&ClientMessage::Open { entrant, options, seed: None, pin: None }).await;
        let joined = self.receive().await;
        let ServerMessage::Joined { room, .. } = joined else { panic!("{joined:?}") };
        let token = self.receive().await;
        assert!(matches!(token, ServerMessage::Token { .. }), "{token:?}");
        room.code
    }

    pub(crate) async fn send_join(&mut self, code: RoomCode, name: &str, role: Role) {
        let entrant = entrant(name);
        self.send(&ClientMessage::Join { code, entrant, role, pin: None }).await;
    }

    pub(crate) async fn receive(&mut self) -> ServerMessage {
        self.receive_or_end().await.unwrap_or_else(|end| panic!("{end:?}"))
    }

    /// Receives the next message, or the close frame.
    pub(crate) async fn receive_or_end(&mut self) -> Result<ServerMessage, End> {
        loop {
            let message = self.0.next().await.and_then(Result::ok);
            match message {
                Some(Message::Text(text)) => {
                    return Ok(decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap());
                }
                Some(Message::Ping(_) | Message::Pong(_)) => {}
                Some(Message::Close(frame)) => {
                    let frame = frame.unwrap();
                    let code = CloseCode::from_number(frame.code.into());
                    return Err(End { farewell: None, code, reason: frame.reason.to_string() });
                }
                Some(Message::Binary(_) | Message::Frame(_)) => panic!("not in JSON"),
                None => return Err(End { farewell: None, code: None, reason: String::new() }),
            }
        }
    }

    pub(crate) async fn end(&mut self) -> End {
        let mut farewell = None;
        loop {
            match self.receive_or_end().await {
                Ok(ServerMessage::Goodbye(why)) => farewell = Some(why),
                Ok(message) => assert_eq!(farewell, None, "{message:?} after the farewell"),
                Err(end) => return End { farewell, ..end },
            }
        }
    }

    /// Checks that the server closes the connection with a farewell and its close code; returns
    /// the reason in the close frame.
    pub(crate) async fn assert_dismissed(&mut self, why: Farewell) -> String {
        let End { farewell, code, reason } = self.end().await;
        assert_eq!((farewell, code), (Some(why), Some(why.into())));
        reason
    }
}

fn entrant(name: &str) -> Entrant {
    Entrant { name: name.to_owned(), bot: false }
}
