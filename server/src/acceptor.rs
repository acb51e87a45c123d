//! Accepts connections: admission, TLS, HTTP, and the WebSocket's handover to a session.

use crate::http::connection_limits::{
    CountedStream, HTTP_CONNECTION_TIMEOUT, http1_builder, serve_while_writing,
};
use crate::http::{self, Handshake, HttpState};
use crate::session::ServerState;
use crate::session::client::Client;
use crate::session::lifecycle::{self, ClientConnection};
use crate::transport::admission::{AdmissionError, ConnectionPermit};
use crate::transport::lingering_close::{CLOSE_TIMEOUT, lingering_close};
use crate::transport::listener::{Listener, accept_next};
use crate::transport::rate_limited_stream::RateLimitedStream;
use crate::transport::tls::Tls;
use crate::transport::websocket::{MessageLimits, WebSocket};
use axum::Router;
use bytes::Bytes;
use futures_util::TryFutureExt;
use futures_util::future::{Either, ready};
use gridrace_shared::protocol::PATH;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::service::{Service, service_fn};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either as MaybeTls;
use tracing::{debug, warn};

/// Connections without a permit that are told so at the same time; further ones are dropped. As
/// many as the accept queue holds, so that all who arrive at once hear it. Each costs some 16 KiB
/// until [`TURN_AWAY_TIMEOUT`].
const MAX_TURNED_AWAY: usize = 4_096;
/// How long a client may take for the TLS handshake.
const TLS_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Requests of one connection: the files of the page, and a reload. The last
/// answer closes the connection.
const MAX_REQUESTS: u32 = 32;
/// How long it may take to tell a client that it isn't admitted.
const TURN_AWAY_TIMEOUT: Duration = Duration::from_secs(2);

/// A connection's stream. The TLS state is boxed, as it is larger than the rest of a connection.
type Stream<S> = MaybeTls<S, Box<TlsStream<S>>>;

/// Accepts connections; never returns.
pub(crate) async fn accept_loop<L: Listener>(listener: &L, http: HttpState, tls: Option<Tls>) {
    let acceptor = Arc::new(Acceptor {
        routes: TowerToHyperService::new(http::routes(http.clone())),
        server_full_routes: TowerToHyperService::new(http::server_full_routes()),
        http,
        tls,
        untrusted_proxy: Once::new(),
    });
    let turn_away_permits = Arc::new(Semaphore::new(MAX_TURNED_AWAY));
    loop {
        let (stream, peer) = accept_next(listener).await;
        // A listener on all addresses reports IPv4 within IPv6.
        let mut peer = peer.ip().to_canonical();
        // The limits by address count the server's own machine under none of its addresses.
        if L::is_own_machine(&stream, peer) && !acceptor.is_trusted_proxy(peer) {
            peer = Ipv4Addr::LOCALHOST.into();
        }
        let ServerState { admission, clock, hub, .. } = &*acceptor.http.server;
        let admitted = if acceptor.is_trusted_proxy(peer) {
            admission.admit_proxied()
        } else {
            admission.admit(peer, clock.now())
        };
        let admission = match admitted {
            Ok(permit) => Admission::Admitted(permit),
            Err(error) => match Arc::clone(&turn_away_permits).try_acquire_owned() {
                Ok(permit) => Admission::TurnedAway(error, Either::Left(permit)),
                Err(_) => {
                    debug!(%peer, "too many clients to turn away; dropping connection");
                    hub.services.metrics.drop_unheard();
                    continue;
                }
            },
        };
        let acceptor = Arc::clone(&acceptor);
        let mut shutdown = acceptor.http.shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = acceptor.handle::<L>(stream, peer, admission) => {}
                _ = shutdown.wait_for(|&is_shutdown| is_shutdown) => {}
            }
        });
    }
}

/// Whether a connection is admitted.
enum Admission {
    Admitted(ConnectionPermit),
    /// The client is told to retry. The permit bounds how many are told at once; a proxied client
    /// has the one that it got before its address was known.
    TurnedAway(AdmissionError, Either<OwnedSemaphorePermit, ConnectionPermit>),
}

struct Acceptor {
    routes: TowerToHyperService<Router>,
    server_full_routes: TowerToHyperService<Router>,
    http: HttpState,
    tls: Option<Tls>,
    untrusted_proxy: Once,
}

