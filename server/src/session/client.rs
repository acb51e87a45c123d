//! One client's session: a single task that reads, applies and writes.

use crate::platform::clock::Clock;
use crate::platform::token_bucket::Bucket;
use crate::platform::wake_latency::WakeLatency;
use crate::room::Room;
use crate::room::outbox::{Answered, Ending};
use crate::session::ServerState;
use crate::session::requests::{RequestHandler, request_cost};
use crate::transport::websocket::{Disconnected, ReadError, WebSocket};
use futures_util::FutureExt;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use tracing::{debug, error};

/// How long a client may take to send its hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two pings to a client.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// Longest silence of a client: two and a half heartbeats.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(25);
/// How long one wake-up's frames may take to be written.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Moves of one client whose latency is measured at once; further ones aren't measured.
const MAX_MEASURED_MOVES: usize = 64;
const MAX_LOGGED_AGENT_CHARS: usize = 64;

pub(crate) enum CloseReason {
    /// The peer closed it or vanished.
    Disconnected,
    /// The server closes it with a farewell; the text replaces the farewell's own as the close
    /// frame's reason.
    Farewell(Farewell, Option<String>),
    /// The server closes it because of an invalid frame.
    Protocol(CloseCode, &'static str),
}

pub(crate) enum SessionOutcome {
    Closed(CloseReason),
    /// The client joined a room that lives on another runtime, where the session continues.
    Handoff(Arc<Room>),
}

pub(crate) struct Client {
    pub(crate) requests: RequestHandler,
    greeted: bool,
    message_budget: Bucket,
    connected_at: ServerInstant,
    last_received: ServerInstant,
    next_ping: Instant,
    pending_moves: VecDeque<(Seq, ServerInstant)>,
    pub(crate) wake_latency: Arc<WakeLatency>,
}

impl Client {
    pub(crate) fn new(state: Arc<ServerState>, peer: IpAddr, host: Box<str>, codec: Codec) -> Self {
        let now = state.clock.now();
        let [fraction] = state.environment.rng.bytes::<1>();
        let jitter = HEARTBEAT_INTERVAL * u32::from(fraction) / 256;
        Self {
            next_ping: state.clock.timer(now) + jitter,
            greeted: false,
            message_budget: state.client_rate.messages(now),
            connected_at: now,
            last_received: now,
            pending_moves: VecDeque::new(),
            wake_latency: WakeLatency::new(state.clock),
            requests: RequestHandler::new(state, peer, host, codec),
        }
    }

    /// Serves the client until the session ends or continues on another runtime.
    pub(crate) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        socket: &mut WebSocket<S>,
    ) -> SessionOutcome {
        let outbox = Arc::clone(&self.requests.outbox);
        let mut timer = pin!(tokio::time::sleep_until(self.next_timer(None)));
        loop {
            // Reading first is safe, because the client's rate is limited; its answers then leave
            // in one write.
            let step = tokio::select! {
                biased;
                read = socket.read() => self.on_read(read),
                () = outbox.ready() => self.flush_outbox(socket).await,
                () = timer.as_mut() => {
                    let step = self.on_timer(socket).await;
                    timer.as_mut().reset(self.next_timer(socket.read_deadline()));
                    step
                }
            };
            if let Err(reason) = step {
                return SessionOutcome::Closed(reason);
            }
            if let Some(room) = self.requests.take_handoff() {
                return SessionOutcome::Handoff(room);
            }
            let due = self.next_timer(socket.read_deadline());
            if due < timer.deadline() {
                timer.as_mut().reset(due);
            }
        }
    }

    fn clock(&self) -> Clock {
        self.requests.state.clock
    }

    fn silence_deadline(&self) -> Instant {
        let clock = self.clock();
        if self.greeted {
            clock.timer(self.last_received) + SILENCE_TIMEOUT
        } else {
            clock.timer(self.connected_at) + HELLO_TIMEOUT
        }
    }

    /// Returns when the timer must fire. It isn't reset each time something is received, but
    /// checks again when it fires.
    fn next_timer(&self, read_deadline: Option<ServerInstant>) -> Instant {
        let due = self.silence_deadline().min(self.next_ping);
        read_deadline.map_or(due, |deadline| due.min(self.clock().timer(deadline)))
    }

