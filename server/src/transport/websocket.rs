//! The WebSocket of one client: messages in, frames out, and a close handshake that completes.

use crate::platform::clock::Clock;
use crate::platform::rng::Rng;
use crate::transport::lingering_close::{CLOSE_TIMEOUT, lingering_close};
use crate::transport::rate_limited_stream::{RateLimitError, RateLimitedStream};
use crate::transport::read_probe::ReadProbe;
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::{
    CLIENT_FRAME_LIMIT, Codec, DecodeError, SERVER_FRAME_LIMIT, decode_binary, decode_text,
};
use gridrace_shared::util::time::ServerInstant;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// Size of the read buffer in bytes; a dozen moves fit. Every idle connection pays for it, and
/// each read clears it first; tungstenite's default is 128 KiB.
const READ_BUFFER_BYTES: usize = 256;
/// Frames below this many bytes leave in one write with the rest of their wake-up.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
/// Longest reason of a close frame in bytes (RFC 6455, section 5.5).
const MAX_REASON_BYTES: usize = 123;
/// Why a longer message closes the connection.
const TOO_LONG: &str = "a message has at most 8192 bytes";
const _: () = assert!(CLIENT_FRAME_LIMIT == 8_192, "the text names the limit");

/// The longest messages of a WebSocket, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageLimits {
    pub(crate) received: usize,
    /// As much may be queued for writing, behind a buffer that isn't empty.
    pub(crate) sent: usize,
}

impl MessageLimits {
    pub(crate) const PROTOCOL: Self =
        Self { received: CLIENT_FRAME_LIMIT, sent: SERVER_FRAME_LIMIT };
}

#[derive(Debug)]
pub struct WebSocket<S> {
    stream: WebSocketStream<RateLimitedStream<S>>,
    codec: Codec,
    rng: Rng,
    clock: Clock,
    read_probe: ReadProbe,
    /// Frames that are being written, and how much of them is.
    outgoing: (Vec<u8>, usize),
}

#[derive(Debug)]
pub enum ReadError {
    /// The peer closed the connection or vanished.
    Disconnected,
    /// The peer exceeded its rate of bytes or frames.
    Flooding,
    /// A frame that isn't a message of the protocol, and what is wrong with it.
    Malformed(String),
    /// An invalid or too long frame: the close code and its reason.
    Protocol(CloseCode, &'static str),
}

/// The peer is gone, so that nothing can be written.
#[derive(Debug)]
pub struct Disconnected;

impl From<Error> for Disconnected {
    fn from(_: Error) -> Self {
        Self
    }
}

impl From<io::Error> for Disconnected {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> WebSocket<S> {
    /// Wraps a stream after its handshake; `buffered` was read behind the handshake.
    pub(crate) async fn new(
        mut stream: RateLimitedStream<S>,
        buffered: Bytes,
        codec: Codec,
        limits: MessageLimits,
        rng: Rng,
    ) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(WRITE_BUFFER_BYTES)
            .max_write_buffer_size(limits.sent + 2 * WRITE_BUFFER_BYTES)
            .max_message_size(Some(limits.received))
            .max_frame_size(Some(limits.received));
        let clock = stream.clock();
        stream.count(&buffered);
        // Copied, so that the handshake's buffer is freed.
        let buffered = buffered.to_vec();
        let stream =
            WebSocketStream::from_partially_read(stream, buffered, Role::Server, Some(config))
                .await;
        Self {
            stream,
            codec,
            rng,
            clock,
            read_probe: ReadProbe::default(),
            outgoing: (Vec::new(), 0),
        }
    }

    pub const fn codec(&self) -> Codec {
        self.codec
    }

    pub fn stream_mut(&mut self) -> &mut S {
        self.stream.get_mut().get_mut()
    }

    /// Reads a message; `None` for a ping or pong. Cancel safe.
    ///
    /// # Errors
    /// [`ReadError`]; nothing can be read after it.
    pub async fn read(&mut self) -> Result<Option<ClientMessage>, ReadError> {
        match self.read_raw().await? {
            Message::Text(text) => message(decode_text::<_, CLIENT_FRAME_LIMIT>(&text)),
            Message::Binary(bytes) => message(decode_binary::<_, CLIENT_FRAME_LIMIT>(&bytes)),
            Message::Pong(payload) => {
                self.read_probe.on_pong(&payload);
                Ok(None)
            }
            Message::Ping(_) => Ok(None),
            Message::Close(_) | Message::Frame(_) => Err(ReadError::Disconnected),
        }
    }

    /// Reads a WebSocket message without decoding it. Cancel safe.
    pub(crate) async fn read_raw(&mut self) -> Result<Message, ReadError> {
        match self.stream.next().await {
            Some(Ok(message)) => Ok(message),
            Some(Err(error)) => Err(read_error(&error)),
            None => Err(ReadError::Disconnected),
        }
    }

    /// Writes one message, and flushes.
    pub(crate) async fn send_raw(&mut self, message: Message) -> Result<(), Disconnected> {
        Ok(self.stream.send(message).await?)
    }

