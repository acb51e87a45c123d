//! The race server: one port for WebSocket and plain HTTP.
//!
//! Absent from here: the rules of any puzzle, a second definition of legality, and trust
//! in what a client says of itself.
//!
//! - [`race`] is pure: events in, effects out.
//! - `heat` is its shell: a lock, a clock, the members' outboxes; `hub` the directory of heats,
//!   which closes the `deserted` ones.
//! - `connection`, `socket`, `requests`: one task a client; `outbox` what is on its way to it.
//! - `door` lets people in, by `tls` where it is wanted; `http` is the way from there.
//! - [`tables`] keeps the solvers' tables for everybody.
//! - `drawers` make the boards; `hints`, `raters` and `bot` put the solvers to work outside the heats, with what is on
//!   the `shelf`: `pools` has them all; `http` is the way in.

mod admission;
mod bot;
mod clock;
mod connection;
mod deserted;
mod door;
mod drawers;
mod entropy;
mod heat;
mod hints;
mod http;
mod hub;
mod kept;
pub mod lan;
pub mod limits;
mod metered;
mod metrics;
mod outbox;
mod pools;
pub mod race;
mod rate;
mod raters;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the heats that are kept record")
)]
mod recorder;
mod requests;
mod shelf;
pub mod simulated;
mod socket;
pub mod store;
pub mod tables;
mod tls;

pub use clock::Clock;
pub use door::Listener;
pub use hub::{OpenError, StandingHeat};
pub use rate::{Allowance, CLIENT_RATE};
pub use tls::{Tls, TlsError};

use admission::Admission;
use connection::Shared;
use gridrace_shared::name::HeatCode;
use http::{Site, Trusted};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tables::TableStore;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::{info, warn};

/// How long everybody has to hear that the server shuts down.
const SHUTDOWN_DEADLINE: Duration = Duration::from_millis(1_800);

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// Heats that stand as long as the server does.
    pub standing: Vec<StandingHeat>,
    /// Origins whose pages may open a WebSocket besides the server's own.
    pub origins: Vec<String>,
    /// Names under which browsers reach the server besides the machine's own.
    pub hosts: Vec<String>,
    /// The solvers' tables, shared by all heats.
    pub tables: TableStore,
    /// How much one client may send.
    pub allowance: Allowance,
    /// The certificate with which it shakes hands; without one it speaks plainly.
    pub tls: Option<Tls>,
}

/// A server that is set up and listens, but serves nobody yet.
#[derive(Debug)]
pub struct Server<L = TcpListener> {
    listener: L,
    address: SocketAddr,
    standing: Vec<HeatCode>,
    shared: Arc<Shared>,
    trusted: Arc<Trusted>,
    tls: Option<Tls>,
}

/// Why a server can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The listener has no address.
    #[error("the listener has no address: {0}")]
    Listener(#[from] io::Error),
    /// A standing heat can't be opened.
    #[error("a heat can't be opened: {0}")]
    Heat(#[from] OpenError),
}

impl<L: Listener> Server<L> {
    /// Sets up a server on a listener, and opens its standing heats. Must be called inside
    /// a tokio runtime.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn new(listener: L, config: ServerConfig) -> Result<Self, ServerError> {
        let address = listener.local_addr()?;
        let clock = Clock::start();
        let (hub, standing) = hub::Hub::new(clock, config.tables, config.standing)?;
        let shared = Arc::new(Shared {
            clock,
            hub,
            admission: Admission::new(),
            allowance: config.allowance,
        });
        Ok(Self {
            listener,
            address,
            standing,
            shared,
            trusted: Arc::new(Trusted::new(config.origins, &config.hosts)),
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
    pub fn standing(&self) -> &[HeatCode] {
        &self.standing
    }

    /// Answers `/metrics` on a listener of its own, as long as the runtime lives.
    pub fn serve_metrics(&self, listener: TcpListener) {
        tokio::spawn(metrics::serve(listener, Arc::clone(&self.shared)));
    }

    /// Serves until `shutdown` is ready, then says so to everybody and ends within two seconds.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (down, watch) = watch::channel(false);
        info!(address = %self.address, "listening");
        let site = Site {
            shared: Arc::clone(&self.shared),
            trusted: self.trusted,
            shutdown: watch,
        };
        tokio::select! {
            biased;
            () = self.shared.hub.keep_tidy() => {}
            () = door::keep(&self.listener, site, self.tls) => {}
            () = shutdown => {}
        }
        info!("shutting down");
        drop(self.listener);
        down.send_replace(true);
        let all_gone = self.shared.admission.all_gone();
        if tokio::time::timeout(SHUTDOWN_DEADLINE, all_gone)
            .await
            .is_err()
        {
            warn!("some connections were cut off");
        }
        self.shared.hub.close();
    }
}