impl Acceptor {
    /// Serves HTTP on a connection. A WebSocket continues in a separate task, which keeps only what
    /// a session needs.
    async fn handle<L: Listener>(&self, stream: L::Stream, peer: IpAddr, admission: Admission) {
        let Some(stream) = self.accept_tls(stream, peer).await else {
            return;
        };
        let Some((stream, buffered, handshake)) = self.serve_http(stream, &admission).await else {
            return;
        };
        let (peer, admission) =
            self.resolve_client_addr(peer, admission, handshake.forwarded_client);
        let Handshake { codec, host, .. } = handshake;
        let state = Arc::clone(&self.http.server);
        let stream = RateLimitedStream::new(stream, state.clock, state.client_rate);
        let (limits, rng) = (MessageLimits::PROTOCOL, state.environment.rng.clone());
        let socket = WebSocket::new(stream, buffered, codec, limits, rng).await;
        match admission {
            Admission::Admitted(permit) => {
                let connection = Box::new(ClientConnection {
                    socket,
                    client: Client::new(state, peer, host, codec),
                    shutdown: self.http.shutdown.clone(),
                    rebind: rebind::<L>,
                    permit,
                });
                tokio::spawn(connection.serve());
            }
            Admission::TurnedAway(error, permit) => {
                lifecycle::turn_away(socket, state, peer, error).await;
                drop(permit);
            }
        }
    }

    fn is_trusted_proxy(&self, peer: IpAddr) -> bool {
        self.http.proxies.iter().any(|proxy| proxy.matches(peer))
    }

    /// Returns the client's address behind a trusted proxy, and counts the connection there.
    fn resolve_client_addr(
        &self,
        peer: IpAddr,
        admission: Admission,
        forwarded: Option<IpAddr>,
    ) -> (IpAddr, Admission) {
        if !self.is_trusted_proxy(peer) {
            if forwarded.is_some() && peer.to_canonical().is_loopback() {
                self.untrusted_proxy.call_once(|| {
                    warn!(%peer, "X-Forwarded-For from an untrusted proxy; see --trust-proxy");
                });
            }
            return (peer, admission);
        }
        let peer = forwarded.unwrap_or(peer);
        let Admission::Admitted(mut permit) = admission else {
            return (peer, admission);
        };
        let ServerState { admission, clock, .. } = &*self.http.server;
        match admission.assign_address(&mut permit, peer, clock.now()) {
            Ok(()) => (peer, Admission::Admitted(permit)),
            Err(error) => (peer, Admission::TurnedAway(error, Either::Right(permit))),
        }
    }

    async fn accept_tls<S>(&self, stream: S, peer: IpAddr) -> Option<Stream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Some(tls) = &self.tls else {
            return Some(MaybeTls::Left(stream));
        };
        match timeout(TLS_HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
            Ok(Ok(stream)) => return Some(MaybeTls::Right(Box::new(stream))),
            Ok(Err(error)) => debug!(%peer, %error, "TLS handshake failed"),
            Err(_) => debug!(%peer, "TLS handshake timed out"),
        }
        None
    }

    /// Serves HTTP until a WebSocket handshake is granted or the connection ends. Returns the
    /// stream after a handshake, with the bytes read behind it.
    async fn serve_http<S>(&self, stream: S, admission: &Admission) -> Option<(S, Bytes, Handshake)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let (routes, period, error) = match admission {
            Admission::Admitted(_) => (&self.routes, HTTP_CONNECTION_TIMEOUT, None),
            Admission::TurnedAway(error, _) => {
                (&self.server_full_routes, TURN_AWAY_TIMEOUT, Some(*error))
            }
        };
        let handshake = OnceLock::new();
        let requests = AtomicU32::new(0);
        let service = service_fn(|mut request: Request<Incoming>| {
            let is_last = requests.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_REQUESTS;
            // Handshakes skip the router, as most connections begin with one.
            let is_handshake = request.uri().path() == PATH && request.method() == Method::GET;
            let response = if !http::has_valid_host(&request) {
                Either::Left(ready(Ok(http::invalid_host())))
            } else if is_handshake {
                let policy = &self.http.origin_policy;
                Either::Left(ready(Ok(http::answer_handshake(policy, &request, &handshake))))
            } else {
                if let Some(error) = error {
                    request.extensions_mut().insert(error);
                }
                Either::Right(routes.call(request))
            };
            response.map_ok(move |mut response| {
                if is_last && response.status() != StatusCode::SWITCHING_PROTOCOLS {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
                response
            })
        });
        let written = AtomicU64::new(0);
        let stream = TokioIo::new(CountedStream { stream, written: &written });
        let connection = http1_builder().serve_connection(stream, service).without_shutdown();
        match serve_while_writing(period, &written, connection).await {
            Some(Ok(parts)) => {
                let (stream, buffered) = (parts.io.into_inner().stream, parts.read_buf);
                if let Some(handshake) = handshake.into_inner() {
                    return Some((stream, buffered, handshake));
                }
                timeout(CLOSE_TIMEOUT, lingering_close(stream)).await.ok(); // the peer may be gone
            }
            Some(Err(error)) => debug!(%error, "HTTP connection failed"),
            None => {}
        }
        None
    }
}

fn rebind<L: Listener>(stream: &mut Stream<L::Stream>) -> io::Result<()> {
    L::rebind(match stream {
        MaybeTls::Left(stream) => stream,
        MaybeTls::Right(stream) => stream.get_mut().0,
    })
}

#[cfg(test)]
mod tests;
