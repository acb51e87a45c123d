//! Entry points for the fuzz targets and the conformance suite: private code that handles input
//! from outside.
//!
//! Each calls the server's own code and adds nothing to it.

use crate::http::{self, Handshake};
use crate::platform::clock::Clock;
use crate::platform::rng::Rng;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::race::{Effects, Event, Race, RaceConfig};
use crate::store::journal_row;
use crate::transport::client_rate::ClientRate;
use crate::transport::rate_limited_stream::FrameCounter;
use crate::transport::rate_limited_stream::RateLimitedStream;
use crate::transport::websocket::{MessageLimits, ReadError, WebSocket};
use axum::http::header::SEC_WEBSOCKET_ACCEPT;
use axum::http::{HeaderMap, Request};
use gridrace_shared::heat::options::OptionsError;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::HeatInstant;
use std::net::IpAddr;
use std::sync::OnceLock;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// Messages a second; practically no limit.
const UNLIMITED_RATE: u32 = 10_000_000;

/// Decodes a row of the journal: the heats' numbers with their entries; `None` if it is
/// truncated.
pub fn decode_journal_row(row: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    journal_row::read(row)
}

/// Encodes the row that [`decode_journal_row`] decodes.
pub fn encode_journal_row(heats: &[(i64, &[u8])]) -> Vec<u8> {
    let mut row = Vec::new();
    for (heat, entries) in heats {
        journal_row::append(&mut row, *heat, entries);
    }
    row
}

/// A room as the store records it.
#[derive(Clone)]
pub struct JournaledRoom(PersistedRoom);

impl JournaledRoom {
    pub fn new(config: RaceConfig) -> Result<Self, OptionsError> {
        Race::new(config).map(|race| Self(PersistedRoom::new(race)))
    }

    /// Decodes a checkpoint of this version of the journal, or of the one before.
    pub fn restore(checkpoint: &[u8]) -> Result<Self, JournalError> {
        let before = || journal::recover(journal::VERSION - 1, checkpoint, &[]);
        journal::restore(checkpoint).or_else(|error| before().map_err(|_| error)).map(Self)
    }

    pub fn checkpoint(&self) -> Result<Vec<u8>, JournalError> {
        journal::checkpoint(&self.0)
    }

    /// Applies a journalled event; returns its effects, and the replay of a heat that it ended.
    pub fn apply(&mut self, at: HeatInstant, event: Event) -> (Effects, Option<Replay>) {
        let (effects, recorded) = self.0.apply(at, event);
        (effects, recorded.replay)
    }
}

/// Counts the frame headers that end in chunks of a WebSocket's bytes.
pub fn count_frames<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut counter = FrameCounter::default();
    chunks.into_iter().map(|chunk| u64::from(counter.count(chunk))).sum()
}

/// Reads what a client sends after its handshake; returns the messages and the final error.
pub async fn read_messages<S>(stream: S, codec: Codec) -> (Vec<ClientMessage>, ReadError)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut socket = web_socket(stream, codec, MessageLimits::PROTOCOL).await;
    let mut messages = Vec::new();
    loop {
        match socket.read().await {
            Ok(message) => messages.extend(message),
            Err(error) => return (messages, error),
        }
    }
}

/// Checks the headers of handshakes.
#[derive(Debug)]
pub struct OriginPolicy(http::OriginPolicy);

/// How a request is answered, judged by its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandshakeReport {
    /// The status of the answer to a handshake.
    pub status: u16,
    /// The `Sec-WebSocket-Accept` of a granted handshake.
    pub accept: Option<String>,
    /// The codec, the dialled host and the forwarded client of a granted handshake.
    pub granted: Option<(Codec, String, Option<IpAddr>)>,
    pub is_host_accepted: bool,
    /// The host that the index page shows.
    pub displayed_host: String,
}

impl OriginPolicy {
    /// Accepts these origins with their hosts, and these host names.
    pub fn new(origins: Vec<String>, hosts: &[String]) -> Self {
        Self(http::OriginPolicy::new(origins, hosts))
    }

    pub fn answer(&self, headers: HeaderMap) -> HandshakeReport {
        let mut request = Request::new(());
        *request.headers_mut() = headers;
        let handshake = OnceLock::new();
        let response = http::answer_handshake(&self.0, &request, &handshake);
        let granted = |handshake: Handshake| {
            (handshake.codec, handshake.host.into(), handshake.forwarded_client)
        };
        let accept = response.headers().get(SEC_WEBSOCKET_ACCEPT);
        HandshakeReport {
            status: response.status().as_u16(),
            accept: accept.and_then(|key| key.to_str().ok()).map(str::to_owned),
            granted: handshake.into_inner().map(granted),
            is_host_accepted: self.0.check_host(request.headers()).is_ok(),
            displayed_host: http::displayable_host(request.headers()).to_owned(),
        }
    }
}

/// Echoes the messages of a WebSocket of up to `max_message_bytes`, read and written as a
/// session's. `stream` is past its handshake, with nothing read behind it.
pub async fn echo_messages<S: AsyncRead + AsyncWrite + Unpin>(stream: S, max_message_bytes: usize) {
    let limits = MessageLimits { received: max_message_bytes, sent: max_message_bytes };
    let mut socket = web_socket(stream, Codec::Json, limits).await;
    loop {
        let sent = match socket.read_raw().await {
            Ok(message @ (Message::Text(_) | Message::Binary(_))) => socket.send_raw(message).await,
            // tungstenite answers a ping when the stream is read again.
            Ok(Message::Ping(_) | Message::Pong(_)) => continue,
            Ok(Message::Close(_) | Message::Frame(_)) | Err(ReadError::Disconnected) => {
                return socket.answer_close().await;
            }
            Err(ReadError::Flooding) => {
                return socket.close(Vec::new(), CloseCode::Flooding, "too much").await;
            }
            Err(ReadError::Malformed(why)) => {
                return socket.close(Vec::new(), CloseCode::Malformed, &why).await;
            }
            Err(ReadError::Protocol(code, why)) => {
                return socket.close(Vec::new(), code, why).await;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

async fn web_socket<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    codec: Codec,
    limits: MessageLimits,
) -> WebSocket<S> {
    let stream = RateLimitedStream::new(stream, Clock::start(), ClientRate(UNLIMITED_RATE));
    WebSocket::new(stream, Bytes::new(), codec, limits, Rng::default()).await
}
