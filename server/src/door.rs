//! The door: who comes in, and how a conversation begins.

use crate::connection::Shared;
use crate::http::{self, Pass, Site, Visitor};
use crate::tls::Tls;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{debug, warn};

/// Connections that are told at the same time that there is no place left.
const TURNED_AWAY: usize = 256;
/// How long a client may take to shake hands for TLS.
const TLS_DEADLINE: Duration = Duration::from_secs(5);
/// How long a client may take to send the head of a request.
const HEADER_DEADLINE: Duration = Duration::from_secs(5);
/// Bytes of a request's head, and what may wait of an answer: as custom has it, and the least
/// that hyper takes.
const HEADER_BYTES: usize = 8 * 1024;
/// Headers of a request: browsers send some twenty, proxies a few more.
const HEADERS: usize = 64;
/// How long a client may speak plain HTTP over one connection: a page or two, for ever is for
/// WebSockets.
const CONVERSATION_DEADLINE: Duration = Duration::from_secs(15);
/// How long it may take to tell somebody that there is no place left.
const TURN_AWAY_DEADLINE: Duration = Duration::from_secs(2);
/// How long the accept loop waits when the system has no more sockets to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long what was sent may go unacknowledged before the system gives the connection up: well
/// below the silence after which the client is let go, where the system's own is minutes.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(20);

/// Bytes of a connection that the system takes beyond what it may send: as much as leaves in a
/// write or two. By itself it takes 4 MiB for a peer that doesn't read.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 16 * 1024;

/// Where connections come from: the system's sockets, or those of a simulated network.
pub trait Listener: Send + 'static {
    /// One connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Returns the address on which it listens.
    ///
    /// # Errors
    /// The listener's own.
    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Waits for the next connection, and returns whose it is.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        stream.set_nodelay(true).ok(); // a socket that can't is slower, and that is all
        #[cfg(target_os = "linux")]
        {
            let socket = socket2::SockRef::from(&stream);
            // The silence is noticed all the same, and who never reads is, too.
            socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok();
            socket.set_tcp_notsent_lowat(UNSENT).ok();
        }
        Ok((stream, peer))
    }
}

/// Lets people in for ever.
pub(crate) async fn keep<L: Listener>(listener: &L, site: Site, tls: Option<Tls>) {
    let sides = Sides {
        inside: TowerToHyperService::new(http::routes(site.clone())),
        outside: TowerToHyperService::new(http::no_place(site.clone())),
    };
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    loop {
        let (stream, peer) = next(listener).await;
        let peer = peer.ip();
        let Shared {
            admission, clock, ..
        } = &*site.shared;
        let pass = match admission.place(peer, clock.now()) {
            Ok(place) => Pass::In(Arc::new(place)),
            Err(why) => match Arc::clone(&turned_away).try_acquire_owned() {
                Ok(turn) => Pass::Away(why, Arc::new(turn)),
                // One more than that is dropped without a word.
                Err(_) => continue,
            },
        };
        let (sides, tls) = (sides.clone(), tls.clone());
        let visitor = Visitor { peer, pass };
        let mut shutdown = site.shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = meet(stream, tls, visitor, sides) => {}
                _ = shutdown.wait_for(|&down| down) => {}
            }
        });
    }
}

/// What is shown to those who have a place, and to those who have none.
#[derive(Clone)]
struct Sides {
    inside: TowerToHyperService<Router>,
    outside: TowerToHyperService<Router>,
}

/// Waits for the next connection, however long the system has none to give.
async fn next<L: Listener>(listener: &L) -> (L::Stream, SocketAddr) {
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // Its own fault, and it is gone.
            Err(error) if is_of_the_peer(error.kind()) => debug!(%error, "gone before it came"),
            Err(error) => {
                // Once is enough: this may go on for a while.
                if !told {
                    warn!(%error, "can't accept");
                }
                told = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_of_the_peer(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

/// Shakes hands, where that is wanted, and speaks HTTP.
async fn meet<S>(stream: S, tls: Option<Tls>, visitor: Visitor, sides: Sides)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let Some(tls) = tls else {
        return converse(stream, visitor, sides).await;
    };
    match timeout(TLS_DEADLINE, tls.accept(stream)).await {
        Ok(Ok(stream)) => converse(stream, visitor, sides).await,
        Ok(Err(error)) => debug!(peer = %visitor.peer, %error, "no TLS"),
        Err(_) => debug!(peer = %visitor.peer, "no TLS in time"),
    }
}

/// Speaks HTTP with one client; a WebSocket goes on in a task of its own.
async fn converse<S>(stream: S, visitor: Visitor, sides: Sides)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (side, deadline) = match visitor.pass {
        Pass::In(_) => (sides.inside, CONVERSATION_DEADLINE),
        Pass::Away(..) => (sides.outside, TURN_AWAY_DEADLINE),
    };
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        side.call(request)
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .max_headers(HEADERS)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Ok(Err(error)) = timeout(deadline, conversation).await {
        debug!(%error, "conversation ended");
    }
}

#[cfg(test)]
mod tests;
