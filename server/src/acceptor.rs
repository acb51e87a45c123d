//! The door: who comes in, and how a conversation begins.

use crate::http::{self, Agreed, Site};
use crate::session::client::{Client, Shared};
use crate::session::lifecycle::{self, Visit};
use crate::transport::admission::{NoPlace, Place};
use crate::transport::plain_or_tls::Line;
use crate::transport::tls::Tls;
use crate::transport::websocket::Socket;
use axum::Router;
use bytes::Bytes;
use futures_util::TryFutureExt;
use futures_util::future::{Either, ready};
use gridrace_shared::protocol::PATH;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tracing::{debug, warn};

pub use crate::transport::runtime_handoff::RebindableStream;

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
pub(crate) const CONVERSATION_DEADLINE: Duration = Duration::from_secs(15);
/// Requests over one connection: a browser that is left open asks for a page, its icon and the
/// page again. The answer to the last one says that it is.
const REQUESTS: u32 = 16;
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

/// Connections that wait to be accepted: whoever comes back at the same instant after a restart.
/// By themselves listeners have 128, and who comes beyond is reset or kept waiting for seconds.
/// The system may have a bound of its own (Linux: 4,096).
const WAITING: u32 = 4_096;

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

    /// Makes a connection the business of the runtime in which this is called.
    ///
    /// # Errors
    /// The system's own, and then it is lost.
    fn rebind(_: &mut Self::Stream) -> io::Result<()> {
        Ok(())
    }
}

/// Listens on an address, with room for many who come at once. Must be called inside a tokio
/// runtime.
///
/// # Errors
/// The system's own, as where the address is in use.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A server that is started again has its port at once. Windows means something else by it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

impl Listener for TcpListener {
    type Stream = RebindableStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }

    async fn accept(&self) -> io::Result<(RebindableStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        stream.set_nodelay(true).ok(); // a socket that can't is slower, and that is all
        #[cfg(target_os = "linux")]
        {
            let socket = socket2::SockRef::from(&stream);
            // The silence is noticed all the same, and who never reads is, too.
            socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok();
            socket.set_tcp_notsent_lowat(UNSENT).ok();
        }
        Ok((RebindableStream::new(stream), peer))
    }

    fn rebind(stream: &mut RebindableStream) -> io::Result<()> {
        stream.rebind()
    }
}

/// Lets people in for ever.
pub(crate) async fn keep<L: Listener>(listener: &L, site: Site, tls: Option<Tls>) {
    let hall = Arc::new(Hall {
        inside: TowerToHyperService::new(http::routes(site.clone())),
        outside: TowerToHyperService::new(http::no_place()),
        site,
        tls,
        unbelieved: Once::new(),
    });
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    loop {
        let (stream, peer) = next(listener).await;
        let peer = peer.ip();
        let Shared { admission, clock, .. } = &*hall.site.shared;
        let place = if hall.is_proxy(peer) {
            admission.place_of_proxy()
        } else {
            admission.place(peer, clock.now())
        };
        let pass = match place {
            Ok(place) => Pass::In(place),
            Err(why) => match Arc::clone(&turned_away).try_acquire_owned() {
                Ok(turn) => Pass::Away(why, Either::Left(turn)),
                // One more than that is dropped without a word.
                Err(_) => {
                    debug!(%peer, "too many are turned away");
                    hall.site.shared.hub.metrics().drop_unheard();
                    continue;
                }
            },
        };
        let hall = Arc::clone(&hall);
        let mut shutdown = hall.site.shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = hall.meet::<L>(stream, peer, pass) => {}
                _ = shutdown.wait_for(|&down| down) => {}
            }
        });
    }
}

/// What becomes of a connection.
enum Pass {
    /// It has a place.
    In(Place),
    /// It has none, and is told so; few are at the same time, or as many as had one until it
    /// was known whose they are.
    Away(NoPlace, Either<OwnedSemaphorePermit, Place>),
}

/// Where everybody is met.
struct Hall {
    /// What is shown to those who have a place, and to those who have none.
    inside: TowerToHyperService<Router>,
    outside: TowerToHyperService<Router>,
    site: Site,
    tls: Option<Tls>,
    /// Said once, or never.
    unbelieved: Once,
}

