//! One connection from the handshake to its end, wherever it is served.

use crate::room::outbox::Frame;
use crate::session::client::{Client, Over, Shared, Turn};
use crate::transport::admission::{NoPlace, Place};
use crate::transport::websocket::Socket;
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

/// A client's connection, wherever it is served. Boxed, so that it stays where it is in memory.
pub(crate) struct Visit<S> {
    pub(crate) socket: Socket<S>,
    pub(crate) client: Client,
    pub(crate) shutdown: watch::Receiver<bool>,
    /// Makes a stream the business of the runtime in which it is called.
    pub(crate) rebind: fn(&mut S) -> io::Result<()>,
    /// Given back at the end.
    pub(crate) place: Place,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Visit<S> {
    /// Serves a client until either side has had enough. It is served where its heat lives.
    pub(crate) async fn serve(mut self: Box<Self>) {
        let Self { socket, client, shutdown, .. } = &mut *self;
        // A panic under a heat's lock ends that heat there and then; one elsewhere ends no more
        // than this connection.
        let wait = Arc::clone(&client.wait);
        let living = AssertUnwindSafe(wait.of(client.live(socket))).catch_unwind();
        let broken = |_| Turn::Over(Over::Farewell(Farewell::Broken, None));
        let turn = tokio::select! {
            biased;
            lived = living => lived.unwrap_or_else(broken),
            _ = shutdown.wait_for(|&down| down) => {
                Turn::Over(Over::Farewell(Farewell::ShuttingDown, None))
            }
        };
        match turn {
            // Boxed, or everybody would pay for it from the first.
            Turn::Over(over) => Box::pin(self.end(over)).await,
            Turn::Elsewhere(heat) => heat.home().spawn(self.arrive()),
        }
    }

    /// Goes on with it in another runtime. Boxed, as it may come to that again there.
    fn arrive(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            match (self.rebind)(self.socket.stream()) {
                Ok(()) => self.serve().await,
                Err(error) => {
                    debug!(peer = %self.client.peer, %error, "lost on the way to its heat");
                    Box::pin(self.end(Over::Gone)).await;
                }
            }
        })
    }

    async fn end(self: Box<Self>, over: Over) {
        let Self { socket, client, place, .. } = *self;
        let metrics = client.shared.hub.metrics();
        match &over {
            Over::Gone => {}
            Over::Farewell(why, _) => {
                metrics.dismiss(*why);
                if *why == Farewell::Flooding {
                    let Shared { admission, clock, .. } = &*client.shared;
                    admission.flooded(client.peer, clock.now());
                }
            }
            Over::Fault(code, _) => metrics.fault(*code),
        }
        let peer = client.peer;
        // The seat is left before the socket is closed: a slow close holds nobody up.
        drop(client);
        part(socket, peer, over).await;
        drop(place);
    }
}

/// Tells a client that there is no place for it, and when to come again.
pub(crate) async fn turn_away<S: AsyncRead + AsyncWrite + Unpin>(
    socket: Socket<S>,
    shared: Arc<Shared>,
    peer: IpAddr,
    NoPlace { retry_seconds }: NoPlace,
) {
    let busy = Farewell::Busy { retry_seconds };
    shared.hub.metrics().dismiss(busy);
    part(socket, peer, Over::Farewell(busy, None)).await;
}

/// Closes a connection in the way that says why it is over.
pub(crate) async fn part<S: AsyncRead + AsyncWrite + Unpin>(
    socket: Socket<S>,
    peer: IpAddr,
    over: Over,
) {
    match over {
        Over::Gone => socket.end().await,
        Over::Farewell(farewell, reason) => {
            debug!(%peer, ?farewell, "closing");
            let goodbye = Frame::new(ServerMessage::Goodbye(farewell));
            let reason = reason.unwrap_or_else(|| farewell.to_string());
            socket.close(Some(&goodbye), farewell.into(), &reason).await;
        }
        Over::Fault(code, reason) => {
            debug!(%peer, ?code, "closing");
            socket.close(None, code, reason).await;
        }
    }
}
