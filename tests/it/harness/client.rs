//! A client that speaks either codec, records what it is told, and folds it into a view.

use super::PATIENCE;
use gridrace_client::net::address::Address;
use gridrace_client::net::{Connection, NetError, Network, Tcp, connect_over};
use gridrace_client::session::{Entry, ResumeTicket};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::heat_view::{HeatPhase, HeatView};
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::codec::{Codec, encode};
use gridrace_shared::protocol::server::{Farewell, Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Member, RoomSummary, Roster};
use gridrace_shared::puzzle::{Board, HintStyle, Move, MoveBounds};
use gridrace_shared::solver::budget::{Aim, HINT_BUDGET};
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::plan::{Plan, SolverResources};
use gridrace_shared::util::time::ClientInstant;
use std::net::SocketAddr;
use tokio::time::timeout;

/// The number of no member.
const NOBODY: PlayerId = PlayerId(u32::MAX);

/// Picks values out of what a client was told, in order.
macro_rules! pick {
    ($client:expr, $pattern:pat => $value:expr) => {
        $client.pick(|message| if let $pattern = message { Some($value) } else { None })
    };
}
pub(crate) use pick;

/// The system's sockets, and a codec of choice.
#[derive(Debug, Clone)]
pub(crate) struct TestNetwork(Codec);

impl Network for TestNetwork {
    type Stream = <Tcp as Network>::Stream;

    async fn dial(&self, address: &Address) -> Result<Self::Stream, NetError> {
        Tcp::default().dial(address).await
    }

    fn random_below(&self, _bound: u64) -> u64 {
        0
    }

    fn codec(&self) -> Codec {
        self.0
    }

    /// Checks that a frame holds nothing but its message.
    fn on_receive(&self, payload: &[u8], message: &ServerMessage) {
        assert_eq!(encode(self.0, message).unwrap().payload(), payload);
    }
}

/// Connects; tries again after a timeout, as the machine may be busy.
pub(crate) async fn dial<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let dialling = async {
        loop {
            match connect_over(network, address).await {
                Err(error) if error.may_retry() => {}
                outcome => return outcome,
            }
        }
    };
    timeout(PATIENCE, dialling).await.unwrap()
}

/// A connection, and what was told on it.
pub(crate) struct TestClient {
    connection: Connection<TestNetwork>,
    /// Every message after the welcome, in order.
    pub(crate) log: Vec<ServerMessage>,
    view: Option<HeatView>,
    /// Resumes the seat.
    ticket: Option<ResumeTicket>,
    /// The close code, 1005 if the server gave none.
    pub(crate) closed: Option<u16>,
}

impl TestClient {
    pub(crate) async fn connect(address: SocketAddr, codec: Codec) -> Self {
        let connection = dial(&TestNetwork(codec), &format!("ws://{address}")).await.unwrap();
        Self { connection, log: Vec::new(), view: None, ticket: None, closed: None }
    }

    /// Proves a key to the server, for its owner or the owner's bot.
    pub(crate) async fn identify(&mut self, key: &Key, bot: bool) {
        self.connection.identify(key, bot).await.unwrap();
    }

    pub(crate) async fn say(&mut self, message: ClientMessage) {
        self.connection.send(&message).await.unwrap();
    }

    /// Opens a room and waits until it is in it.
    pub(crate) async fn open(&mut self, name: &str, options: &HeatOptions) -> RoomCode {
        self.open_seeded(name, options, None).await
    }

    /// Opens a room, whose seed the host sets or the server draws.
    pub(crate) async fn open_seeded(
        &mut self,
        name: &str,
        options: &HeatOptions,
        seed: Option<&str>,
    ) -> RoomCode {
        let seed = seed.map(|seed| seed.parse().unwrap());
        let entry = Entry::Open { options: options.clone(), seed, pin: None };
        self.enter(entry.request(name.to_owned(), false)).await
    }

    /// Joins a room and waits until it is in it.
    pub(crate) async fn join(&mut self, code: RoomCode, name: &str, role: Role) {
        self.enter(join(code, name, role)).await;
    }

    /// Joins a room as a program that plays, and waits until it is in it.
    pub(crate) async fn join_as_bot(&mut self, code: RoomCode, name: &str) {
        self.enter(Entry::join(code).request(name.to_owned(), true)).await;
    }

    /// Resumes the seat of an earlier connection.
    pub(crate) async fn resume(&mut self, ticket: &ResumeTicket) {
        self.enter(ticket.request()).await;
    }

    /// Asks for a place in a room and waits until it is in it.
    pub(crate) async fn enter(&mut self, request: ClientMessage) -> RoomCode {
        self.say(request).await;
        self.until("to be in the room", Self::is_in_a_room).await;
        self.view().code
    }

