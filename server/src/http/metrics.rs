//! `/metrics` on a separate listener, with few connections at a time and the HTTP limits of the
//! main one.

use crate::http::connection_limits::{HTTP_CONNECTION_TIMEOUT, http1_builder};
use crate::http::origin::OriginPolicy;
use crate::room::services::Services;
use crate::session::ServerState;
use crate::transport::listener::accept_next;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
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

/// Connections at once: far more than monitoring systems need, so that idle ones block no
/// scrape. Further ones wait in the accept queue.
const MAX_CONNECTIONS: usize = 128;
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `/metrics`; never returns.
pub(crate) async fn serve(
    listener: TcpListener,
    state: Arc<ServerState>,
    policy: Arc<OriginPolicy>,
) {
    let routes = Router::new()
        .route("/metrics", get(metrics))
        .with_state(state)
        .layer(middleware::from_fn_with_state(policy, check_host));
    let service = TowerToHyperService::new(routes);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        let (stream, peer) = accept_next(&listener).await;
        let service = service.clone();
        tokio::spawn(async move {
            let connection = http1_builder().serve_connection(TokioIo::new(stream), service);
            if let Ok(Err(error)) = timeout(HTTP_CONNECTION_TIMEOUT, connection).await {
                debug!(%peer, %error, "metrics connection failed");
            }
            drop(permit);
        });
    }
}

/// Encodes the metrics as of now.
pub(crate) async fn metrics(State(state): State<Arc<ServerState>>) -> impl IntoResponse {
    let ServerState { hub, admission, .. } = &*state;
    let Services { metrics, store, .. } = &hub.services;
    metrics.store(store.as_ref().map(|store| store.stats()));
    let body =
        metrics.text(admission.connection_count(), &hub.count_by_phase(), hub.tournaments.counts());
    ([(CONTENT_TYPE, OPEN_METRICS)], body)
}

/// Refuses requests by a host name that an outsider may own: a page there could read the metrics
/// by DNS rebinding.
async fn check_host(
    State(policy): State<Arc<OriginPolicy>>,
    request: Request,
    next: Next,
) -> Response {
    match policy.check_host(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => (StatusCode::FORBIDDEN, format!("{error}\n")).into_response(),
    }
}
