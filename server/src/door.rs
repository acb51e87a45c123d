//! The door: who comes in, and how a conversation begins.

use crate::http::{self, Site, Visitor};
use crate::tls::Tls;
use axum::Router;
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
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{debug, warn};

/// Connections that are told at the same time that there is no place left.
const TURNED_AWAY: usize = 64;
/// How long a client may take to shake hands for TLS.
const TLS_DEADLINE: Duration = Duration::from_secs(5);
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

/// How long what was sent may go unacknowledged before the system gives the connection up: well
/// below the silence after which the client is let go, where the system's own is minutes.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(20);

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
        socket2::SockRef::from(&stream)
            .set_tcp_user_timeout(Some(UNACKNOWLEDGED))
            .ok(); // the silence is noticed all the same
        Ok((stream, peer))
    }
}

/// Lets people in for ever.
pub(crate) async fn keep<L: Listener>(listener: &L, site: Site, tls: Option<Tls>) {
    let routes = TowerToHyperService::new(http::routes(site.clone()));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                warn!(%error, "can't accept");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(place) = site.shared.admission.place(peer.ip()) else {
            // One more than that is dropped without a word, and so is one who would have to
            // shake hands first.
            if tls.is_none()
                && let Ok(turn) = Arc::clone(&turned_away).try_acquire_owned()
            {
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
        let (routes, tls) = (routes.clone(), tls.clone());
        let mut shutdown = site.shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = meet(stream, tls, visitor, routes) => {}
                _ = shutdown.wait_for(|&down| down) => {}
            }
        });
    }
}

/// Shakes hands, where that is wanted, and speaks HTTP.
async fn meet<S>(stream: S, tls: Option<Tls>, visitor: Visitor, routes: TowerToHyperService<Router>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let Some(tls) = tls else {
        return converse(stream, visitor, routes).await;
    };
    match timeout(TLS_DEADLINE, tls.accept(stream)).await {
        Ok(Ok(stream)) => converse(stream, visitor, routes).await,
        Ok(Err(error)) => debug!(peer = %visitor.peer, %error, "no TLS"),
        Err(_) => debug!(peer = %visitor.peer, "no TLS in time"),
    }
}

/// Speaks HTTP with one client; a WebSocket goes on in a task of its own.
async fn converse<S>(stream: S, visitor: Visitor, routes: TowerToHyperService<Router>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        routes.call(request)
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Ok(Err(error)) = timeout(CONVERSATION_DEADLINE, conversation).await {
        debug!(%error, "conversation ended");
    }
}

/// Tells one client too many when to come again.
async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n\
        Content-Length: 27\r\nConnection: close\r\n\r\nfull, try again in a while\n";
    let answering = async {
        stream.write_all(ANSWER).await?;
        stream.shutdown().await?;
        // A request left unread would reach the client as a reset in place of the answer.
        tokio::io::copy(&mut stream.take(REQUEST_BYTES), &mut tokio::io::sink()).await
    };
    // It may be gone already.
    timeout(TURN_AWAY_DEADLINE, answering).await.ok();
}