    /// Leaves the room, once everything that it sent is received.
    pub(crate) async fn leave(&mut self) {
        self.say(ClientMessage::Leave).await;
        self.settle().await;
        self.view = None;
    }

    /// Starts the heat as its host, and waits for GO.
    pub(crate) async fn start(&mut self) {
        self.say(ClientMessage::Start).await;
        self.until_go().await;
    }

    pub(crate) async fn until_go(&mut self) {
        self.until("GO", Self::is_running).await;
    }

    pub(crate) async fn until_over(&mut self) {
        self.until("the end", |client| client.view().result().is_some()).await;
    }

    /// Opens the next heat as the host.
    pub(crate) async fn rematch(&mut self) {
        self.say(ClientMessage::Rematch).await;
        self.until("the lobby", |client| matches!(client.view().phase, HeatPhase::Lobby)).await;
    }

    /// Waits until the roster has a property.
    pub(crate) async fn until_roster(&mut self, what: &str, holds: impl Fn(&Roster) -> bool) {
        self.until(what, |client| holds(&client.view().roster)).await;
    }

    pub(crate) async fn until_members(&mut self, count: usize) {
        self.until_roster("members", |roster| roster.members.len() == count).await;
    }

    /// Waits until a member has lost its connection, or has one again.
    pub(crate) async fn until_connected(&mut self, id: PlayerId, connected: bool) {
        let is_so =
            |client: &Self| client.member(id).is_some_and(|member| member.connected == connected);
        self.until("a lost or resumed connection", is_so).await;
    }

    /// Sends a request, and checks that it is refused for this reason.
    pub(crate) async fn refused_for(&mut self, request: ClientMessage, why: Refusal) {
        let before = self.refusals().len();
        self.say(request).await;
        self.until("a refusal", |client| client.refusals().len() > before).await;
        assert_eq!(self.refusals()[before], why);
    }

    /// Plays one move and waits for its acknowledgement.
    pub(crate) async fn play(&mut self, play: Move) {
        let race = self.view.as_mut().and_then(HeatView::race_mut).expect("a race");
        let seq = race.play.play(play.clone()).expect("a legal move");
        self.say(ClientMessage::Move { seq, play }).await;
        self.until("an acknowledgement", |client| client.acknowledged() >= seq).await;
    }

    /// Waits for the solver's rating of the board, which is in the result.
    pub(crate) async fn until_rated(&mut self) -> MoveBounds {
        let best = |client: &Self| client.view().result().and_then(|result| result.best);
        self.until("a rating", |client| best(client).is_some()).await;
        best(self).unwrap()
    }

    /// Requests a hint and returns it, with how many moves further the last move has led.
    pub(crate) async fn hint(&mut self) -> (Hint, Option<i32>) {
        self.hint_in(HintStyle::Shortest).await
    }

    /// Like [`Self::hint`], in a style.
    pub(crate) async fn hint_in(&mut self, style: HintStyle) -> (Hint, Option<i32>) {
        let given = |client: &Self| {
            pick!(client, ServerMessage::Hint { hint, distance_change, .. }
                => (hint.clone(), *distance_change))
        };
        let before = given(self).len();
        self.say(ClientMessage::Hint { style }).await;
        self.until("a hint", |client| given(client).len() > before).await;
        given(self).remove(before)
    }

    /// Plays up to `count` moves on the way to the solution, and says whether it is reached.
    pub(crate) async fn advance(&mut self, count: usize) -> bool {
        let mut plan =
            Plan::plan(self.board(), Aim::Plain, HINT_BUDGET, &SolverResources::none()).unwrap();
        for _ in 0..count {
            let Some(hint) = plan.next(self.board()) else {
                break;
            };
            self.play(hint.play(self.board()).unwrap()).await;
        }
        self.board().is_solved()
    }

    /// Plays the board to its solution, and waits for the row that says so.
    pub(crate) async fn finish(&mut self) {
        assert!(self.advance(usize::MAX).await);
        self.until("the row of a finished player", |client| {
            let row = client.view().my_standing().map(|row| row.state);
            matches!(row, Some(RaceState::Finished { .. }))
        })
        .await;
    }

