//! A client that speaks either codec and folds what it hears into a state.

use super::PATIENCE;
use super::state::{State, pick};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Hello, Role};
use gridrace_shared::protocol::codec::{
    Codec, Frame, SERVER_FRAME_LIMIT, decode_binary, decode_text, encode,
};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::protocol::{PATH, VERSION};
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::solver::budget::Aim;
use gridrace_shared::solver::budget::HINT_BUDGET;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::plan::{Plan, SolverResources};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

const NOBODY: PlayerId = PlayerId(u32::MAX);

/// A connection, and what was heard on it.
pub(crate) struct TestClient {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    codec: Codec,
    /// What the messages so far add up to.
    pub(crate) state: State,
}

impl TestClient {
    /// Connects without a word.
    pub(crate) async fn connect(address: SocketAddr, codec: Codec) -> Self {
        let mut request = format!("ws://{address}{PATH}").into_client_request().unwrap();
        let subprotocol = HeaderValue::from_static(codec.subprotocol());
        request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
        let (socket, response) = timeout(PATIENCE, connect_async_with_config(request, None, true))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(response.headers()["Sec-WebSocket-Protocol"], codec.subprotocol());
        Self { socket, codec, state: State::default() }
    }

    /// Connects, says hello and is welcome.
    pub(crate) async fn hello(address: SocketAddr, codec: Codec) -> Self {
        let mut client = Self::connect(address, codec).await;
        client.say(greeting(VERSION)).await;
        client.until("a welcome", |state| state.welcomed).await;
        client
    }

    /// Proves a key to the server at `host`, for its owner or the owner's bot.
    pub(crate) async fn identify(&mut self, key: &Key, host: SocketAddr, bot: bool) {
        let welcome = pick!(self.state, ServerMessage::Welcome { challenge, .. } => *challenge);
        let proof = key.prove(welcome[0], &host.to_string(), bot);
        self.say(ClientMessage::Identify(proof)).await;
    }

    pub(crate) async fn say(&mut self, message: ClientMessage) {
        let message = match encode(self.codec, &message).unwrap() {
            Frame::Binary(bytes) => Message::binary(bytes),
            Frame::Text(text) => Message::text(text),
        };
        self.send(message).await;
    }

    /// Says something as a person would write it.
    pub(crate) async fn say_text(&mut self, text: &str) {
        self.send(Message::text(text)).await;
    }

    /// Opens a heat and waits until it is in it.
    pub(crate) async fn open(&mut self, name: &str, options: &HeatOptions) -> RoomCode {
        self.open_seeded(name, options, None).await
    }

    /// Opens a heat with a seed of the host's, or a drawn one.
    pub(crate) async fn open_seeded(
        &mut self,
        name: &str,
        options: &HeatOptions,
        seed: Option<&str>,
    ) -> RoomCode {
        let entrant = Entrant { name: name.to_owned(), bot: false };
        let (options, seed) = (options.clone(), seed.map(|seed| seed.parse().unwrap()));
        self.say(ClientMessage::Open { entrant, options, seed, pin: None }).await;
        self.until("to be in the heat", State::is_in_a_heat).await;
        self.state.heat().code
    }

    /// Joins a heat and waits until it is in it.
    pub(crate) async fn join(&mut self, code: RoomCode, name: &str, role: Role) {
        self.ask_to_join(code, name, role).await;
        self.until("to be in the heat", State::is_in_a_heat).await;
    }

    pub(crate) async fn ask_to_join(&mut self, code: RoomCode, name: &str, role: Role) {
        let entrant = Entrant { name: name.to_owned(), bot: false };
        self.say(ClientMessage::Join { code, entrant, role, pin: None }).await;
    }

    /// Joins a heat as a program that plays, and waits until it is in it.
    pub(crate) async fn join_as_bot(&mut self, code: RoomCode, name: &str) {
        let entrant = Entrant { name: name.to_owned(), bot: true };
        self.say(ClientMessage::Join { code, entrant, role: Role::Player, pin: None }).await;
        self.until("to be in the heat", State::is_in_a_heat).await;
    }

    /// Leaves the heat, and hears what it said until then.
    pub(crate) async fn leave(&mut self) {
        self.say(ClientMessage::Leave).await;
        self.settle().await;
        self.state.forget_heat();
    }

    /// Starts the heat as its host, and waits for GO.
    pub(crate) async fn start(&mut self) {
        self.say(ClientMessage::Start).await;
        self.until_go().await;
    }

    pub(crate) async fn until_go(&mut self) {
        self.until("GO", |state| matches!(state.heat().phase, Phase::Running { .. })).await;
    }

    pub(crate) async fn until_countdown(&mut self) {
        self.until("the countdown", |state| matches!(state.heat().phase, Phase::Countdown { .. }))
            .await;
    }

    pub(crate) async fn until_over(&mut self) {
        self.until("the end", |state| matches!(state.heat().phase, Phase::Over(_))).await;
    }

    pub(crate) async fn until_lobby(&mut self) {
        self.until("the lobby", |state| state.heat().phase == Phase::Lobby).await;
    }

    pub(crate) async fn until_members(&mut self, count: usize) {
        self.until("members", |state| state.heat().roster.members.len() == count).await;
    }