/// Waits for the next connection, however long the system has none to give.
pub(crate) async fn next<L: Listener>(listener: &L) -> (L::Stream, SocketAddr) {
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

impl Hall {
    /// Shakes hands, where that is wanted, and speaks HTTP; a WebSocket goes on in a task of its
    /// own, which has no more than that needs.
    async fn meet<L: Listener>(&self, stream: L::Stream, peer: IpAddr, pass: Pass) {
        let Some(line) = self.secure(stream, peer).await else {
            return;
        };
        let Some((line, ahead, agreed)) = self.converse(line, &pass).await else {
            return;
        };
        let (peer, pass) = self.behind(peer, pass, agreed.client);
        let Agreed { codec, host, .. } = agreed;
        let shared = Arc::clone(&self.site.shared);
        let (clock, allowance) = (shared.clock, shared.allowance);
        let socket = Socket::new(line, ahead, codec, clock, allowance).await;
        match pass {
            Pass::In(place) => {
                let visit = Box::new(Visit {
                    socket,
                    client: Client::new(shared, peer, host),
                    shutdown: self.site.shutdown.clone(),
                    rebind: Line::rebind::<L>,
                    place,
                });
                tokio::spawn(visit.serve());
            }
            Pass::Away(why, turn) => {
                lifecycle::turn_away(socket, shared, peer, why).await;
                drop(turn);
            }
        }
    }

    fn is_proxy(&self, peer: IpAddr) -> bool {
        self.site.proxies.iter().any(|proxy| proxy.matches(peer))
    }

    /// Counts who stands behind a proxy in its place, if the proxy has said who it is.
    fn behind(&self, peer: IpAddr, pass: Pass, client: Option<IpAddr>) -> (IpAddr, Pass) {
        if !self.is_proxy(peer) {
            if client.is_some() && peer.to_canonical().is_loopback() {
                self.unbelieved.call_once(|| {
                    warn!("a proxy on this machine isn't believed: see --trust-proxy");
                });
            }
            return (peer, pass);
        }
        let peer = client.unwrap_or(peer);
        let Pass::In(mut place) = pass else {
            return (peer, pass);
        };
        let Shared { admission, clock, .. } = &*self.site.shared;
        match admission.count_in(&mut place, peer, clock.now()) {
            Ok(()) => (peer, Pass::In(place)),
            Err(why) => (peer, Pass::Away(why, Either::Right(place))),
        }
    }

    async fn secure<S>(&self, stream: S, peer: IpAddr) -> Option<Line<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Some(tls) = &self.tls else {
            return Some(Line::Plain(stream));
        };
        match timeout(TLS_DEADLINE, tls.accept(stream)).await {
            Ok(Ok(stream)) => return Some(Line::Tls(Box::new(stream))),
            Ok(Err(error)) => debug!(%peer, %error, "no TLS"),
            Err(_) => debug!(%peer, "no TLS in time"),
        }
        None
    }

    /// Speaks HTTP with one client, until it wants a WebSocket or nothing more. Returns the
    /// line in the first case, with what came behind the handshake and what was agreed.
    async fn converse<S>(&self, line: S, pass: &Pass) -> Option<(S, Bytes, Agreed)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let (side, deadline, no_place) = match pass {
            Pass::In(_) => (&self.inside, CONVERSATION_DEADLINE, None),
            Pass::Away(why, _) => (&self.outside, TURN_AWAY_DEADLINE, Some(*why)),
        };
        let agreed = OnceLock::new();
        let requests = AtomicU32::new(0);
        let service = service_fn(|mut request: Request<Incoming>| {
            let is_last = requests.fetch_add(1, Ordering::Relaxed) + 1 >= REQUESTS;
            // The way that most come is a short one.
            let is_handshake = request.uri().path() == PATH && request.method() == Method::GET;
            let answer = if is_handshake && !is_last {
                Either::Left(ready(Ok(http::shake_hands(&self.site.trusted, &request, &agreed))))
            } else {
                if let Some(why) = no_place {
                    request.extensions_mut().insert(why);
                }
                Either::Right(side.call(request))
            };
            answer.map_ok(move |mut answer| {
                if is_last {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(CONNECTION, close);
                }
                answer
            })
        });
        let conversation = http().serve_connection(TokioIo::new(line), service).without_shutdown();
        match timeout(deadline, conversation).await {
            Ok(Ok(parts)) => {
                let (mut line, ahead) = (parts.io.into_inner(), parts.read_buf);
                match agreed.into_inner() {
                    Some(agreed) => return Some((line, ahead, agreed)),
                    None => drop(line.shutdown().await), // it may be gone
                }
            }
            Ok(Err(error)) => debug!(%error, "conversation ended"),
            Err(_) => {}
        }
        None
    }
}

/// Speaks HTTP within bounds.
pub(crate) fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .max_headers(HEADERS)
        .max_buf_size(HEADER_BYTES);
    http
}

#[cfg(test)]
mod tests;
