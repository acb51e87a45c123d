//! One connection to a server: messages in and out, as values.
//!
//! The TUI, the bots and the demo all speak through here.

mod network;
mod stream;
mod trust;

pub use network::{Network, Tcp};
pub use stream::Stream;
pub use trust::{Distrust, Trust, TrustFault};

use crate::address::{Address, AddressError};
use crate::clock;
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::identity::{Challenge, Key};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::{self, Codec, Frame, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

/// How long connecting and greeting may take together: a phone's radio wakes up in less.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one message may wait for the server to read: by then it has given up on us.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long saying goodbye may take before the socket is just dropped.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long nothing may be heard: the server pings every ten seconds, so two pings and a half.
const SILENCE: Duration = Duration::from_secs(25);
/// The buffer for reading, in bytes: most messages are far below one page.
const READ_BUFFER: usize = 4 * 1024;
/// The most bytes that wait to be written: a few hundred moves.
const MAX_WRITE_BUFFER: usize = 64 * 1024;

/// Why there is no connection, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The address can't be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Nobody answers there.
    #[error("the server can't be reached: {0}")]
    Unreachable(ErrorKind),
    /// It answers that it can't serve now: it is full, or what stands before it finds it away.
    #[error("the server is full or away for a moment")]
    Unavailable {
        /// When to try again, where it says so.
        retry_seconds: Option<u16>,
    },
    /// The server can't be told from another that pretends to be it.
    #[error(transparent)]
    Untrusted(#[from] Distrust),
    /// It speaks no TLS.
    #[error("what answers there speaks no TLS: try ws:// in place of wss://")]
    NoTls,
    /// It speaks nothing that can be read without TLS.
    #[error("what answers there speaks no plain HTTP: try wss:// before the address")]
    NotPlain,
    /// Somebody answers, but in another language.
    #[error("what answers there is no gridrace server")]
    NotGridrace,
    /// The server speaks another version of the protocol.
    #[error("the server speaks protocol version {server}, this client {VERSION}")]
    Version {
        /// The server's version.
        server: u16,
    },
    /// The server said goodbye before it said welcome.
    #[error("{0}")]
    Turned(Farewell),
    /// No answer in time.
    #[error("the server doesn't answer")]
    TimedOut,
    /// The connection broke.
    #[error("the connection was lost: {0}")]
    Lost(ErrorKind),
    /// The server closed the connection.
    #[error("the server closed the connection ({code})")]
    Closed {
        /// The close code, 1005 where none was given.
        code: u16,
    },
    /// The server sent what is no message.
    #[error("the server sent a message that can't be read")]
    Malformed,
}

impl NetError {
    /// Says whether it makes sense to connect again by itself.
    #[must_use]
    pub fn may_retry(self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Unavailable { .. } | Self::TimedOut | Self::Lost(_) => {
                true
            }
            Self::Address(_)
            | Self::Untrusted(_)
            | Self::NoTls
            | Self::NotPlain
            | Self::NotGridrace
            | Self::Version { .. }
            | Self::Malformed => false,
            Self::Turned(farewell) => CloseCode::from(farewell).may_retry(),
            // Without a code the other end just vanished.
            Self::Closed { code } => CloseCode::from_number(code).is_none_or(CloseCode::may_retry),
        }
    }

    /// Returns how long the server wants to be left alone, where it has said so.
    #[must_use]
    pub fn wish(self) -> Option<Duration> {
        let seconds = match self {
            Self::Unavailable { retry_seconds } => retry_seconds,
            Self::Turned(Farewell::Busy { retry_seconds }) => Some(retry_seconds),
            Self::Turned(_)
            | Self::Address(_)
            | Self::Untrusted(_)
            | Self::NoTls
            | Self::NotPlain
            | Self::Unreachable(_)
            | Self::NotGridrace
            | Self::Version { .. }
            | Self::TimedOut
            | Self::Lost(_)
            | Self::Closed { .. }
            | Self::Malformed => None,
        };
        seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }
}

/// What HTTP says in place of a server that is full or away (RFC 9110, section 15.6).
const AWAY: [u16; 3] = [502, 503, 504];
/// The close code that stands for "none was given" (RFC 6455, section 7.1.5).
const NO_CODE: u16 = 1005;

