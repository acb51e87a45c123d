//! The WebSocket of one client: messages in, frames out, and an end that arrives.

use crate::platform::clock::Clock;
use crate::platform::rng;
use crate::platform::token_bucket::Allowance;
use crate::room::outbox::Frame;
use crate::transport::rate_limited_stream::{Metered, OverBudget};
use crate::transport::read_probe::Reading;
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::{
    CLIENT_FRAME_LIMIT, Codec, DecodeError, SERVER_FRAME_LIMIT, decode_binary, decode_text,
};
use gridrace_shared::util::time::ServerInstant;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// What a socket reads at a time, in bytes. An idle connection pays for all of it, and each
/// read clears it first: dozens of moves fit, and the default is 128 KiB.
const READ_BUFFER: usize = 512;
/// Frames below this many bytes leave in one write with the rest of their wake-up.
const WRITE_BUFFER: usize = 4 * 1024;
/// How long a close may take in all: well below the time that a server has to shut down.
const CLOSE_DEADLINE: Duration = Duration::from_millis(1_500);
/// Bytes that are read and dropped while closing.
const CLOSE_BYTES: u64 = 1024 * 1024;
/// The longest reason that a close frame holds, in bytes (RFC 6455, section 5.5).
const REASON_BYTES: usize = 123;

/// The longest messages of a WebSocket, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Longest {
    /// What the peer may send.
    pub(crate) heard: usize,
    /// What it is sent: as much may wait to be written, behind a buffer that is not empty yet,
    /// with their headers.
    pub(crate) said: usize,
}

/// Those of a race.
const RACE: Longest = Longest { heard: CLIENT_FRAME_LIMIT, said: SERVER_FRAME_LIMIT };

/// A client's WebSocket.
#[derive(Debug)]
pub struct Socket<S> {
    stream: WebSocketStream<Metered<S>>,
    codec: Codec,
    clock: Clock,
    reading: Reading,
}

/// Why nothing more is read.
#[derive(Debug)]
pub enum ReadError {
    /// The peer closed or vanished.
    Gone,
    /// The peer sends more bytes than it may.
    Flooding,
    /// A frame that is no message, and why.
    Malformed(String),
    /// Frames that are none, or too long: the code that says so.
    Frames(CloseCode, &'static str),
}

/// Why nothing more is written.
#[derive(Debug)]
pub enum WriteError {
    /// The peer is gone.
    Gone,
    /// The next frame has so many bytes, which is more than a client reads.
    TooLong(usize),
}

impl From<Error> for WriteError {
    fn from(_: Error) -> Self {
        Self::Gone
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    /// Takes over a stream whose handshake is done, and what came behind it already.
    pub async fn new(
        stream: S,
        ahead: Bytes,
        codec: Codec,
        clock: Clock,
        allowance: Allowance,
    ) -> Self {
        Self::with_longest(RACE, stream, ahead, codec, clock, allowance).await
    }

    /// Does so with other bounds than a race's.
    pub(crate) async fn with_longest(
        longest: Longest,
        stream: S,
        ahead: Bytes,
        codec: Codec,
        clock: Clock,
        allowance: Allowance,
    ) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_write_buffer_size(longest.said + 2 * WRITE_BUFFER)
            .max_message_size(Some(longest.heard))
            .max_frame_size(Some(longest.heard));
        let mut metered = Metered::new(stream, clock, allowance);
        metered.count(&ahead);
        // A copy, as these bytes may hold on to a buffer of the handshake's.
        let (ahead, config) = (ahead.to_vec(), Some(config));
        let stream =
            WebSocketStream::from_partially_read(metered, ahead, Role::Server, config).await;
        Self { stream, codec, clock, reading: Reading::default() }
    }

    /// Returns the stream below the WebSocket.
    pub fn stream(&mut self) -> &mut S {
        self.stream.get_mut().stream()
    }

    /// Reads a message, or nothing where the frame was a ping or pong. Safe to cancel.
    ///
    /// # Errors
    /// [`ReadError`]; nothing is to be read after it.
    pub async fn read(&mut self) -> Result<Option<ClientMessage>, ReadError> {
        match self.hear().await? {
            Message::Text(text) => message(decode_text::<_, CLIENT_FRAME_LIMIT>(&text)),
            Message::Binary(bytes) => message(decode_binary::<_, CLIENT_FRAME_LIMIT>(&bytes)),
            Message::Pong(payload) => {
                self.reading.answer(&payload);
                Ok(None)
            }
            Message::Ping(_) => Ok(None),
            Message::Close(_) | Message::Frame(_) => Err(ReadError::Gone),
        }
    }

