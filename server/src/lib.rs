//! The race server: one port for WebSocket and plain HTTP.
//!
//! Absent from here: the rules of any puzzle, a second definition of legality, and trust in a
//! client's claims about itself.
//!
//! - [`platform`]: the machine, such as clock, randomness and threads.
//! - [`race`]: the pure state machine of a room; events in, effects out.
//! - [`tournament`]: the pure state machine of a tournament.
//! - [`store`]: the journal of running heats and the archive of finished ones.
//! - `metrics`: what the server says of itself to a monitoring system.
//! - `background`: worker pools for boards, hints and ratings.
//! - `room`: the shell around a race: a lock, timers, and the outboxes of its members.
//! - `hub`: the registries of rooms and tournaments.
//! - `mdns`: the announcement of the server on the local network.
//! - `transport`: listening, admission, TLS, rate limits, the WebSocket.
//! - `session`: one task a client, from hello to close.
//! - `http`: the index page, the handshake, metrics.
//! - `acceptor`: leads a connection from the listener to HTTP or a session.

mod acceptor;
mod background;
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod hub;
mod mdns;
mod metrics;
pub mod platform;
pub mod race;
mod room;
mod session;
pub mod store;
#[cfg(test)]
mod test_client;
pub mod tournament;
mod transport;

pub use http::bind_error::explain_bind_error;
pub use http::{SiteError, TrustedProxy, parse_host_name, parse_origin};
pub use hub::{OpenError, StandingRoom};
pub use platform::clock::Clock;
pub use store::OperatorKey;
pub use transport::admission::{ArrivalRate, DEFAULT_ARRIVAL_RATE};
pub use transport::client_rate::{ClientRate, DEFAULT_CLIENT_RATE};
pub use transport::listener::{Listener, RebindableStream, listen, listen_everywhere};
pub use transport::tls::{Tls, TlsError};

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_tables::TableStore;
use http::{HttpState, OriginPolicy, PageFiles};
use hub::{Hub, RecoveredRooms};
use mdns::Announcement;
use metrics::Metrics;
use platform::environment::Environment;
use platform::shards::Shards;
use room::services::Services;
use session::ServerState;
use session::quotas::RoomQuota;
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Data, Durability, StoreError};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tracing::{info, warn};
use transport::admission::AdmissionControl;

/// How long connections may take to close at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1_100);

#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// Rooms that are open as long as the server runs.
    pub standing: Vec<StandingRoom>,
    pub operators: Operators,
    /// Origins besides the server's own whose pages may open a WebSocket.
    pub origins: Vec<String>,
    /// Host names besides the machine's own by which browsers reach the server.
    pub hosts: Vec<String>,
    pub tables: TableStore,
    pub data: Data,
    /// What an acknowledged move survives.
    pub durability: Durability,
    /// The machine, or a simulation of one.
    pub environment: Environment,
    /// The rate at which one client may send.
    pub client_rate: ClientRate,
    /// The total rate of new connections, and of attempts at codes.
    pub arrival_rate: ArrivalRate,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Vec<TrustedProxy>,
    /// The certificate; without one the server speaks no TLS.
    pub tls: Option<Tls>,
    /// Threads that run the rooms and their members' connections; 0 runs them on the server's
    /// own runtime.
    pub shards: usize,
    /// Whether people who play and people who watch may share an address, so that only a player's
    /// key tells whether the player watches as well.
    pub shared_addresses: bool,
    /// Whether an idle server draws boards of the largest size ahead.
    pub draws_ahead: bool,
    /// Whether the server announces itself and its public rooms by mDNS, if others on the network
    /// reach it.
    pub mdns: bool,
    /// A folder with the page's files, instead of those in the program.
    pub web_dir: Option<PathBuf>,
}

/// The keys that have the host's powers in every room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Operators {
    #[default]
    Nobody,
    Keys(BTreeSet<Fingerprint>),
    /// The owner of the key in the data folder, which is drawn at the first start; none without a
    /// data folder.
    KeyFile,
}

