//! Plain HTTP on the same port: what this is, whether it lives, and the way to the WebSocket.

pub(crate) mod metrics_listener;
mod origin;
mod page;
mod proxies;
mod upgrade;

use crate::session::client::Shared;
use crate::transport::admission::NoPlace;
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

pub(crate) use origin::Trusted;
pub use origin::{NoSite, read_name, read_origin};
use page::Way;
pub use proxies::TrustedProxy;
pub(crate) use upgrade::{Agreed, shake_hands};

/// By which proxies say how they were asked.
const FORWARDED_BY: &str = "x-forwarded-proto";

/// What every answer needs besides the request.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) shared: Arc<Shared>,
    /// Whose pages may open a WebSocket.
    pub(crate) trusted: Arc<Trusted>,
    /// Who is believed to ask for others.
    pub(crate) proxies: Arc<[TrustedProxy]>,
    /// Whether the server speaks TLS by itself.
    pub(crate) secure: bool,
    pub(crate) shutdown: watch::Receiver<bool>,
}

/// Returns the routes but that of the WebSocket, to which the door itself leads. They are made
/// once.
pub(crate) fn routes(site: Site) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/healthz", get(|| async { "ok\n" }))
        .route(PATH, get(upgrade::no_handshake))
        .fallback(missing)
        .with_state(site)
}

/// Returns the same for those who have no place: a WebSocket is opened, told and closed, since
/// that is all that a page in a browser hears; everything else is answered by HTTP.
pub(crate) fn no_place() -> Router {
    Router::new().route(PATH, get(upgrade::no_handshake)).fallback(full)
}

async fn full(Extension(NoPlace { retry_seconds }): Extension<NoPlace>) -> Response {
    let headers = [(RETRY_AFTER, retry_seconds.to_string())];
    let body = "full, try again in a while\n";
    (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
}

async fn index(State(site): State<Site>, request: Request) -> Response {
    let host = host_to_show(request.headers());
    // A proxy that speaks TLS in the server's place says so. It is shown, and nothing hangs on it.
    let forwarded = header(request.headers(), FORWARDED_BY);
    let secure = site.secure || forwarded == Some("https");
    let way = Way { host, secure };
    let heats = site.shared.hub.listed();
    let accepts = header(request.headers(), ACCEPT.as_str()).unwrap_or_default();
    let (kind, body) = if accepts.contains("text/html") {
        ("text/html; charset=utf-8", page::html(way, &heats))
    } else {
        ("text/plain; charset=utf-8", page::text(way, &heats))
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        // The page needs its own style and nothing else.
        (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
}

/// Returns the host that was asked, or a word in its place where it can't be shown.
pub(crate) fn host_to_show(headers: &HeaderMap) -> &str {
    let host = header(headers, HOST.as_str());
    host.filter(|host| is_host(host)).unwrap_or("HOST")
}

/// Says whether a text can be a host with its port: it is shown as part of a command.
fn is_host(text: &str) -> bool {
    let may_stand = |c: u8| c.is_ascii_alphanumeric() || b".-:[]".contains(&c);
    (1..=255).contains(&text.len()) && text.bytes().all(may_stand)
}

async fn missing() -> Response {
    (StatusCode::NOT_FOUND, "not found: see /\n").into_response()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_is_shown_as_one() {
        for host in ["192.168.1.5:7415", "race.example", "[fe80::1]:7415"] {
            assert!(is_host(host), "{host}");
        }
        for other in ["", "a b", "$(reboot)", "x;y", "<b>", &"a".repeat(256)] {
            assert!(!is_host(other), "{other}");
        }
    }
}