    /// Asks for what isn't granted, and checks why.
    pub(crate) async fn refused_for(&mut self, request: ClientMessage, why: Refusal) {
        let before = self.state.refusals().len();
        self.say(request).await;
        self.until("a refusal", |state| state.refusals().len() > before).await;
        assert_eq!(self.state.refusals()[before], why);
    }

    /// Plays one move and waits for its acknowledgement.
    pub(crate) async fn play(&mut self, play: Move) {
        let seq = self.state.acknowledged.next();
        self.attempt(seq, play).await;
        self.until("an acknowledgement", |state| state.acknowledged == seq).await;
    }

    /// Waits until what the board needs is in the result.
    pub(crate) async fn until_rated(&mut self) -> MoveBounds {
        let best = |state: &State| match &state.heat().phase {
            Phase::Over(result) => result.best,
            Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } | Phase::Running { .. } => None,
        };
        self.until("what the board needs", |state| best(state).is_some()).await;
        best(&self.state).unwrap()
    }

    /// Asks for a hint and returns it, with how much further the last move has led.
    pub(crate) async fn hint(&mut self) -> (Hint, Option<i32>) {
        let given = |state: &State| pick!(state, ServerMessage::Hint { hint, distance_change, .. } => (hint.clone(), *distance_change));
        let before = given(&self.state).len();
        self.say(ClientMessage::Hint).await;
        self.until("a hint", |state| given(state).len() > before).await;
        given(&self.state).remove(before)
    }

    /// Sends a move under any number.
    pub(crate) async fn attempt(&mut self, seq: Seq, play: Move) {
        self.state.sent.insert(seq, play.clone());
        self.say(ClientMessage::Move { seq, play }).await;
    }

    /// Plays up to `count` moves on the way to the solution, and says whether it is there.
    pub(crate) async fn advance(&mut self, count: usize) -> bool {
        let mut board = self.state.board().clone();
        let mut guide =
            Plan::plan(&board, Aim::Plain, HINT_BUDGET, &SolverResources::none()).unwrap();
        for _ in 0..count {
            let Some(hint) = guide.next(&board) else {
                break;
            };
            let play = hint.play(&board).unwrap();
            board.play(&play).unwrap();
            self.play(play).await;
        }
        assert_eq!(self.state.board(), &board);
        board.is_solved()
    }

    /// Plays the board to its solution, and waits for its row to say so.
    pub(crate) async fn finish(&mut self) {
        assert!(self.advance(usize::MAX).await);
        self.until("to be in the standings as finished", |state| {
            let row = state.row(state.you()).map(|row| row.state);
            matches!(row, Some(standings::State::Finished { .. }))
        })
        .await;
    }

    /// Waits until what was heard has a property; whatever is heard is folded in.
    pub(crate) async fn until(&mut self, what: &str, holds: impl Fn(&State) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !holds(&self.state) {
                assert!(self.hear().await, "closed while waiting for {what}: {}", self.state);
            }
        });
        assert!(waited.await.is_ok(), "waited in vain for {what}: {}", self.state);
    }

    /// Waits until the server knows everything that was said before, and everything that
    /// it had said by then is heard, and all that the heat has done by then.
    pub(crate) async fn settle(&mut self) {
        // What a heat says waits for the disk, and a pong doesn't. So something is asked of the
        // heat first, whose answer waits behind all of that, and changes nothing.
        if self.state.is_in_a_heat() {
            let before = self.state.refusals().len();
            self.say(ClientMessage::Kick { player: NOBODY }).await;
            self.until("a refusal", |state| state.refusals().len() > before).await;
            self.state.forget_latest();
        }
        let sent = self.state.next_ping();
        self.say(ClientMessage::Ping { sent }).await;
        self.until("a pong", |state| state.last_pong() == Some(sent)).await;
    }

    /// Waits for the end of the connection and returns its close code.
    pub(crate) async fn until_closed(&mut self) -> Option<u16> {
        let waited = timeout(PATIENCE, async { while self.hear().await {} });
        assert!(waited.await.is_ok(), "still open: {}", self.state);
        self.state.closed
    }

    /// Goes without a word, as when a cable is pulled.
    pub(crate) fn vanish(self) {
        drop(self.socket);
    }

    pub(crate) fn you(&self) -> PlayerId {
        self.state.you()
    }

    async fn send(&mut self, message: Message) {
        timeout(PATIENCE, self.socket.send(message)).await.unwrap().unwrap();
    }

    /// Hears one frame; says no when the connection is at its end.
    async fn hear(&mut self) -> bool {
        match self.socket.next().await {
            Some(Ok(Message::Binary(bytes))) => {
                let message: ServerMessage =
                    decode_binary::<_, SERVER_FRAME_LIMIT>(&bytes).unwrap();
                self.state.fold(Frame::Binary(bytes.to_vec()), message);
            }
            Some(Ok(Message::Text(text))) => {
                let message: ServerMessage = decode_text::<_, SERVER_FRAME_LIMIT>(&text).unwrap();
                self.state.fold(Frame::Text(text.to_string()), message);
            }
            Some(Ok(Message::Close(close))) => {
                self.state.closed = close.map(|close| close.code.into());
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Err(_)) | None => return false,
        }
        true
    }
}

/// The first message of a connection.
pub(crate) fn greeting(version: u16) -> ClientMessage {
    ClientMessage::Hello(Hello { version, agent: "test".to_owned() })
}
