//! The race server: one port for WebSocket and plain HTTP.
//!
//! Absent from here: the rules of any puzzle, a second definition of legality, and trust
//! in what a client says of itself.
//!
//! - [`race`] is pure: events in, effects out.
//! - `heat` is its shell: a lock, a clock, the members' outboxes; `hub` the directory of heats.
//! - `connection`, `socket`, `requests`: one task a client; `outbox` what is on its way to it.
//! - [`tables`] keeps the solvers' tables for everybody.
//! - `drawers` make the boards; `hints`, `raters` and `bot` put the solvers to work outside the heats, with what is on
//!   the `shelf`: `pools` has them all; `http` is the way in.

mod admission;
mod bot;
mod clock;
mod connection;
mod drawers;
mod entropy;
mod heat;
mod hints;
mod http;
mod hub;
pub mod lan;
mod metered;
mod outbox;
mod pools;
pub mod race;
mod rate;
mod raters;
mod requests;
mod shelf;
mod socket;
pub mod tables;

pub use clock::Clock;
pub use hub::{OpenError, StandingHeat};
pub use rate::{Allowance, CLIENT_RATE};

use admission::Admission;
use axum::Router;
use connection::Shared;
use gridrace_shared::name::HeatCode;
use http::{Site, Visitor};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tables::TableStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tracing::{debug, info, warn};

/// Connections that are told at the same time that there is no place left.
const TURNED_AWAY: usize = 64;
/// How long a client may take to send the head of a request.
const HEADER_DEADLINE: Duration = Duration::from_secs(5);
/// How long a client may speak plain HTTP over one connection: for ever is for WebSockets.
const CONVERSATION_DEADLINE: Duration = Duration::from_secs(60);
/// How long it may take to tell somebody that there is no place left.
const TURN_AWAY_DEADLINE: Duration = Duration::from_secs(1);
/// Bytes of a request that are dropped unanswered: more than the head of any.
const REQUEST_BYTES: u64 = 16 * 1024;
/// How long the accept loop waits when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long everybody has to hear that the server shuts down.
const SHUTDOWN_DEADLINE: Duration = Duration::from_millis(1_800);

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// Heats that stand as long as the server does.
    pub standing: Vec<StandingHeat>,
    /// Origins whose pages may open a WebSocket besides the server's own.
    pub origins: Vec<String>,
    /// The solvers' tables, shared by all heats.
    pub tables: TableStore,
    /// How much one client may send.
    pub allowance: Allowance,
}

/// A server that is set up and listens, but serves nobody yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    standing: Vec<HeatCode>,
    shared: Arc<Shared>,
    origins: Arc<[String]>,
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

impl Server {
    /// Sets up a server on a listener, and opens its standing heats. Must be called inside
    /// a tokio runtime.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn new(listener: TcpListener, config: ServerConfig) -> Result<Self, ServerError> {
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
            origins: config.origins.into(),
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

    /// Serves until `shutdown` is ready, then says so to everybody and ends within two seconds.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (down, watch) = watch::channel(false);
        info!(address = %self.address, "listening");
        tokio::select! {
            () = self.accept(&watch) => {}
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

    async fn accept(&self, down: &watch::Receiver<bool>) {
        let site = Site {
            shared: Arc::clone(&self.shared),
            origins: Arc::clone(&self.origins),
            shutdown: down.clone(),
        };
        let routes = TowerToHyperService::new(http::routes(site));
        let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
        loop {
            let (stream, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    warn!(%error, "can't accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let Some(place) = self.shared.admission.place(peer.ip()) else {
                // One more than that is dropped without a word.
                if let Ok(turn) = Arc::clone(&turned_away).try_acquire_owned() {
                    tokio::spawn(async move {
                        turn_away(stream).await;
                        drop(turn);
                    });
                }
                continue;
            };
            let visitor = Visitor {
                peer: peer.ip(),
                place: Arc::new(place),
            };
            tokio::spawn(converse(stream, visitor, routes.clone(), down.clone()));
        }
    }
}

/// Speaks HTTP with one client; a WebSocket goes on in a task of its own.
async fn converse(
    stream: TcpStream,
    visitor: Visitor,
    routes: TowerToHyperService<Router>,
    mut shutdown: watch::Receiver<bool>,
) {
    stream.set_nodelay(true).ok(); // a socket that can't is slower, and that is all
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        routes.call(request)
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        ended = tokio::time::timeout(CONVERSATION_DEADLINE, conversation) => {
            if let Ok(Err(error)) = ended {
                debug!(%error, "conversation ended");
            }
        }
        _ = shutdown.wait_for(|&down| down) => {}
    }
}

/// Tells one client too many when to come again.
async fn turn_away(mut stream: TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n\
        Content-Length: 27\r\nConnection: close\r\n\r\nfull, try again in a while\n";
    let answering = async {
        stream.write_all(ANSWER).await?;
        stream.shutdown().await?;
        // A request left unread would reach the client as a reset in place of the answer.
        tokio::io::copy(&mut stream.take(REQUEST_BYTES), &mut tokio::io::sink()).await
    };
    tokio::time::timeout(TURN_AWAY_DEADLINE, answering)
        .await
        .ok(); // it may be gone already
}
