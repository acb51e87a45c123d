//! A connection from its handshake to its close, across the runtimes that serve it.

use crate::room::frame::encode_frame;
use crate::session::ServerState;
use crate::session::client::{Client, CloseReason, SessionOutcome};
use crate::transport::admission::{AdmissionError, ConnectionPermit};
use crate::transport::websocket::WebSocket;
use futures_util::FutureExt;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use std::io;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tracing::debug;

/// A client's connection. Boxed, so that a move to another runtime copies no memory.
pub(crate) struct ClientConnection<S> {
    pub(crate) socket: WebSocket<S>,
    pub(crate) client: Client,
    pub(crate) shutdown: watch::Receiver<bool>,
    /// Registers a stream with the current runtime.
    pub(crate) rebind: fn(&mut S) -> io::Result<()>,
    pub(crate) permit: ConnectionPermit,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> ClientConnection<S> {
    /// Serves a client to its end, on the runtime of its room.
    pub(crate) async fn serve(mut self: Box<Self>) {
        let Self { socket, client, shutdown, .. } = &mut *self;
        let wake_latency = Arc::clone(&client.wake_latency);
        // A panic under a room's lock closes that room at once; one elsewhere closes only this
        // connection.
        let session = AssertUnwindSafe(wake_latency.measure(client.run(socket))).catch_unwind();
        let panicked = |_| SessionOutcome::Closed(CloseReason::Farewell(Farewell::Broken, None));
        let outcome = tokio::select! {
            biased;
            outcome = session => outcome.unwrap_or_else(panicked),
            _ = shutdown.wait_for(|&is_shutdown| is_shutdown) => {
                SessionOutcome::Closed(CloseReason::Farewell(Farewell::ShuttingDown, None))
            }
        };
        match outcome {
            // Boxed, as it would enlarge every connection's future.
            SessionOutcome::Closed(reason) => Box::pin(self.close(reason)).await,
            SessionOutcome::Handoff(room) => room.runtime().spawn(self.resume_on()),
        }
    }

    /// Continues on the current runtime. Boxed, as `serve` may spawn it again.
    fn resume_on(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match (self.rebind)(self.socket.stream_mut()) {
                Ok(()) => self.serve().await,
                Err(error) => {
                    debug!(peer = %self.client.requests.peer, %error, "runtime handoff failed");
                    Box::pin(self.close(CloseReason::Disconnected)).await;
                }
            }
        })
    }

    async fn close(self: Box<Self>, reason: CloseReason) {
        let Self { socket, client, permit, .. } = *self;
        let ServerState { hub, admission, clock, .. } = &*client.requests.state;
        let peer = client.requests.peer;
        match &reason {
            CloseReason::Disconnected => {}
            CloseReason::Farewell(why, _) => {
                hub.services.metrics.dismiss(*why);
                if *why == Farewell::Flooding {
                    admission.penalize_flood(peer, clock.now());
                }
            }
            CloseReason::Protocol(code, _) => hub.services.metrics.fault(*code),
        }
        // Leaves the room before the socket is closed, which may take a while.
        drop(client);
        close_socket(socket, peer, reason).await;
        drop(permit);
    }
}

/// Tells a client that it isn't admitted, and when to retry.
pub(crate) async fn turn_away<S: AsyncRead + AsyncWrite + Unpin>(
    socket: WebSocket<S>,
    state: Arc<ServerState>,
    peer: IpAddr,
    AdmissionError { retry_seconds }: AdmissionError,
) {
    let busy = Farewell::Busy { retry_seconds };
    state.hub.services.metrics.dismiss(busy);
    close_socket(socket, peer, CloseReason::Farewell(busy, None)).await;
}

/// Closes a WebSocket with the farewell and close code of a reason.
pub(crate) async fn close_socket<S: AsyncRead + AsyncWrite + Unpin>(
    socket: WebSocket<S>,
    peer: IpAddr,
    reason: CloseReason,
) {
    match reason {
        CloseReason::Disconnected => socket.answer_close().await,
        CloseReason::Farewell(farewell, text) => {
            debug!(%peer, ?farewell, "closing connection");
            let goodbye = encode_frame(socket.codec(), &ServerMessage::Goodbye(farewell));
            let text = text.unwrap_or_else(|| farewell.to_string());
            socket.close(goodbye, farewell.into(), &text).await;
        }
        CloseReason::Protocol(code, text) => {
            debug!(%peer, ?code, "closing connection");
            socket.close(Vec::new(), code, text).await;
        }
    }
}
