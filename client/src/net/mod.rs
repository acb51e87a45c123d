//! One connection to a server: messages in and out, as values.
//!
//! The TUI, the bots and the demo all speak through here.

pub mod address;
pub mod clock;
mod error;
mod network;
mod stream;
mod tls_trust;

pub use error::NetError;
pub use network::{Network, Tcp};
pub use stream::Stream;
pub use tls_trust::{Distrust, Trust, TrustError};

use crate::net::address::{Address, AddressError};

use error::{NO_CODE, broken, unwelcome};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::identity::{Challenge, Key};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::codec::{self, Codec, Frame, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use std::io::ErrorKind;
use std::pin::pin;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// How long connecting and greeting may take together: a phone's radio wakes up in less.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long connecting takes before that is worth a word.
const NOTICEABLE: Duration = Duration::from_secs(1);
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
    timeout(CONNECT_TIMEOUT, dial(network, &address)).await.map_err(|_| NetError::TimedOut)?
}

/// Does so for a command that has no screen, and tells whoever started it where that takes a
/// while.
///
/// # Errors
/// [`NetError`]; within a few seconds in any case.
pub async fn connect_aloud<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let mut connecting = pin!(connect_over(network, address));
    match timeout(NOTICEABLE, connecting.as_mut()).await {
        Ok(outcome) => outcome,
        Err(_) => {
            network.notify(format_args!("waiting for an answer from {address}"));
            connecting.await
        }
    }
}

impl<N: Network> Connection<N> {
    /// Sends a message.
    ///
    /// # Errors
    /// [`NetError`] where the connection stands no more, or the server reads no more.
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), NetError> {
        self.network.on_send(message);
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
                    self.network.on_receive(&message);
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

    /// Tells whoever started the program something of this connection.
    pub fn notify(&self, news: std::fmt::Arguments<'_>) {
        self.network.notify(news);
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
    let mut request = address.url().into_client_request().map_err(|_| AddressError::Host)?;
    let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
    request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
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
    connection.send(&ClientMessage::Hello(Hello { version: VERSION, agent })).await?;
    // The only message that the server may say before welcome is goodbye.
    match connection.next().await? {
        ServerMessage::Welcome { version: VERSION, server, challenge } => {
            connection.server = server;
            connection.challenge = challenge;
            Ok(connection)
        }
        ServerMessage::Welcome { version: server, .. }
        | ServerMessage::Goodbye(Farewell::Version { server }) => Err(NetError::Version { server }),
        ServerMessage::Goodbye(farewell) => Err(NetError::Dismissed(farewell)),
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
        | ServerMessage::Recorded
        | ServerMessage::Standings(_)
        | ServerMessage::Moves(_)
        | ServerMessage::Hint { .. }
        | ServerMessage::Rated { .. } => Err(NetError::NotGridrace),
    }
}

#[cfg(test)]
mod tests;