/// Says what there is on a running server, for the program that it runs in.
#[derive(Debug, Clone)]
pub struct UsageQuery(Arc<ServerState>);

impl UsageQuery {
    /// Counts the people in all rooms, private ones as well: those who are connected and those whose
    /// seat is kept.
    pub fn people(&self) -> usize {
        self.0.hub.people()
    }

    /// Returns the names of the tournaments that aren't closed, private ones as well.
    pub fn open_tournaments(&self) -> Vec<TournamentName> {
        self.0.hub.tournaments.open_names()
    }

    /// Says whether the next server on the same data folder goes on with rooms and tournaments.
    pub fn is_kept(&self) -> bool {
        self.0.hub.services.store.as_ref().is_some_and(|store| store.is_recording())
    }
}

/// A server that listens but doesn't serve yet.
#[derive(Debug)]
pub struct Server<L = TcpListener> {
    listener: L,
    address: SocketAddr,
    standing: Vec<RoomCode>,
    operator_key: Option<OperatorKey>,
    state: Arc<ServerState>,
    origin_policy: Arc<OriginPolicy>,
    proxies: Arc<[TrustedProxy]>,
    tls: Option<Tls>,
    announcement: Option<Announcement>,
    page_files: PageFiles,
}

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("the listener has no address: {0}")]
    Listener(io::Error),
    #[error("can't open a standing room: {0}")]
    StandingRoom(OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("failed to start shard threads: {0}")]
    Shards(io::Error),
}