    /// Reads what the peer sends, whatever it means. Safe to cancel.
    pub(crate) async fn hear(&mut self) -> Result<Message, ReadError> {
        match self.stream.next().await {
            Some(Ok(message)) => Ok(message),
            Some(Err(error)) => Err(fault(&error)),
            None => Err(ReadError::Gone),
        }
    }

    /// Writes one message that is no frame of a race's.
    pub(crate) async fn say(&mut self, message: Message) -> Result<(), WriteError> {
        Ok(self.stream.send(message).await?)
    }

    /// Writes frames in order and flushes once.
    ///
    /// # Errors
    /// [`WriteError`]; of a frame that is too long, nothing is written, and nothing after it.
    pub async fn write(&mut self, frames: &VecDeque<Arc<Frame>>) -> Result<(), WriteError> {
        for message in frames.iter().filter_map(|frame| frame.encoded(self.codec)) {
            if message.len() > SERVER_FRAME_LIMIT {
                return Err(WriteError::TooLong(message.len()));
            }
            self.reading.send(message.len());
            self.stream.feed(message).await?;
        }
        if let Some(word) = self.reading.ask(self.clock.now(), rng::word) {
            self.stream.feed(Message::Ping(word)).await?;
        }
        Ok(self.stream.flush().await?)
    }

    /// Returns until when the peer may take to show that it reads, if it was asked to.
    pub fn patience(&self) -> Option<ServerInstant> {
        self.reading.until()
    }

    /// Pings the peer, which must answer by itself.
    ///
    /// # Errors
    /// The socket's own, when the peer is gone.
    pub async fn ping(&mut self) -> Result<(), Box<Error>> {
        Ok(self.stream.send(Message::Ping(Bytes::new())).await?)
    }

    /// Says goodbye, closes with a code, and waits a little for the peer to have read it.
    pub async fn close(mut self, goodbye: Option<&Arc<Frame>>, code: CloseCode, reason: &str) {
        let closing = async {
            if let Some(message) = goodbye.and_then(|frame| frame.encoded(self.codec)) {
                self.stream.feed(message).await?;
            }
            let frame = CloseFrame { code: code.number().into(), reason: fitting(reason).into() };
            self.stream.close(Some(frame)).await?;
            self.hang_up().await
        };
        // A peer that doesn't even take its close frame is cut off.
        tokio::time::timeout(CLOSE_DEADLINE, closing).await.ok();
    }

    /// Answers the peer's close, if it sent one.
    pub async fn end(mut self) {
        let answering = async {
            // The answer waits in the stream: `close` would be refused as a second one.
            self.stream.flush().await?;
            self.hang_up().await
        };
        tokio::time::timeout(CLOSE_DEADLINE, answering).await.ok(); // it may be gone already
    }

    /// Ends our half of the connection, and drops what the peer still sends until it ends
    /// its own: bytes left unread would reach it as a reset in place of the close frame.
    async fn hang_up(self) -> Result<(), Error> {
        let mut raw = self.stream.into_inner().into_inner();
        raw.shutdown().await?;
        tokio::io::copy(&mut raw.take(CLOSE_BYTES), &mut tokio::io::sink()).await?;
        Ok(())
    }
}

/// Returns as much of a reason as a close frame holds.
fn fitting(reason: &str) -> &str {
    let longest = REASON_BYTES.min(reason.len());
    let end = (0..=longest).rev().find(|&end| reason.is_char_boundary(end));
    &reason[..end.unwrap_or(0)]
}

fn message(
    decoded: Result<ClientMessage, DecodeError>,
) -> Result<Option<ClientMessage>, ReadError> {
    decoded.map(Some).map_err(|error| ReadError::Malformed(error.to_string()))
}

fn fault(error: &Error) -> ReadError {
    let is_over_budget = |error: &std::io::Error| {
        error.get_ref().and_then(|inner| inner.downcast_ref::<OverBudget>()).is_some()
    };
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            ReadError::Frames(CloseCode::TooBig, "a message has at most 4096 bytes")
        }
        Error::Utf8(_) => ReadError::Malformed("text frames are UTF-8".to_owned()),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => ReadError::Gone,
        Error::Protocol(_) => {
            ReadError::Frames(CloseCode::ProtocolError, "against the WebSocket protocol")
        }
        Error::Io(error) if is_over_budget(error) => ReadError::Flooding,
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::Capacity(CapacityError::TooManyHeaders)
        | Error::WriteBufferFull(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => ReadError::Gone,
    }
}
