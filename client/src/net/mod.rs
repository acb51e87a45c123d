//! One connection to a server: messages in and out, as values.

pub mod address;
pub mod clock;
mod error;
pub mod http_get;
pub mod nearby;
mod network;
pub mod own_addresses;
mod tls_trust;

pub use error::{NetError, UntrustedError};
pub use network::{Network, Tcp};
pub use tls_trust::{Trust, TrustError};

use crate::net::address::{Address, AddressError};
use crate::net::clock::Clock;

use error::{NO_CODE, broken, unwelcome};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::heat::identity::{Challenge, Key};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::codec::{self, Codec, DecodeError, Frame, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use std::io::ErrorKind;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};

/// How long connecting and `hello` may take together: a phone's radio wakes up in less.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long connecting may take before the user is told.
const NOTICE_AFTER: Duration = Duration::from_secs(1);
/// How long one message may wait for the server to read it. By then the server has closed.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long closing may take before the socket is dropped.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the server may be silent. It pings every 10 seconds, so two pings are missed.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(25);
/// The buffer for reading, in bytes: most messages are far below one page.
const READ_BUFFER: usize = 4 * 1024;
/// Bytes that wait at most for the next flush.
const WRITE_BUFFER: usize = 4 * 1024;
/// The most bytes that wait to be written: a few hundred moves.
const MAX_WRITE_BUFFER: usize = 64 * 1024;

/// A connection on which hello was answered with welcome.
#[derive(Debug)]
pub struct Connection<N: Network = Tcp> {
    socket: WebSocketStream<N::Stream>,
    network: N,
    server: String,
    /// The authority that was dialled, which a proof of a key is about.
    host: String,
    challenge: Challenge,
    /// When the last frame arrived.
    heard: Instant,
    /// Fires when the server may have been silent for too long. One timer for all frames: to
    /// register one for each costs more than to read it.
    silence: Pin<Box<Sleep>>,
}

/// Connects to a server, sends `hello`, and waits for `welcome`.
///
/// # Errors
/// [`NetError`], within 5 seconds.
pub async fn connect_over<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let address = address.parse()?;
    timeout(CONNECT_TIMEOUT, dial(network, &address)).await.map_err(|_| NetError::TimedOut)?
}

