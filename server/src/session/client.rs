//! One person's side of the server: a single task that reads, applies, and writes.

use crate::hub::Hub;
use crate::platform::clock::Clock;
use crate::platform::load_shedding::{self, Wait};
use crate::platform::rng;
use crate::platform::token_bucket::{Allowance, Bucket};
use crate::room::Room;
use crate::room::outbox::{Ending, Frame, Outbox};
use crate::session::requests::{Membership, cost};
use crate::transport::admission::Admission;
use crate::transport::websocket::{ReadError, Socket, WriteError};
use gridrace_shared::heat::identity::{Challenge, Fingerprint};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Farewell, Refusal, Rejection, ServerMessage, Verdict};
use gridrace_shared::puzzle::Move;
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tracing::{debug, error};

/// How long a client may take to say hello.
const HELLO_DEADLINE: Duration = Duration::from_secs(5);
/// How often the server pings a client.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long nothing may be heard: two heartbeats and a half.
const SILENCE: Duration = Duration::from_secs(25);
/// How long one wake-up's frames may take to be written before the reader counts as gone.
const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// Moves of one client whose answers are timed at once; what is more goes untimed.
const TIMED: usize = 64;

/// What every connection shares.
#[derive(Debug)]
pub struct Shared {
    /// The clock.
    pub clock: Clock,
    /// The heats.
    pub hub: Hub,
    /// Who may come in.
    pub admission: Admission,
    /// How much one client may send.
    pub allowance: Allowance,
}

/// Why a connection is over.
pub(crate) enum Over {
    /// The peer is gone or has closed.
    Gone,
    /// The server closes with a farewell, which says why.
    Farewell(Farewell, Option<String>),
    /// The server closes because of what the frames themselves are.
    Fault(CloseCode, &'static str),
}

/// What a client's life on the server comes to, at its end or at a turn of it.
pub(crate) enum Turn {
    /// It is over.
    Over(Over),
    /// It has a seat in a heat that lives in another runtime.
    Elsewhere(Arc<Room>),
}

/// Somebody who proved a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) bot: bool,
}

/// A client's side of the server.
pub(crate) struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) peer: IpAddr,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) membership: Option<Membership>,
    /// As what the client dialled this server, and what a proof of its key is about.
    pub(crate) host: Box<str>,
    pub(crate) challenge: Challenge,
    /// Whose key was proved, and whether a program has it.
    pub(crate) identity: Option<Identity>,
    /// When the client's results were looked up last.
    pub(crate) looked: Option<ServerInstant>,
    greeted: bool,
    /// What everybody hears of counts threefold, see [`cost`].
    messages: Bucket,
    /// Whether it has a seat in a heat that lives in another runtime.
    moves: bool,
    /// When the next ping is due.
    beat: Instant,
    /// Moves that aren't answered: their numbers, and when they came.
    asked: VecDeque<(Seq, ServerInstant)>,
    pub(crate) wait: Arc<Wait>,
    /// The last move, where the server was too busy for it.
    refused: Option<Seq>,
    came: ServerInstant,
    heard: ServerInstant,
}

impl Client {
    pub(crate) fn new(shared: Arc<Shared>, peer: IpAddr, host: Box<str>) -> Self {
        let now = shared.clock.now();
        let spread = HEARTBEAT * u32::from(rng::spread()) / 256;
        Self {
            beat: shared.clock.timer(now) + spread,
            moves: false,
            peer,
            host,
            challenge: rng::challenge(),
            identity: None,
            looked: None,
            outbox: Arc::default(),
            membership: None,
            greeted: false,
            messages: shared.allowance.messages(now),
            asked: VecDeque::new(),
            wait: Wait::new(shared.clock),
            refused: None,
            came: now,
            heard: now,
            shared,
        }
    }