/// A connection on which hello was answered with welcome.
#[derive(Debug)]
pub struct Connection<N: Network = Tcp> {
    socket: WebSocketStream<N::Stream>,
    network: N,
    server: String,
    /// The server as it was dialled, and what a proof of a key is about.
    host: String,
    challenge: Challenge,
    /// When the last frame came.
    heard: Instant,
}

/// Connects to a server, says hello, and waits for its welcome; of those that speak TLS it
/// trusts whom the system trusts.
///
/// # Errors
/// [`NetError`]; within a few seconds in any case.
pub async fn connect(address: &str) -> Result<Connection, NetError> {
    connect_over(&Tcp::default(), address).await
}

/// Does the same over any network.
///
/// # Errors
/// [`NetError`]; within a few seconds in any case.
pub async fn connect_over<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let address = address.parse()?;
    timeout(CONNECT_TIMEOUT, dial(network, &address))
        .await
        .map_err(|_| NetError::TimedOut)?
}

impl<N: Network> Connection<N> {
    /// Sends a message.
    ///
    /// # Errors
    /// [`NetError`] where the connection stands no more, or the server reads no more.
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), NetError> {
        self.network.sends(message);
        let frame = codec::encode(Codec::Binary, message).map_err(|_| NetError::Malformed)?;
        let frame = match frame {
            Frame::Binary(bytes) => Message::binary(bytes),
            Frame::Text(text) => Message::text(text),
        };
        timeout(SEND_TIMEOUT, self.socket.send(frame))
            .await
            .map_err(|_| NetError::TimedOut)?
            .map_err(|error| broken(&error))
    }

    /// Waits for the next message. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`NetError`] where the connection stands no more, or nothing was heard for too long:
    /// not a ping.
    pub async fn next(&mut self) -> Result<ServerMessage, NetError> {
        loop {
            let silent = tokio::time::sleep_until(self.heard + SILENCE);
            let frame = tokio::select! {
                biased;
                frame = self.socket.next() => frame,
                () = silent => return Err(NetError::Lost(ErrorKind::TimedOut)),
            };
            self.heard = clock::instant();
            let Some(frame) = frame else {
                return Err(NetError::Closed { code: NO_CODE });
            };
            match frame.map_err(|error| broken(&error))? {
                Message::Binary(bytes) => {
                    let message = codec::decode_binary::<_, SERVER_FRAME_LIMIT>(&bytes)
                        .map_err(|_| NetError::Malformed)?;
                    self.network.hears(&message);
                    return Ok(message);
                }
                Message::Close(frame) => {
                    let code = frame.map_or(NO_CODE, |frame| frame.code.into());
                    return Err(NetError::Closed { code });
                }
                // Binary was agreed on.
                Message::Text(_) => return Err(NetError::Malformed),
                // The library answers pings by itself, and yields no raw frames.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    /// Proves a key, so that the server knows its owner again; before getting into a heat. A
    /// server that doesn't take the proof says so later.
    ///
    /// # Errors
    /// As for [`Connection::send`].
    pub async fn identify(&mut self, key: &Key, bot: bool) -> Result<(), NetError> {
        let proof = key.prove(self.challenge, &self.host, bot);
        self.send(&ClientMessage::Identify(proof)).await
    }

    /// Returns what the server calls itself; not to be shown before it is sanitised.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Closes the connection in good order, or drops it where that takes too long.
    pub async fn close(mut self) {
        // Whatever fails here, the connection is gone: that is what was wanted.
        timeout(CLOSE_TIMEOUT, self.socket.close(None)).await.ok();
    }

    /// Ends our half of a connection that is over: a server that goes down waits for that.
    pub async fn hang_up(&mut self) {
        let ending = async {
            self.socket.close(None).await.ok(); // it may be closed already
            self.socket.get_mut().shutdown().await
        };
        // Whatever fails here, the other end learns of it sooner or later.
        timeout(CLOSE_TIMEOUT, ending).await.ok();
    }
}

async fn dial<N: Network>(network: &N, address: &Address) -> Result<Connection<N>, NetError> {
    let stream = network.dial(address).await?;
    let mut request = address
        .url()
        .into_client_request()
        .map_err(|_| AddressError::Host)?;
    let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
    request
        .headers_mut()
        .insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_WRITE_BUFFER)
        .max_message_size(Some(SERVER_FRAME_LIMIT))
        .max_frame_size(Some(SERVER_FRAME_LIMIT));
    let (socket, _response) =
        tokio_tungstenite::client_async_with_config(request, stream, Some(config))
            .await
            .map_err(|error| unwelcome(&error))?;
    greet(Connection {
        socket,
        network: network.clone(),
        server: String::new(),
        host: address.authority(),
        challenge: Challenge::default(),
        heard: clock::instant(),
    })
    .await
}

async fn greet<N: Network>(mut connection: Connection<N>) -> Result<Connection<N>, NetError> {
    let agent = concat!("gridrace ", env!("CARGO_PKG_VERSION")).to_owned();
    connection
        .send(&ClientMessage::Hello(Hello {
            version: VERSION,
            agent,
        }))
        .await?;
    // The only message that the server may say before welcome is goodbye.
    match connection.next().await? {
        ServerMessage::Welcome {
            version: VERSION,
            server,
            challenge,
        } => {
            connection.server = server;
            connection.challenge = challenge;
            Ok(connection)
        }
        ServerMessage::Welcome {
            version: server, ..
        }
        | ServerMessage::Goodbye(Farewell::Version { server }) => Err(NetError::Version { server }),
        ServerMessage::Goodbye(farewell) => Err(NetError::Turned(farewell)),
        ServerMessage::Pong { .. }
        | ServerMessage::Heats(_)
        | ServerMessage::Token { .. }
        | ServerMessage::Joined { .. }
        | ServerMessage::Refused(_)
        | ServerMessage::Roster(_)
        | ServerMessage::Setup(_)
        | ServerMessage::Phase(_)
        | ServerMessage::Accepted { .. }
        | ServerMessage::Rejected { .. }
        | ServerMessage::Resync(_)
        | ServerMessage::Results(_)
        | ServerMessage::Unrecorded
        | ServerMessage::Standings(_)
        | ServerMessage::Moves(_)
        | ServerMessage::Hint { .. }
        | ServerMessage::Rated { .. } => Err(NetError::NotGridrace),
    }
}

/// Says what an error of the handshake means.
fn unwelcome(error: &tungstenite::Error) -> NetError {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError::{
        HandshakeIncomplete, HttparseError, ResetWithoutClosingHandshake,
    };
    match error {
        Error::Io(error) => NetError::Unreachable(error.kind()),
        // It hung up without a word.
        Error::Protocol(HandshakeIncomplete | ResetWithoutClosingHandshake)
        | Error::ConnectionClosed => NetError::Unreachable(ErrorKind::ConnectionReset),
        Error::Protocol(HttparseError(_)) => NetError::NotPlain,
        Error::Http(answer) if AWAY.contains(&answer.status().as_u16()) => {
            let wish = answer.headers().get(header::RETRY_AFTER);
            let retry_seconds = wish.and_then(|wish| wish.to_str().ok()?.parse().ok());
            NetError::Unavailable { retry_seconds }
        }
        // Every other way in which a handshake fails is an answer, but not ours.
        Error::Http(_)
        | Error::AlreadyClosed
        | Error::Tls(_)
        | Error::Capacity(_)
        | Error::Protocol(_)
        | Error::WriteBufferFull(_)
        | Error::Utf8(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::HttpFormat(_) => NetError::NotGridrace,
    }
}

/// Says what an error of an open connection means.
fn broken(error: &tungstenite::Error) -> NetError {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error {
        Error::Io(error) => NetError::Lost(error.kind()),
        Error::Protocol(ResetWithoutClosingHandshake) => NetError::Lost(ErrorKind::ConnectionReset),
        Error::ConnectionClosed | Error::AlreadyClosed => NetError::Closed { code: NO_CODE },
        Error::WriteBufferFull(_) => NetError::TimedOut,
        Error::Tls(_)
        | Error::Capacity(_)
        | Error::Protocol(_)
        | Error::Utf8(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => NetError::Malformed,
    }
}

#[cfg(test)]
mod tests;
