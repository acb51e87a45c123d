//! Plain HTTP on the WebSocket's port: the index page, the health check, and the handshake.

pub(crate) mod connection_limits;
mod headers;
pub(crate) mod metrics;
mod origin;
mod page;
mod proxies;
mod upgrade;

use crate::session::ServerState;
use crate::transport::admission::AdmissionError;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use gridrace_shared::protocol::PATH;
use std::sync::Arc;
use tokio::sync::watch;

use headers::header;
pub(crate) use headers::{displayable_host, has_valid_host};
pub(crate) use origin::OriginPolicy;
pub use origin::{SiteError, parse_host_name, parse_origin};
use page::BaseUrl;
pub use proxies::TrustedProxy;
pub(crate) use upgrade::{Handshake, answer_handshake};

/// The scheme by which a proxy was asked.
const X_FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The index has an inline style and loads nothing. `default-src` covers neither framing, nor
/// forms, nor the base address.
const INDEX_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                            form-action 'none'; frame-ancestors 'none'";

/// What the handlers need besides the request.
#[derive(Debug, Clone)]
pub(crate) struct HttpState {
    pub(crate) server: Arc<ServerState>,
    pub(crate) origin_policy: Arc<OriginPolicy>,
    pub(crate) proxies: Arc<[TrustedProxy]>,
    pub(crate) is_tls: bool,
    pub(crate) shutdown: watch::Receiver<bool>,
}

/// Returns the routes of admitted connections, except the WebSocket handshake, which the
/// acceptor answers.
pub(crate) fn routes(state: HttpState) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/healthz", get(|| async { "ok\n" }))
        .route(PATH, get(|| async { upgrade::upgrade_required() }))
        .fallback(not_found)
        .with_state(state)
}

/// Returns the routes of connections that aren't admitted. They may open a WebSocket, because a
/// page hears only its farewell; other requests get status 503.
pub(crate) fn server_full_routes() -> Router {
    Router::new().route(PATH, get(|| async { upgrade::upgrade_required() })).fallback(server_full)
}

async fn server_full(Extension(error): Extension<AdmissionError>) -> Response {
    let headers = [(RETRY_AFTER, error.retry_seconds.to_string())];
    (StatusCode::SERVICE_UNAVAILABLE, headers, format!("{error}\n")).into_response()
}

async fn index(State(state): State<HttpState>, request: Request) -> Response {
    let host = displayable_host(request.headers());
    // A proxy that terminates TLS says so. It only changes the addresses that are shown.
    let forwarded = header(request.headers(), X_FORWARDED_PROTO);
    let base = BaseUrl { host, is_tls: state.is_tls || forwarded == Some("https") };
    let rooms = state.server.hub.public_rooms();
    let store = state.server.hub.services.store.as_ref();
    let signer = store.map(|store| store.server_key().fingerprint());
    let accepts = header(request.headers(), ACCEPT.as_str()).unwrap_or_default();
    let (content_type, body) = if accepts.contains("text/html") {
        ("text/html; charset=utf-8", page::html(base, &rooms, signer))
    } else {
        ("text/plain; charset=utf-8", page::text(base, &rooms, signer))
    };
    let headers = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, INDEX_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
}

/// Answers a request without a valid host.
pub(crate) fn invalid_host() -> Response {
    let body = "a request of HTTP/1.1 has one header `Host: NAME` or `Host: NAME:PORT`\n";
    (StatusCode::BAD_REQUEST, body).into_response()
}

async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found; see /\n").into_response()
}
