//! The race server: one port for WebSocket and plain HTTP.
//!
//! Absent from here: the rules of any puzzle, a second definition of legality, and trust
//! in what a client says of itself.
//!
//! - [`race`] is pure: events in, effects out.
//! - `heat` is its shell: a lock, a clock, the members' outboxes; `hub` the directory of heats,
//!   which closes the `deserted` ones.
//! - `visit`, `connection`, `socket`, `requests`, `results`: one task a client; `outbox` what is
//!   on its way to it, `reading` whether it gets there; `waits` which moves are taken on.
//! - `shards`: the threads on which the heats live, and their members' connections.
//! - `door` lets people in, by `tls` where it is wanted; `http` is the way from there; `scrape`
//!   another one, to the metrics.
//! - [`store`] keeps the heats: `kept` is what it keeps of one.
//! - [`conformance`] is the same WebSocket without a race, for those who test it as one;
//!   [`decoders`] are doors to whatever reads what comes from outside, for the fuzz targets.
//! - [`tables`] keeps the solvers' tables for everybody.
//! - `drawers` make the boards; `hints`, `raters` and `bot` put the solvers to work outside the heats, with what is on
//!   the `shelf`: `services` has them all; `http` is the way in.

mod acceptor;
mod background;
pub mod conformance;
pub mod fuzzing;
mod http;
mod hub;
pub mod platform;
pub mod race;
mod room;
mod session;
pub mod store;
pub mod tables;
mod telemetry;
mod transport;

pub use acceptor::{Listener, RebindableStream, listen};
pub use http::{NoSite, TrustedProxy, read_name, read_origin};
pub use hub::{OpenError, StandingRoom};
pub use platform::clock::Clock;
pub use platform::token_bucket::{Allowance, CLIENT_RATE};
pub use transport::admission::{ARRIVAL_RATE, ArrivalRate};
pub use transport::tls::{Tls, TlsError};

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use http::{Site, Trusted};
use hub::RecoveredRooms;
use platform::shards::Shards;
use session::client::Shared;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Data, StoreError};
use tables::TableStore;
use telemetry::metrics::Metrics;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::{info, warn};
use transport::admission::Admission;

/// How long everybody has to hear that the server shuts down.
const SHUTDOWN_DEADLINE: Duration = Duration::from_millis(1_100);

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// Heats that stand as long as the server does.
    pub standing: Vec<StandingRoom>,
    /// Origins whose pages may open a WebSocket besides the server's own.
    pub origins: Vec<String>,
    /// Names under which browsers reach the server besides the machine's own.
    pub hosts: Vec<String>,
    /// The solvers' tables, shared by all heats.
    pub tables: TableStore,
    /// Where heats are kept.
    pub data: Data,
    /// How much one client may send.
    pub allowance: Allowance,
    /// How many clients may come in a second, and how often they may try a heat's code.
    pub arrivals: ArrivalRate,
    /// Proxies that are believed when they say for whom they ask.
    pub proxies: Vec<TrustedProxy>,
    /// The certificate with which it shakes hands; without one it speaks plainly.
    pub tls: Option<Tls>,
    /// Threads on which the heats live, with their members' connections; with none, all of it
    /// is done where the server runs.
    pub shards: usize,
}

/// A server that is set up and listens, but serves nobody yet.
#[derive(Debug)]
pub struct Server<L = TcpListener> {
    listener: L,
    address: SocketAddr,
    standing: Vec<RoomCode>,
    shared: Arc<Shared>,
    trusted: Arc<Trusted>,
    proxies: Arc<[TrustedProxy]>,
    tls: Option<Tls>,
}

/// Why a server can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The listener has no address.
    #[error("the listener has no address: {0}")]
    Listener(io::Error),
    /// A standing heat can't be opened.
    #[error("a heat can't be opened: {0}")]
    Heat(OpenError),
    /// The store can't be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no threads to give.
    #[error("no threads for the heats: {0}")]
    Shards(io::Error),
}

