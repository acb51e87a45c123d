//! The system's sockets, with a count of connections, messages and bytes.

use gridrace_client::net::address::Address;
use gridrace_client::net::clock::Clock;
use gridrace_client::net::{NetError, Network, Tcp};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::Phase;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Clone, Default)]
pub(super) struct Counting {
    tcp: Tcp,
    pub(super) counters: Arc<Counters>,
}

/// Counts over all connections.
#[derive(Debug, Default)]
pub(super) struct Counters {
    dialled: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    received_bytes: AtomicU64,
    /// Of the messages that were received, those about the tournament.
    tournament: AtomicU64,
    tournament_bytes: AtomicU64,
    /// The longest message about the tournament.
    longest: AtomicU64,
    /// When the latest end of a board was told.
    over: Mutex<Option<Instant>>,
}

impl Counters {
    /// Returns since when all boards have ended that did so far.
    pub(super) fn since_last_board(&self) -> Option<Duration> {
        let over = *self.over.lock().ok()?;
        Some(Clock::instant() - over?)
    }

    /// Returns the bytes about the tournament that each of this number of followers was sent.
    pub(super) fn bytes_each(&self, followers: u32) -> u64 {
        self.tournament_bytes.load(Ordering::Relaxed) / u64::from(followers.max(1))
    }

    pub(super) fn text(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        format!(
            "connections {}, sent {} messages, received {} messages of {} KiB, of these {} of {} KiB \
             about the tournament, the longest {} bytes",
            get(&self.dialled),
            get(&self.sent),
            get(&self.received),
            get(&self.received_bytes) / 1024,
            get(&self.tournament),
            get(&self.tournament_bytes) / 1024,
            get(&self.longest),
        )
    }
}

impl Network for Counting {
    type Stream = <Tcp as Network>::Stream;

    async fn dial(&self, address: &Address) -> Result<Self::Stream, NetError> {
        self.counters.dialled.fetch_add(1, Ordering::Relaxed);
        self.tcp.dial(address).await
    }

    fn random_below(&self, bound: u64) -> u64 {
        self.tcp.random_below(bound)
    }

    fn on_send(&self, _message: &ClientMessage) {
        self.counters.sent.fetch_add(1, Ordering::Relaxed);
    }

    fn on_receive(&self, payload: &[u8], message: &ServerMessage) {
        let bytes = payload.len() as u64;
        let counters = &self.counters;
        counters.received.fetch_add(1, Ordering::Relaxed);
        counters.received_bytes.fetch_add(bytes, Ordering::Relaxed);
        if matches!(message, ServerMessage::Phase(Phase::Over(_)))
            && let Ok(mut over) = counters.over.lock()
        {
            *over = Some(Clock::instant());
        }
        if matches!(message, ServerMessage::Tournament(_)) {
            counters.tournament.fetch_add(1, Ordering::Relaxed);
            counters.tournament_bytes.fetch_add(bytes, Ordering::Relaxed);
            counters.longest.fetch_max(bytes, Ordering::Relaxed);
        }
    }
}