    /// Hears and answers the client, until that has come to something.
    pub(crate) async fn live<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        socket: &mut Socket<S>,
    ) -> Turn {
        let outbox = Arc::clone(&self.outbox);
        let mut alarm = pin!(tokio::time::sleep_until(self.alarm(None)));
        loop {
            // What is read may flood nobody: it is on a budget. So what it leads to goes out in
            // one write.
            let step = tokio::select! {
                biased;
                read = socket.read() => self.hear(read),
                () = outbox.ready() => self.speak(socket).await,
                () = alarm.as_mut() => {
                    let step = self.mind_time(socket).await;
                    outbox.flush_standings();
                    alarm.as_mut().reset(self.alarm(socket.patience()));
                    step
                }
            };
            if let Err(over) = step {
                return Turn::Over(over);
            }
            if std::mem::take(&mut self.moves)
                && let Some(membership) = &self.membership
            {
                return Turn::Elsewhere(membership.heat());
            }
            let due = self.alarm(socket.patience());
            if due < alarm.deadline() {
                alarm.as_mut().reset(due);
            }
        }
    }

    /// Returns until when the client may go on saying nothing.
    fn patience(&self) -> Instant {
        let clock = self.shared.clock;
        if self.greeted {
            clock.timer(self.heard) + SILENCE
        } else {
            clock.timer(self.came) + HELLO_DEADLINE
        }
    }

    /// Returns when it is time for something. The alarm isn't put off whenever something is
    /// heard, but looks again when it rings. `deaf` is until when the client may take to show
    /// that it reads, if it was asked to.
    fn alarm(&self, deaf: Option<ServerInstant>) -> Instant {
        let due = self.patience().min(self.beat);
        deaf.map_or(due, |deaf| due.min(self.shared.clock.timer(deaf)))
    }

    /// Pings the client, or loses patience with it, where it is time for that.
    async fn mind_time<S>(&mut self, socket: &mut Socket<S>) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let clock = self.shared.clock;
        let now = clock.timer(clock.now());
        if now >= self.patience() {
            return Err(Over::Farewell(Farewell::Silent, None));
        }
        if socket.patience().is_some_and(|deaf| now >= clock.timer(deaf)) {
            return Err(Over::Farewell(Farewell::TooSlow, None));
        }
        if now < self.beat {
            return Ok(());
        }
        self.beat = now + HEARTBEAT;
        match tokio::time::timeout(WRITE_DEADLINE, socket.ping()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Over::Gone),
            Err(_) => Err(Over::Farewell(Farewell::TooSlow, None)),
        }
    }

    fn hear(&mut self, read: Result<Option<ClientMessage>, ReadError>) -> Result<(), Over> {
        let now = self.shared.clock.now();
        self.heard = now;
        self.outbox.note_activity(now);
        let message = match read {
            Ok(message) => message,
            Err(ReadError::Gone) => return Err(Over::Gone),
            Err(ReadError::Flooding) => return Err(Over::Farewell(Farewell::Flooding, None)),
            Err(ReadError::Malformed(why)) => {
                return Err(Over::Farewell(Farewell::Malformed, Some(why)));
            }
            Err(ReadError::Frames(code, why)) => return Err(Over::Fault(code, why)),
        };
        // A ping or pong of the WebSocket itself counts, too.
        if !self.messages.take(message.as_ref().map_or(1, cost), now) {
            return Err(Over::Farewell(Farewell::Flooding, None));
        }
        match message {
            None => Ok(()),
            Some(ClientMessage::Hello(hello)) => self.greet(&hello),
            Some(_) if !self.greeted => {
                Err(Over::Farewell(Farewell::Malformed, Some("hello comes first".to_owned())))
            }
            Some(message) => {
                self.request(message, now);
                Ok(())
            }
        }
    }

    /// Plays a move in the client's room, which rejects it if the server is overloaded.
    pub(crate) fn play(&mut self, seq: Seq, play: Move, now: ServerInstant) -> bool {
        let overloaded = !self.admit_move(seq, now);
        if !overloaded && self.asked.len() < TIMED {
            self.asked.push_back((seq, now));
        }
        let membership = self.membership.as_ref();
        membership.is_some_and(|membership| membership.play(seq, play, overloaded))
    }

    /// Returns whether the server has capacity for a move. What was sent right behind a move that
    /// was shed is shed with it: alone it would be a gap. A move that is sent again is admitted
    /// anew.
    fn admit_move(&mut self, seq: Seq, now: ServerInstant) -> bool {
        let follows = self.refused.is_some_and(|refused| refused.next() == seq);
        let admitted = !follows && load_shedding::take_on(self.wait.since(), now);
        self.refused = (!admitted).then_some(seq);
        admitted
    }

    fn greet(&mut self, hello: &Hello) -> Result<(), Over> {
        if self.greeted {
            self.refuse(Refusal::HelloTwice);
            return Ok(());
        }
        if hello.version != VERSION {
            return Err(Over::Farewell(Farewell::Version { server: VERSION }, None));
        }
        /// As much of a client's own name as goes into the log, in characters.
        const AGENT: usize = 64;
        let agent: String = hello.agent.chars().take(AGENT).collect();
        debug!(peer = %self.peer, ?agent, "hello");
        self.greeted = true;
        let server = format!("gridrace-server {}", env!("CARGO_PKG_VERSION"));
        self.say(ServerMessage::Welcome { version: VERSION, server, challenge: self.challenge });
        Ok(())
    }

    async fn speak<S>(&mut self, socket: &mut Socket<S>) -> Result<(), Over>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let taken = self.outbox.take();
        let written = tokio::time::timeout(WRITE_DEADLINE, socket.write(&taken.frames)).await;
        self.time(&taken.frames);
        match (written, taken.ending) {
            (Ok(Ok(())), None) => Ok(()),
            (Ok(Ok(())), Some(Ending::Farewell(farewell))) => Err(Over::Farewell(farewell, None)),
            (Ok(Ok(())), Some(Ending::Released)) | (Ok(Err(WriteError::Gone)), _) => {
                Err(Over::Gone)
            }
            (Ok(Err(WriteError::TooLong(bytes))), _) => {
                error!(bytes, "a message is longer than a client reads");
                let why = "the server's next message is too long";
                Err(Over::Fault(CloseCode::TooBig, why))
            }
            (Err(_), _) => Err(Over::Farewell(Farewell::TooSlow, None)),
        }
    }

    /// Notes how long the moves waited that these frames answer.
    fn time(&mut self, frames: &VecDeque<Arc<Frame>>) {
        if self.asked.is_empty() {
            return;
        }
        let now = self.shared.clock.now();
        for frame in frames {
            let answered = match frame.message().verdict() {
                None => continue,
                // Not one of those that wait for their answer.
                Some(Verdict::Rejected(_, Rejection::Busy)) => continue,
                Some(Verdict::Accepted(seq) | Verdict::Rejected(seq, _)) => seq,
                Some(Verdict::OutOfStep(_)) => {
                    self.asked.clear();
                    return;
                }
            };
            while let Some(&(seq, came)) = self.asked.front()
                && seq <= answered
            {
                self.asked.pop_front();
                let waited = Duration::from_micros(now.0.saturating_sub(came.0));
                self.shared.hub.metrics().acknowledge(waited);
            }
        }
    }

    pub(crate) fn say(&self, message: ServerMessage) {
        self.outbox.push(Frame::new(message));
    }

    pub(crate) fn refuse(&self, why: Refusal) {
        self.say(ServerMessage::Refused(why));
    }

    /// Makes the client a member of a heat it has just got into.
    pub(crate) fn enter(&mut self, heat: Arc<Room>, id: PlayerId) {
        let (shared, outbox) = (Arc::clone(&self.shared), Arc::clone(&self.outbox));
        self.moves = !heat.home().is_here();
        self.membership = Some(Membership::new(shared, heat, id, outbox));
    }
}

#[cfg(test)]
mod tests;
