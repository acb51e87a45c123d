//! Metrics on a listener of their own, for a monitoring system: few connections at a time, each
//! with the door's deadlines, and none for a page in a browser.

use crate::acceptor::{self, CONVERSATION_DEADLINE};
use crate::http::Trusted;
use crate::session::client::Shared;
use crate::telemetry::metrics;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::debug;

/// Connections at once: far more than monitoring systems and people who look need, so that some
/// that are left open keep nobody waiting. More wait in the system's queue.
const CONNECTIONS: usize = 128;

/// Answers `/metrics` for ever.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>, trusted: Arc<Trusted>) {
    let routes = Router::new()
        .route("/metrics", get(metrics::answer))
        .with_state(shared)
        .layer(middleware::from_fn_with_state(trusted, check_host));
    let service = TowerToHyperService::new(routes);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let (stream, peer) = acceptor::next(&listener).await;
        let service = service.clone();
        tokio::spawn(async move {
            let conversation = acceptor::http().serve_connection(TokioIo::new(stream), service);
            if let Ok(Err(error)) = timeout(CONVERSATION_DEADLINE, conversation).await {
                debug!(%peer, %error, "no metrics");
            }
            drop(place);
        });
    }
}

/// Lets a request pass that names this server as it knows itself: else a page of anybody's could
/// have its name lead here, and read.
async fn check_host(State(trusted): State<Arc<Trusted>>, request: Request, next: Next) -> Response {
    match trusted.check_host(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    }
}