impl<L: Listener> Server<L> {
    /// Creates a server on a listener, recovers rooms from the store, and opens the standing
    /// rooms. Must be called inside a tokio runtime.
    pub fn new(listener: L, config: ServerConfig) -> Result<Self, ServerError> {
        let address = listener.local_addr().map_err(ServerError::Listener)?;
        let metrics = Metrics::new();
        let needs_key = config.operators == Operators::KeyFile;
        let OpenedStore { clock, recovered, operator_key } =
            open_store(&config.data, config.durability, &config.environment, &metrics, needs_key)?;
        let operators = match config.operators {
            Operators::Nobody => BTreeSet::new(),
            Operators::Keys(keys) => keys,
            Operators::KeyFile => operator_key.iter().map(|key| key.fingerprint).collect(),
        };
        let tls_name = config.hosts.first().cloned().unwrap_or_default();
        let announcement = config.mdns.then(|| Announcement {
            listening: address,
            tls: config.tls.is_some().then_some(tls_name),
        });
        let environment = config.environment;
        // A simulated network wakes a task by another clock than its host's.
        let sheds_load = !environment.is_simulated();
        let shards = Shards::start(config.shards, sheds_load).map_err(ServerError::Shards)?;
        let mut services = Services::start(
            environment.clone(),
            clock,
            config.tables,
            metrics,
            shards,
            config.draws_ahead,
        );
        services.operators = Arc::new(operators);
        let (hub, standing) =
            Hub::start(services, recovered, config.standing).map_err(ServerError::StandingRoom)?;
        let state = Arc::new(ServerState {
            environment,
            clock,
            hub,
            admission: AdmissionControl::new(config.arrival_rate),
            room_quota: RoomQuota::default(),
            client_rate: config.client_rate,
            shared_addresses: config.shared_addresses,
        });
        Ok(Self {
            listener,
            address,
            standing,
            operator_key,
            state,
            origin_policy: Arc::new(OriginPolicy::new(config.origins, &config.hosts)),
            proxies: config.proxies.into(),
            tls: config.tls,
            announcement,
            page_files: config.web_dir.map_or(PageFiles::Embedded, PageFiles::Folder),
        })
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the operator's key in the data folder, if that is whom the server obeys.
    pub const fn operator_key(&self) -> Option<&OperatorKey> {
        self.operator_key.as_ref()
    }

    /// Returns the codes of the standing rooms, in the configuration's order.
    pub fn standing(&self) -> &[RoomCode] {
        &self.standing
    }

    /// Returns the codes of the rooms recovered from an earlier server, except standing ones.
    pub fn recovered(&self) -> Vec<RoomCode> {
        let mut codes = self.state.hub.codes();
        codes.retain(|code| !self.standing.contains(code));
        codes
    }

    /// Finds a recovered room with a vacant seat of a key's owner, who resumes it by joining with
    /// that key.
    pub fn waiting_for(&self, identity: Fingerprint) -> Option<RoomCode> {
        self.state.hub.waiting_for(identity)
    }

    /// Returns what says what there is on the server while it runs.
    pub fn usage_query(&self) -> UsageQuery {
        UsageQuery(Arc::clone(&self.state))
    }

    /// Serves `/metrics` on a separate listener, until the runtime ends.
    pub fn serve_metrics(&self, listener: TcpListener) {
        let (state, policy) = (Arc::clone(&self.state), Arc::clone(&self.origin_policy));
        tokio::spawn(http::metrics::serve(listener, state, policy));
    }

    /// Serves until `shutdown` is ready, then says farewell to each client and ends within two
    /// seconds.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (shut_down, is_shutdown) = watch::channel(false);
        info!(address = %self.address, "listening");
        let http = HttpState {
            server: Arc::clone(&self.state),
            origin_policy: self.origin_policy,
            proxies: self.proxies,
            is_tls: self.tls.is_some(),
            address: self.address,
            page_files: self.page_files,
            record_turn: Arc::new(Semaphore::new(1)),
            shutdown: is_shutdown,
        };
        http.page_files.prepare(&self.state.hub.services.environment);
        let mut announcer = self.announcement.and_then(Announcement::start);
        tokio::select! {
            biased;
            () = self.state.hub.run_reaper() => {}
            () = self.state.hub.watch_store() => {}
            () = self.state.hub.run_tournaments() => {}
            () = acceptor::accept_loop(&self.listener, http, self.tls) => {}
            () = mdns::keep_announced(&mut announcer, &self.state.hub) => {}
            () = shutdown => {}
        }
        info!("shutting down");
        mdns::withdraw(announcer).await;
        drop(self.listener);
        self.state.hub.flush_for_shutdown().await;
        shut_down.send_replace(true);
        let admission = &self.state.admission;
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, admission.wait_until_empty()).await.is_err() {
            let count = admission.connection_count();
            warn!(count, "shutdown deadline reached; dropping connections");
        }
        self.state.hub.close();
    }
}

/// A store with its clock; without one, only the clock.
struct OpenedStore {
    clock: Clock,
    recovered: Option<RecoveredRooms>,
    operator_key: Option<OperatorKey>,
}

/// Opens the store, if there is one; the server's clock continues from its last record.
fn open_store(
    data: &Data,
    durability: Durability,
    environment: &Environment,
    metrics: &Metrics,
    needs_operator_key: bool,
) -> Result<OpenedStore, StoreError> {
    let folder = match data {
        Data::Ephemeral => {
            let clock = Clock::start();
            info!("no data folder: nothing is recorded");
            return Ok(OpenedStore { clock, recovered: None, operator_key: None });
        }
        Data::At(folder) => folder,
    };
    let mut opened = store::open(folder, environment.clone())?.with_durability(durability);
    let operator_key = needs_operator_key.then(|| opened.operator_key()).transpose()?;
    let clock = Clock::resume(opened.recovery.clock);
    let downtime = opened.recovery.away;
    let tournaments = std::mem::take(&mut opened.recovery.tournaments);
    let next_tournament = opened.recovery.next_tournament;
    let (store, rooms) = opened.start(clock, metrics.commits())?;
    info!(folder = %folder.display(), recovered = rooms.len(), "store opened");
    let recovered = Some(RecoveredRooms { store, rooms, downtime, tournaments, next_tournament });
    Ok(OpenedStore { clock, recovered, operator_key })
}
