//! Plain HTTP on the same port: what this is, whether it lives, and the way to the WebSocket.

mod origin;
mod page;
mod upgrade;

use crate::admission::{NoPlace, Place};
use crate::connection::Shared;
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
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};

pub(crate) use origin::Trusted;
use page::Way;

/// By which proxies say how they were asked.
const FORWARDED_BY: &str = "x-forwarded-proto";

/// What every answer needs besides the request.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) shared: Arc<Shared>,
    /// Whose pages may open a WebSocket.
    pub(crate) trusted: Arc<Trusted>,
    /// Whether the server speaks TLS by itself.
    pub(crate) secure: bool,
    pub(crate) shutdown: watch::Receiver<bool>,
}

/// Who is on a connection; each of its requests carries it.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) peer: IpAddr,
    pub(crate) pass: Pass,
}

/// What becomes of a connection.
#[derive(Debug, Clone)]
pub(crate) enum Pass {
    /// It has a place, given back when the last of its holders is gone.
    In(Arc<Place>),
    /// It has none, and is told so; few are at the same time.
    Away(NoPlace, Arc<OwnedSemaphorePermit>),
}

/// Returns the routes. They are made once: each connection has a handle to them.
pub(crate) fn routes(site: Site) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/healthz", get(|| async { "ok\n" }))
        .route(PATH, get(upgrade::upgrade))
        .fallback(missing)
        .with_state(site)
}

/// Returns the routes for those who have no place: a WebSocket is opened, told and closed,
/// since that is all that a page in a browser hears; everything else is answered by HTTP.
pub(crate) fn no_place(site: Site) -> Router {
    Router::new()
        .route(PATH, get(upgrade::upgrade))
        .fallback(full)
        .with_state(site)
}

async fn full(Extension(visitor): Extension<Visitor>) -> Response {
    let retry = match visitor.pass {
        Pass::Away(why, _) => why.retry_seconds,
        Pass::In(_) => 0,
    };
    let headers = [(RETRY_AFTER, retry.to_string())];
    let body = "full, try again in a while\n";
    (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
}

async fn index(State(site): State<Site>, request: Request) -> Response {
    let host = header(request.headers(), HOST.as_str());
    let host = host.filter(|host| is_host(host)).unwrap_or("HOST");
    // A proxy that speaks TLS in the server's place says so. It is shown, and nothing hangs on it.
    let forwarded = header(request.headers(), FORWARDED_BY);
    let secure = site.secure || forwarded == Some("https");
    let way = Way { host, secure };
    let heats = site.shared.hub.list();
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
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'",
        ),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
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