/// Like [`connect_over`], and notifies the user if it takes more than a second.
///
/// # Errors
/// [`NetError`], within 5 seconds.
pub async fn connect_aloud<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let mut connecting = pin!(connect_over(network, address));
    match timeout(NOTICE_AFTER, connecting.as_mut()).await {
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
    /// [`NetError`] if the connection is lost, or the server reads no more.
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), NetError> {
        self.write(message).await?;
        self.flush().await
    }

    /// Writes a message that is sent by the next [`Connection::flush`].
    ///
    /// # Errors
    /// As for [`Connection::send`].
    pub async fn write(&mut self, message: &ClientMessage) -> Result<(), NetError> {
        self.network.on_send(message);
        let frame = codec::encode(self.network.codec(), message);
        let frame = match frame.map_err(|_| NetError::Malformed)? {
            Frame::Binary(bytes) => Message::binary(bytes),
            Frame::Text(text) => Message::text(text),
        };
        in_time(self.socket.feed(frame)).await
    }

    /// Sends what was written.
    ///
    /// # Errors
    /// As for [`Connection::send`].
    pub async fn flush(&mut self) -> Result<(), NetError> {
        in_time(self.socket.flush()).await
    }

    /// Waits for the next message. Safe to cancel.
    ///
    /// # Errors
    /// [`NetError`] if the connection is lost, or the server is silent for 25 seconds.
    pub async fn next(&mut self) -> Result<ServerMessage, NetError> {
        loop {
            let frame = tokio::select! {
                biased;
                frame = self.socket.next() => frame,
                () = &mut self.silence => {
                    let due = self.heard + SILENCE_TIMEOUT;
                    if due <= Clock::instant() {
                        return Err(NetError::Lost(ErrorKind::TimedOut));
                    }
                    self.silence.as_mut().reset(due);
                    continue;
                }
            };
            self.heard = Clock::instant();
            let Some(frame) = frame else {
                return Err(NetError::Closed { code: NO_CODE });
            };
            match frame.map_err(|error| broken(&error))? {
                Message::Binary(bytes) if self.network.codec() == Codec::Binary => {
                    return self
                        .received(&bytes, codec::decode_binary::<_, SERVER_FRAME_LIMIT>(&bytes));
                }
                Message::Text(text) if self.network.codec() == Codec::Json => {
                    return self.received(
                        text.as_bytes(),
                        codec::decode_text::<_, SERVER_FRAME_LIMIT>(&text),
                    );
                }
                Message::Close(frame) => {
                    let code = frame.map_or(NO_CODE, |frame| frame.code.into());
                    return Err(NetError::Closed { code });
                }
                // The other codec was agreed on.
                Message::Binary(_) | Message::Text(_) => return Err(NetError::Malformed),
                // The library answers pings by itself, and yields no raw frames.
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    fn received(
        &self,
        payload: &[u8],
        message: Result<ServerMessage, DecodeError>,
    ) -> Result<ServerMessage, NetError> {
        let message = message.map_err(|_| NetError::Malformed)?;
        self.network.on_receive(payload, &message);
        Ok(message)
    }

    /// Proves a key, so that the server knows its owner again; before entering a room. A server
    /// that rejects the proof says so in a later message.
    ///
    /// # Errors
    /// As for [`Connection::send`].
    pub async fn identify(&mut self, key: &Key, bot: bool) -> Result<(), NetError> {
        let proof = key.prove(self.challenge, &self.host, bot);
        self.send(&ClientMessage::Identify(proof)).await
    }

    /// Notifies the user about this connection.
    pub fn notify(&self, news: std::fmt::Arguments<'_>) {
        self.network.notify(news);
    }

    /// Returns the server's own name; not yet safe to print.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Closes the connection with a close frame, or drops it after 500 ms.
    pub async fn close(mut self) {
        // If this fails, the connection is gone all the same.
        timeout(CLOSE_TIMEOUT, self.socket.close(None)).await.ok();
    }
}

/// Waits until the server has read enough of what was sent before.
async fn in_time(sending: impl Future<Output = Result<(), WsError>>) -> Result<(), NetError> {
    let sent = timeout(SEND_TIMEOUT, sending).await.map_err(|_| NetError::TimedOut)?;
    sent.map_err(|error| broken(&error))
}

async fn dial<N: Network>(network: &N, address: &Address) -> Result<Connection<N>, NetError> {
    let stream = network.dial(address).await?;
    let mut request = address.url().into_client_request().map_err(|_| AddressError::Host)?;
    let subprotocol = HeaderValue::from_static(network.codec().subprotocol());
    request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
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
        heard: Clock::instant(),
        silence: Box::pin(sleep(SILENCE_TIMEOUT)),
    })
    .await
}

async fn greet<N: Network>(mut connection: Connection<N>) -> Result<Connection<N>, NetError> {
    let agent = concat!("gridrace ", env!("CARGO_PKG_VERSION")).to_owned();
    connection.send(&ClientMessage::Hello(Hello { version: VERSION, agent })).await?;
    // Before `welcome` the server may only send `goodbye`.
    let message = connection.next().await?;
    if let ServerMessage::Goodbye(Farewell::Version { server }) = message {
        return Err(NetError::Version { server });
    }
    if let ServerMessage::Goodbye(farewell) = message {
        return Err(NetError::Dismissed(farewell));
    }
    let ServerMessage::Welcome { version, server, challenge } = message else {
        return Err(NetError::NotGridrace);
    };
    if version != VERSION {
        return Err(NetError::Version { server: version });
    }
    connection.server = server;
    connection.challenge = challenge;
    Ok(connection)
}

#[cfg(test)]
mod tests;