    /// Queues encoded frames, which [`Self::flush`] writes. Those before must have been written.
    pub fn queue(&mut self, frames: Vec<u8>) {
        self.read_probe.record_sent(frames.len());
        self.outgoing = (frames, 0);
    }

    /// Writes the queued frames, followed by a read probe if one is due. Cancel safe: the next call
    /// continues.
    pub async fn flush(&mut self) -> Result<(), Disconnected> {
        // A pong that tungstenite has queued, whole or in part, comes first.
        self.stream.flush().await?;
        self.write_outgoing().await?;
        if let Some(nonce) = self.read_probe.probe_if_due(self.clock.now(), || self.rng.bytes()) {
            self.stream.send(Message::Ping(nonce)).await?;
        }
        Ok(())
    }

    /// Writes what is left of the frames. Cancel safe.
    async fn write_outgoing(&mut self) -> io::Result<()> {
        let (frames, written) = &mut self.outgoing;
        while *written < frames.len() {
            match self.stream.get_mut().write(&frames[*written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                bytes => *written += bytes,
            }
        }
        // TLS may hold what it has taken.
        self.stream.get_mut().flush().await?;
        self.outgoing = (Vec::new(), 0);
        Ok(())
    }

    /// Returns when the pending read probe times out, if there is one.
    pub fn read_deadline(&self) -> Option<ServerInstant> {
        self.read_probe.deadline()
    }

    /// Sends a ping, which every WebSocket answers by itself.
    pub async fn ping(&mut self) -> Result<(), Box<Error>> {
        Ok(self.stream.send(Message::Ping(Bytes::new())).await?)
    }

    /// Writes last frames behind those that were being written, closes with a code, and waits a
    /// little for the peer to read it.
    pub async fn close(mut self, last: Vec<u8>, code: CloseCode, reason: &str) {
        let closing = async {
            // Where a write was broken off, the rest of its frame comes first, whatever it was.
            if self.outgoing.1 > 0 {
                self.write_outgoing().await?;
            }
            self.flush().await?;
            self.queue(last);
            self.flush().await?;
            let reason = truncate_reason(reason).into();
            self.stream.close(Some(CloseFrame { code: code.number().into(), reason })).await?;
            Ok::<(), Disconnected>(lingering_close(self.stream.into_inner().into_inner()).await?)
        };
        // A peer that doesn't take its close frame in time is disconnected.
        tokio::time::timeout(CLOSE_TIMEOUT, closing).await.ok();
    }

    /// Answers the peer's close frame, if it sent one.
    pub async fn answer_close(mut self) {
        let answering = async {
            // tungstenite has queued the answer; `close` would be refused as a second one.
            self.stream.flush().await?;
            Ok::<_, Error>(lingering_close(self.stream.into_inner().into_inner()).await?)
        };
        tokio::time::timeout(CLOSE_TIMEOUT, answering).await.ok(); // the peer may be gone
    }
}

/// Returns the prefix of a reason that fits into a close frame.
fn truncate_reason(reason: &str) -> &str {
    let longest = MAX_REASON_BYTES.min(reason.len());
    let end = (0..=longest).rev().find(|&end| reason.is_char_boundary(end));
    &reason[..end.unwrap_or(0)]
}

fn message(
    decoded: Result<ClientMessage, DecodeError>,
) -> Result<Option<ClientMessage>, ReadError> {
    decoded.map(Some).map_err(|error| ReadError::Malformed(error.to_string()))
}

fn read_error(error: &Error) -> ReadError {
    let is_rate_limit = |error: &std::io::Error| {
        error.get_ref().is_some_and(|inner| inner.downcast_ref::<RateLimitError>().is_some())
    };
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            ReadError::Protocol(CloseCode::TooBig, TOO_LONG)
        }
        Error::Utf8(_) => ReadError::Malformed("text frames are UTF-8".to_owned()),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => ReadError::Disconnected,
        Error::Protocol(_) => {
            ReadError::Protocol(CloseCode::ProtocolError, "against the WebSocket protocol")
        }
        Error::Io(error) if is_rate_limit(error) => ReadError::Flooding,
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Tls(_)
        | Error::Capacity(CapacityError::TooManyHeaders)
        | Error::WriteBufferFull(_)
        | Error::AttackAttempt
        | Error::Url(_)
        | Error::Http(_)
        | Error::HttpFormat(_) => ReadError::Disconnected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::client_rate::ClientRate;
    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, BufStream, duplex};

    #[tokio::test]
    async fn frames_that_the_stream_holds_back_are_flushed() {
        let (mut client, server) = duplex(1_024);
        // Like TLS, it takes what it is given and passes it on when it is flushed.
        let held = BufStream::new(server);
        let held = RateLimitedStream::new(held, Clock::start(), ClientRate::default());
        let limits = MessageLimits::PROTOCOL;
        let mut socket =
            WebSocket::new(held, Bytes::new(), Codec::Json, limits, Rng::default()).await;
        socket.queue(vec![7; 100]);
        socket.flush().await.unwrap();
        let mut read = [0; 100];
        assert!(client.read_exact(&mut read).now_or_never().is_some());
    }
}