impl<L: Listener> Server<L> {
    /// Sets up a server on a listener, and opens its standing heats. Must be called inside
    /// a tokio runtime.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn new(listener: L, config: ServerConfig) -> Result<Self, ServerError> {
        let address = listener.local_addr().map_err(ServerError::Listener)?;
        let metrics = Metrics::new();
        let (clock, past) = past(&config.data, &metrics)?;
        let shards = Shards::start(config.shards).map_err(ServerError::Shards)?;
        let (tables, standing) = (config.tables, config.standing);
        let (hub, standing) = hub::Hub::after(past, clock, metrics, shards, tables, standing)
            .map_err(ServerError::Heat)?;
        let shared = Arc::new(Shared {
            clock,
            hub,
            admission: Admission::new(config.arrivals),
            allowance: config.allowance,
        });
        Ok(Self {
            listener,
            address,
            standing,
            shared,
            trusted: Arc::new(Trusted::new(config.origins, &config.hosts)),
            proxies: config.proxies.into(),
            tls: config.tls,
        })
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the codes of the standing heats, in the order in which they were given.
    #[must_use]
    pub fn standing(&self) -> &[RoomCode] {
        &self.standing
    }

    /// Returns the codes of the heats that go on from an earlier server, but for standing ones.
    #[must_use]
    pub fn going_on(&self) -> Vec<RoomCode> {
        let mut codes = self.shared.hub.codes();
        codes.retain(|code| !self.standing.contains(code));
        codes
    }

    /// Finds a heat that goes on in which a seat waits for a key's owner, who takes it up by
    /// joining with that key.
    #[must_use]
    pub fn waiting_for(&self, identity: Fingerprint) -> Option<RoomCode> {
        self.shared.hub.waiting_for(identity)
    }

    /// Answers `/metrics` on a listener of its own, as long as the runtime lives.
    pub fn serve_metrics(&self, listener: TcpListener) {
        let (shared, trusted) = (Arc::clone(&self.shared), Arc::clone(&self.trusted));
        tokio::spawn(http::metrics_listener::serve(listener, shared, trusted));
    }

    /// Serves until `shutdown` is ready, then says so to everybody and ends within two seconds.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (down, watch) = watch::channel(false);
        info!(address = %self.address, "listening");
        let site = Site {
            shared: Arc::clone(&self.shared),
            trusted: self.trusted,
            proxies: self.proxies,
            secure: self.tls.is_some(),
            shutdown: watch,
        };
        tokio::select! {
            biased;
            () = self.shared.hub.run_reaper() => {}
            () = self.shared.hub.watch_store() => {}
            () = acceptor::keep(&self.listener, site, self.tls) => {}
            () = shutdown => {}
        }
        info!("shutting down");
        drop(self.listener);
        self.shared.hub.flush_for_shutdown().await;
        down.send_replace(true);
        let all_gone = self.shared.admission.all_gone();
        if tokio::time::timeout(SHUTDOWN_DEADLINE, all_gone).await.is_err() {
            warn!("some connections were cut off");
        }
        self.shared.hub.close();
    }
}

/// Opens the store, where there is to be one; the server's clock goes on where it stood.
fn past(data: &Data, metrics: &Metrics) -> Result<(Clock, Option<RecoveredRooms>), StoreError> {
    let folder = match data {
        Data::Ephemeral => return Ok((Clock::start(), None)),
        Data::At(folder) => folder,
    };
    let opened = store::open(folder).map_err(|fault| fault.in_folder(folder))?;
    let clock = Clock::go_on(opened.clock);
    let away = opened.away;
    let (store, heats) = opened.start(clock, metrics.commits())?;
    info!(folder = %folder.display(), heats = heats.len(), "the store is open");
    Ok((clock, Some(RecoveredRooms { store, heats, away })))
}
