//! Plain HTTP on the WebSocket's port: the index page, the health check, and the handshake.

pub(crate) mod connection_limits;
pub(crate) mod metrics;
mod origin;
mod page;
mod proxies;
mod upgrade;

use crate::session::server_state::ServerState;
use crate::transport::admission::AdmissionError;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use gridrace_shared::protocol::PATH;
use std::sync::Arc;
use tokio::sync::watch;

pub(crate) use origin::OriginPolicy;
pub use origin::{SiteError, parse_host_name, parse_origin};
use page::BaseUrl;
pub use proxies::TrustedProxy;
pub(crate) use upgrade::{Handshake, answer_handshake};

/// The scheme by which a proxy was asked.
const X_FORWARDED_PROTO: &str = "x-forwarded-proto";

/// What the handlers need besides the request.
#[derive(Debug, Clone)]
pub(crate) struct HttpState {
    pub(crate) server: Arc<ServerState>,
    pub(crate) origin_policy: Arc<OriginPolicy>,
    pub(crate) proxies: Arc<[TrustedProxy]>,
    /// The server terminates TLS itself.
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
    let accepts = header(request.headers(), ACCEPT.as_str()).unwrap_or_default();
    let (content_type, body) = if accepts.contains("text/html") {
        ("text/html; charset=utf-8", page::html(base, &rooms))
    } else {
        ("text/plain; charset=utf-8", page::text(base, &rooms))
    };
    let headers = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, "no-store"),
        // The page has an inline style and loads nothing.
        (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
}

/// Returns the request's host, or a placeholder if it isn't safe to show in a command.
pub(crate) fn displayable_host(headers: &HeaderMap) -> &str {
    let host = header(headers, HOST.as_str());
    host.filter(|host| is_displayable_host(host)).unwrap_or("HOST")
}

fn is_displayable_host(text: &str) -> bool {
    let is_allowed = |c: u8| c.is_ascii_alphanumeric() || b".-:[]".contains(&c);
    (1..=255).contains(&text.len()) && text.bytes().all(is_allowed)
}

async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found; see /\n").into_response()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_host_is_displayed() {
        for host in ["192.168.1.5:7415", "race.example", "[fe80::1]:7415"] {
            assert!(is_displayable_host(host), "{host}");
        }
        for other in ["", "a b", "$(reboot)", "x;y", "<b>", &"a".repeat(256)] {
            assert!(!is_displayable_host(other), "{other}");
        }
    }
}