    /// Waits until what was told has a property.
    pub(crate) async fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !holds(self) {
                assert!(self.receive().await, "closed while waiting for {what}: {self}");
            }
        });
        assert!(waited.await.is_ok(), "waited in vain for {what}: {self}");
    }

    /// Waits until the server has processed all earlier requests, and its answers and all that
    /// happened in the room by then are received.
    pub(crate) async fn settle(&mut self) {
        // The messages of a room wait for the disk, and a pong doesn't. So the room is sent a
        // request first, whose answer waits behind all of them, and which changes nothing.
        if self.is_in_a_room() {
            let before = self.refusals().len();
            self.say(ClientMessage::Kick { player: NOBODY }).await;
            self.until("a refusal", |client| client.refusals().len() > before).await;
            self.log.pop();
        }
        let pongs = |client: &Self| pick!(client, ServerMessage::Pong { .. } => ()).len();
        let before = pongs(self);
        self.say(ClientMessage::Ping { sent: ClientInstant(0) }).await;
        self.until("a pong", |client| pongs(client) > before).await;
    }

    /// Waits for the end of the connection and returns its close code.
    pub(crate) async fn until_closed(&mut self) -> Option<u16> {
        let waited = timeout(PATIENCE, async { while self.receive().await {} });
        assert!(waited.await.is_ok(), "still open: {self}");
        self.closed
    }

    /// Drops the connection without a close frame, and returns the ticket for its seat.
    pub(crate) fn vanish(self) -> ResumeTicket {
        self.ticket()
    }

    pub(crate) fn ticket(&self) -> ResumeTicket {
        self.ticket.clone().expect("a ticket")
    }

    pub(crate) fn is_in_a_room(&self) -> bool {
        self.view.is_some() && self.ticket.is_some()
    }

    pub(crate) fn view(&self) -> &HeatView {
        self.view.as_ref().expect("in a room")
    }

    pub(crate) fn you(&self) -> PlayerId {
        self.view().you
    }

    /// Says whether the client races or watches.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.view().phase, HeatPhase::Racing(_) | HeatPhase::Watching(_))
    }

    /// Returns the board of the client's own race.
    pub(crate) fn board(&self) -> &Board {
        self.view().race().expect("a race").play.board()
    }

    /// Returns the number of the last move that the server has played.
    pub(crate) fn acknowledged(&self) -> Seq {
        self.view().race().expect("a race").play.acknowledged()
    }

    /// Returns a player's board as a spectator sees it.
    pub(crate) fn board_of(&self, player: PlayerId) -> Option<&Board> {
        let HeatPhase::Watching(spectated) = &self.view().phase else { return None };
        spectated.boards.get(&player)
    }

    pub(crate) fn member(&self, id: PlayerId) -> Option<&Member> {
        self.view().roster.members.iter().find(|member| member.id == id)
    }

    pub(crate) fn row(&self, id: PlayerId) -> Option<&Standing> {
        self.view().standings.iter().find(|row| row.player == id)
    }

    pub(crate) fn result(&self) -> &HeatResult {
        self.view().result().expect("a heat that is over")
    }

    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        pick!(self, ServerMessage::Refused(why) => *why)
    }

    pub(crate) fn rejections(&self) -> Vec<(Seq, Rejection)> {
        pick!(self, ServerMessage::Rejected { seq, why } => (*seq, *why))
    }

    pub(crate) fn farewell(&self) -> Option<Farewell> {
        pick!(self, ServerMessage::Goodbye(why) => *why).pop()
    }

    pub(crate) fn rooms(&self) -> Vec<RoomSummary> {
        pick!(self, ServerMessage::Rooms(heats) => heats.clone()).pop().unwrap_or_default()
    }

    /// Picks values out of the log; see [`pick!`].
    pub(crate) fn pick<'a, T>(&'a self, pick: impl Fn(&'a ServerMessage) -> Option<T>) -> Vec<T> {
        self.log.iter().filter_map(pick).collect()
    }

    /// Receives a message or a close frame; says no at the end of the connection.
    async fn receive(&mut self) -> bool {
        match self.connection.next().await {
            Ok(message) => self.apply(message),
            Err(NetError::Closed { code }) if self.closed.is_none() => self.closed = Some(code),
            Err(NetError::Closed { .. } | NetError::Lost(_)) => return false,
            Err(error) => panic!("{error}: {self}"),
        }
        true
    }

    fn apply(&mut self, message: ServerMessage) {
        self.log.push(message.clone());
        if let ServerMessage::Joined { you, room } = message {
            // The token comes after the snapshot.
            self.ticket = None;
            self.view = Some(HeatView::new(you, *room));
        } else if let ServerMessage::Token { code, player, token } = message {
            self.ticket = Some(ResumeTicket { code, player, token });
        } else if let Some(view) = &mut self.view {
            let _change = view.apply(ClientInstant(0), &message);
        }
    }
}

/// Shows the latest messages: what is known where a test waited in vain.
impl std::fmt::Display for TestClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let latest = self.log.len().saturating_sub(8);
        write!(f, "closed with {:?} after {} messages", self.closed, self.log.len())?;
        self.log[latest..].iter().try_for_each(|message| write!(f, "\n  {message:?}"))
    }
}

/// Returns the request to join a room without a PIN as a person.
pub(crate) fn join(code: RoomCode, name: &str, role: Role) -> ClientMessage {
    Entry::Join { code, role, pin: None }.request(name.to_owned(), false)
}