    /// Checks the timeouts, and sends a ping if one is due.
    async fn on_timer<S>(&mut self, socket: &mut WebSocket<S>) -> Result<(), CloseReason>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let clock = self.clock();
        let now = clock.timer(clock.now());
        if now >= self.silence_deadline() {
            return Err(CloseReason::Farewell(Farewell::Silent, None));
        }
        if socket.read_deadline().is_some_and(|deadline| now >= clock.timer(deadline)) {
            return Err(CloseReason::Farewell(Farewell::TooSlow, None));
        }
        if now < self.next_ping {
            return Ok(());
        }
        self.next_ping = now + HEARTBEAT_INTERVAL;
        match Box::pin(timeout(WRITE_TIMEOUT, socket.ping())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(CloseReason::Disconnected),
            Err(_) => Err(CloseReason::Farewell(Farewell::TooSlow, None)),
        }
    }

    fn on_read(
        &mut self,
        read: Result<Option<ClientMessage>, ReadError>,
    ) -> Result<(), CloseReason> {
        let now = self.clock().now();
        self.last_received = now;
        self.requests.outbox.note_activity(now);
        let message = match read {
            Ok(message) => message,
            Err(ReadError::Disconnected) => return Err(CloseReason::Disconnected),
            Err(ReadError::Flooding) => {
                return Err(CloseReason::Farewell(Farewell::Flooding, None));
            }
            Err(ReadError::Malformed(why)) => {
                return Err(CloseReason::Farewell(Farewell::Malformed, Some(why)));
            }
            Err(ReadError::Protocol(code, why)) => return Err(CloseReason::Protocol(code, why)),
        };
        // Pings and pongs of the WebSocket count, too.
        if !self.message_budget.take(message.as_ref().map_or(1, request_cost), now) {
            return Err(CloseReason::Farewell(Farewell::Flooding, None));
        }
        match message {
            None => Ok(()),
            Some(ClientMessage::Hello(hello)) => self.on_hello(&hello),
            Some(_) if !self.greeted => {
                let why = "hello comes first".to_owned();
                Err(CloseReason::Farewell(Farewell::Malformed, Some(why)))
            }
            Some(message) => {
                let mut is_overloaded = false;
                if let ClientMessage::Move { seq, .. } = &message {
                    is_overloaded = !self.admit_move(now);
                    // Moves that were never answered are of an earlier heat.
                    self.pending_moves.retain(|(sent, _)| sent < seq);
                    if !is_overloaded && self.pending_moves.len() < MAX_MEASURED_MOVES {
                        self.pending_moves.push_back((*seq, now));
                    }
                }
                self.requests.handle(message, now, is_overloaded);
                Ok(())
            }
        }
    }

    /// Returns whether the server has capacity for a move.
    fn admit_move(&self, now: ServerInstant) -> bool {
        let woken = self.wake_latency.woken_at();
        self.requests.room().is_none_or(|room| room.runtime().load().admit_move(woken, now))
    }

    fn on_hello(&mut self, hello: &Hello) -> Result<(), CloseReason> {
        if self.greeted {
            self.requests.refuse(Refusal::HelloTwice);
            return Ok(());
        }
        if hello.version != VERSION {
            return Err(CloseReason::Farewell(Farewell::Version { server: VERSION }, None));
        }
        let agent: String = hello.agent.chars().take(MAX_LOGGED_AGENT_CHARS).collect();
        debug!(peer = %self.requests.peer, ?agent, "hello");
        self.greeted = true;
        let server = format!("gridrace-server {}", env!("CARGO_PKG_VERSION"));
        let challenge = self.requests.challenge;
        self.requests.send(ServerMessage::Welcome { version: VERSION, server, challenge });
        Ok(())
    }

    async fn flush_outbox<S>(&mut self, socket: &mut WebSocket<S>) -> Result<(), CloseReason>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let taken = self.requests.outbox.take(self.clock().now());
        socket.queue(taken.frames);
        // Nearly always there is room for all. The rest is boxed, as it would enlarge each
        // connection's future.
        let written = match socket.flush().now_or_never() {
            Some(written) => Ok(written),
            None => Box::pin(timeout(WRITE_TIMEOUT, socket.flush())).await,
        };
        self.record_latencies(taken.answered);
        match (written, taken.ending) {
            (Ok(Ok(())), None) => Ok(()),
            (Ok(Ok(())), Some(Ending::Farewell(why))) => Err(CloseReason::Farewell(why, None)),
            (Ok(Ok(())), Some(Ending::Released)) | (Ok(Err(Disconnected)), _) => {
                Err(CloseReason::Disconnected)
            }
            (Ok(Ok(())), Some(Ending::TooLong(bytes))) => {
                error!(peer = %self.requests.peer, bytes, "message exceeds the protocol's limit");
                let why = "the server's next message is too long";
                Err(CloseReason::Protocol(CloseCode::TooBig, why))
            }
            (Err(_), _) => Err(CloseReason::Farewell(Farewell::TooSlow, None)),
        }
    }

    /// Records the latency of the moves that were answered.
    fn record_latencies(&mut self, answered: Answered) {
        let last = match answered {
            Answered::None => return,
            Answered::All => return self.pending_moves.clear(),
            Answered::UpTo(last) => last,
        };
        let now = self.clock().now();
        while let Some(&(seq, received)) = self.pending_moves.front()
            && seq <= last
        {
            self.pending_moves.pop_front();
            self.requests.state.hub.services.metrics.acknowledge(now.since(received));
        }
    }
}

#[cfg(test)]
mod tests;
