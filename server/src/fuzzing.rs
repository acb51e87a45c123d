//! Doors to what decodes input from outside and is nobody else's to call: the fuzz targets
//! come in by them.
//!
//! Each leads to the very code that the server runs, and adds nothing to it.

use crate::http::{self, Agreed, Trusted};
use crate::platform::clock::Clock;
use crate::platform::token_bucket::Allowance;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::race::{Effects, Event, Race, RaceConfig};
use crate::store::journal_row;
use crate::tables::{self, FileRole};
use crate::transport::rate_limited_stream;
use crate::transport::websocket::{ReadError, Socket};
use axum::http::header::SEC_WEBSOCKET_ACCEPT;
use axum::http::{HeaderMap, Request};
use gridrace_shared::heat::options::OptionsError;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::puzzle::tables::TableSpec;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::Millis;
use std::net::IpAddr;
use std::sync::OnceLock;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::Bytes;

/// Messages a second, each of which stands for 200 bytes and two frames: what is tried is how
/// bytes are read, not how many.
const RATE: u32 = 10_000_000;

/// Reads a row of the journal: the heats' numbers, each with its entries. Nothing where it
/// breaks off.
#[must_use]
pub fn read_row(row: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    journal_row::read(row)
}

/// Writes the row that [`read_row`] reads as these heats.
#[must_use]
pub fn write_row(heats: &[(i64, &[u8])]) -> Vec<u8> {
    let mut row = Vec::new();
    for (heat, entries) in heats {
        journal_row::append(&mut row, *heat, entries);
    }
    row
}

/// A heat as the store keeps it.
#[derive(Clone)]
pub struct KeptHeat(PersistedRoom);

impl KeptHeat {
    /// Opens a heat.
    ///
    /// # Errors
    /// The first option that lies outside its bounds.
    pub fn new(config: RaceConfig) -> Result<Self, OptionsError> {
        Race::new(config).map(|race| Self(PersistedRoom::new(race)))
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`JournalError::Checkpoint`].
    pub fn restore(checkpoint: &[u8]) -> Result<Self, JournalError> {
        journal::restore(checkpoint).map(Self)
    }

    /// Writes a checkpoint.
    ///
    /// # Errors
    /// [`JournalError::TooLong`].
    pub fn checkpoint(&self) -> Result<Vec<u8>, JournalError> {
        journal::checkpoint(&self.0)
    }

    /// Lets an event happen again as a journal has it; returns what came of it, and the
    /// replay of the heat that it ended.
    pub fn apply(&mut self, at: Millis, event: Event) -> (Effects, Option<Replay>) {
        self.0.apply(at, event)
    }
}

/// Counts the frames whose heads end in pieces of what a WebSocket's peer sends.
pub fn count_frames<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut frames = rate_limited_stream::Frames::default();
    pieces.into_iter().map(|piece| u64::from(frames.pass(piece))).sum()
}

/// Reads all that a client sends after its handshake: the messages, and why there are no more.
pub async fn read_messages<S>(stream: S, codec: Codec) -> (Vec<ClientMessage>, ReadError)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (clock, allowance) = (Clock::start(), Allowance::new(RATE));
    let mut socket = Socket::new(stream, Bytes::new(), codec, clock, allowance).await;
    let mut messages = Vec::new();
    loop {
        match socket.read().await {
            Ok(message) => messages.extend(message),
            Err(why) => return (messages, why),
        }
    }
}

/// Who looks at the headers of requests.
#[derive(Debug)]
pub struct Doorman(Trusted);

/// What is made of a request by its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The status that answers it where it wants the WebSocket.
    pub status: u16,
    /// What it proves by that it has read the key, if it was granted.
    pub accept: Option<String>,
    /// The codec, the host that was dialled, and for whom a proxy asks, if it was granted.
    pub granted: Option<(Codec, String, Option<IpAddr>)>,
    /// Whether it names the server as it knows itself.
    pub knows_host: bool,
    /// The host that the index shows; one of its own where that of the request is none.
    pub shown: String,
}

impl Doorman {
    /// Trusts these origins with their hosts, and these names.
    #[must_use]
    pub fn new(origins: Vec<String>, hosts: &[String]) -> Self {
        Self(Trusted::new(origins, hosts))
    }

    /// Looks at a request's headers.
    #[must_use]
    pub fn ask(&self, headers: HeaderMap) -> Asked {
        let mut request = Request::new(());
        *request.headers_mut() = headers;
        let agreed = OnceLock::new();
        let answer = http::shake_hands(&self.0, &request, &agreed);
        let granted = |agreed: Agreed| (agreed.codec, agreed.host.into(), agreed.client);
        let accept = answer.headers().get(SEC_WEBSOCKET_ACCEPT);
        Asked {
            status: answer.status().as_u16(),
            accept: accept.and_then(|key| key.to_str().ok()).map(str::to_owned),
            granted: agreed.into_inner().map(granted),
            knows_host: self.0.check_host(request.headers()).is_ok(),
            shown: http::host_to_show(request.headers()).to_owned(),
        }
    }
}

/// Reads the name of a file in the tables' cache: the table, its layout's version, and what
/// the file is for.
#[must_use]
pub fn read_table_name(name: &str) -> Option<(TableSpec, u32, FileRole)> {
    tables::read_name(name)
}
