//! Plain HTTP on the WebSocket's port: the page, QR codes, the health check, and the handshake.

mod assets;
pub(crate) mod bind_error;
pub(crate) mod connection_limits;
mod headers;
pub(crate) mod metrics;
mod not_found;
mod origin;
mod page;
mod proxies;
mod qr_code;
mod upgrade;

use crate::session::ServerState;
use crate::store::{RecordReader, StoreError};
use crate::transport::admission::AdmissionError;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use bytes::Bytes;
use futures_util::stream;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::PATH;
use gridrace_shared::tournament::ids::{RecordName, TournamentName};
use std::convert::Infallible;
use std::fmt::Display;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tracing::warn;

pub(crate) use assets::PageFiles;
use headers::header;
pub(crate) use headers::{displayable_host, has_valid_host};
use not_found::{PathPart, accepts_html, not_found};
pub(crate) use origin::OriginPolicy;
pub use origin::{SiteError, parse_host_name, parse_origin};
use page::BaseUrl;
pub use proxies::TrustedProxy;
pub(crate) use upgrade::{Handshake, answer_handshake};

/// The scheme by which a proxy was asked.
const X_FORWARDED_PROTO: &str = "x-forwarded-proto";

/// How long a request for the record of a tournament waits for those before it.
const RECORD_TURN_TIMEOUT: Duration = Duration::from_secs(5);
/// What a request whose turn didn't come is told to wait, in seconds.
const RECORD_RETRY_SECONDS: &str = "5";

/// What the handlers need besides the request.
#[derive(Debug, Clone)]
pub(crate) struct HttpState {
    pub(crate) server: Arc<ServerState>,
    pub(crate) origin_policy: Arc<OriginPolicy>,
    pub(crate) proxies: Arc<[TrustedProxy]>,
    pub(crate) is_tls: bool,
    /// Where the server listens.
    pub(crate) address: SocketAddr,
    pub(crate) page_files: PageFiles,
    /// The turn of a record of a tournament. It reads and signs up to a thousand replays, so one is made at
    /// a time, and players' results and replays have the store's other readers.
    pub(crate) record_turn: Arc<Semaphore>,
    pub(crate) shutdown: watch::Receiver<bool>,
}

/// Returns the routes of admitted connections, except the WebSocket handshake, which the
/// acceptor answers.
pub(crate) fn routes(state: HttpState) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/{file}", get(room_file))
        .route("/{code}/tv", get(page_of::<RoomCode>))
        .route("/results", get(page))
        .route("/r/{id}", get(replay))
        .route("/web/{name}", get(asset))
        .route("/t/{file}", get(tournament_file))
        .route("/t/{name}/tv", get(page_of::<TournamentName>))
        .route("/healthz", get(|| async { "ok\n" }))
        .route(PATH, get(|| async { upgrade::upgrade_required() }))
        .fallback(|| async { not_found() })
        .layer(middleware::from_fn_with_state(state.clone(), page_if_not_found))
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

/// Answers browsers with the page, and curl and similar clients with text.
async fn index(State(state): State<HttpState>, request: Request) -> Response {
    if accepts_html(&request) {
        return state.page_files.serve_page(request.headers());
    }
    let host = displayable_host(request.headers());
    let base = BaseUrl { host, is_tls: is_tls(&state, request.headers()) };
    let rooms = state.server.hub.public_rooms();
    let store = state.server.hub.services.store.as_ref();
    let signer = store.map(|store| store.server_key().fingerprint());
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (VARY, "accept"),
    ];
    (headers, page::text(base, &rooms, signer)).into_response()
}

/// Answers browsers with the page where a route has answered with [`not_found`].
async fn page_if_not_found(
    State(state): State<HttpState>,
    request: Request,
    next: Next,
) -> Response {
    let headers = accepts_html(&request).then(|| request.headers().clone());
    let response = next.run(request).await;
    match headers {
        Some(headers) if response.status() == StatusCode::NOT_FOUND => {
            state.page_files.serve_not_found_page(&headers)
        }
        _ => response,
    }
}

async fn page(State(state): State<HttpState>, headers: HeaderMap) -> Response {
    state.page_files.serve_page(&headers)
}

/// Answers with the page of a room, `/KQZT`, or with the QR code of its link, `/KQZT.svg`.
async fn room_file(
    State(state): State<HttpState>,
    PathPart(file): PathPart,
    headers: HeaderMap,
) -> Response {
    if file.parse::<RoomCode>().is_ok() {
        return state.page_files.serve_page(&headers);
    }
    let base = BaseUrl { host: displayable_host(&headers), is_tls: is_tls(&state, &headers) };
    qr_code::room_svg(&file, base, state.address).map_or_else(not_found, picture)
}

fn picture(svg: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        // The addresses of this machine may change.
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, svg).into_response()
}

/// Answers with the page where the path names a `T`, which the page reads itself.
async fn page_of<T: FromStr>(
    state: State<HttpState>,
    PathPart(name): PathPart,
    headers: HeaderMap,
) -> Response {
    if name.parse::<T>().is_ok() { page(state, headers).await } else { not_found() }
}

/// Answers with the page that plays a replay; it asks for the file by the WebSocket.
async fn replay(state: State<HttpState>, PathPart(id): PathPart, headers: HeaderMap) -> Response {
    let is_allowed = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    if id.bytes().all(is_allowed) { page(state, headers).await } else { not_found() }
}

async fn asset(
    State(state): State<HttpState>,
    PathPart(name): PathPart,
    headers: HeaderMap,
) -> Response {
    state.page_files.serve(&name, &headers)
}

/// Answers with the page of a tournament, `/t/NAME`, the QR code of its link, `/t/NAME.svg`, or its
/// record, `/t/NAME.grt`.
async fn tournament_file(
    state: State<HttpState>,
    method: Method,
    PathPart(file): PathPart,
    headers: HeaderMap,
) -> Response {
    if file.parse::<TournamentName>().is_ok() {
        return state.page_files.serve_page(&headers);
    }
    let base = BaseUrl { host: displayable_host(&headers), is_tls: is_tls(&state, &headers) };
    match qr_code::tournament_svg(&file, base, state.address) {
        Some(svg) => picture(svg),
        None => tournament_record(state, method, &file).await,
    }
}

/// Answers by the record of a tournament that is over and not private: `NAME.grt` is that of the latest
/// of the name, `NAME~1.grt` of the first.
async fn tournament_record(State(state): State<HttpState>, method: Method, file: &str) -> Response {
    let name = file.strip_suffix(".grt").and_then(|name| name.parse::<RecordName>().ok());
    let store = state.server.hub.services.store.as_ref();
    let (Some(name), Some(store)) = (name, store) else {
        return not_found();
    };
    // The page of each follower asks whether there is one.
    let latest = Some(&name).filter(|name| name.number.is_none());
    let found = latest.and_then(|name| state.server.hub.tournaments.find(&name.tournament));
    if method == Method::HEAD && found.is_some_and(|it| it.has_public_record()) {
        return record(Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()));
    }
    let turn = timeout(RECORD_TURN_TIMEOUT, Arc::clone(&state.record_turn).acquire_owned()).await;
    let (Ok(turn), Some(permit)) = (turn, store.try_read()) else {
        let headers = [(RETRY_AFTER, RECORD_RETRY_SECONDS)];
        let body = "busy; try again in a moment\n";
        return (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response();
    };
    let archive = store.archive.clone();
    let asked = name.clone();
    let read = tokio::task::spawn_blocking(move || {
        let _held = (turn, permit);
        archive.tournament_record(&asked, RecordReader::Public)
    });
    let unreadable = |error: &dyn Display| {
        warn!(tournament = %name, %error, "tournament record could not be read");
        (StatusCode::INTERNAL_SERVER_ERROR, "the record can't be read\n").into_response()
    };
    match read.await {
        Ok(Ok(Some(bytes))) => record(bytes.into()),
        Ok(Ok(None)) => not_found(),
        Ok(Err(error @ StoreError::DeletedHeats(_))) => {
            (StatusCode::GONE, format!("{error}\n")).into_response()
        }
        Ok(Err(error)) => unreadable(&error),
        Err(error) => unreadable(&error),
    }
}

/// Answers by a record, or to HEAD by the headers of one whose length isn't known.
fn record(body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/octet-stream"),
        // A result may still be corrected.
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
}

/// Returns whether links lead to TLS: of this server, or of a proxy that terminates it and says so.
fn is_tls(state: &HttpState, headers: &HeaderMap) -> bool {
    state.is_tls || header(headers, X_FORWARDED_PROTO) == Some("https")
}

/// Answers a request without a valid host.
pub(crate) fn invalid_host() -> Response {
    let body = "a request of HTTP/1.1 has one header `Host: NAME` or `Host: NAME:PORT`\n";
    (StatusCode::BAD_REQUEST, body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::{Hub, RecoveredRooms};
    use crate::metrics::Metrics;
    use crate::platform::clock::Clock;
    use crate::platform::environment::Environment;
    use crate::platform::shards::Shards;
    use crate::room::services::Services;
    use crate::session::quotas::RoomQuota;
    use crate::store::fixture::Scratch;
    use crate::transport::admission::{AdmissionControl, ArrivalRate};
    use crate::transport::client_rate::ClientRate;
    use gridrace_shared::util::time::Millis;
    use gridrace_tables::TableStore;

    fn state(scratch: &Scratch) -> HttpState {
        let (store, rooms) = scratch.open().unwrap();
        let (environment, clock) = (Environment::default(), Clock::start());
        let (tables, metrics, shards) = (TableStore::default(), Metrics::new(), Shards::none());
        let services = Services::start(environment, clock, tables, metrics, shards, false);
        let (downtime, tournaments) = (Millis(0), Vec::new());
        let recovered = RecoveredRooms { store, rooms, downtime, tournaments, next_tournament: 1 };
        let server = ServerState {
            environment: Environment::default(),
            clock,
            hub: Hub::start(services, Some(recovered), Vec::new()).unwrap().0,
            admission: AdmissionControl::new(ArrivalRate::default()),
            room_quota: RoomQuota::default(),
            client_rate: ClientRate::default(),
            shared_addresses: false,
        };
        HttpState {
            server: Arc::new(server),
            origin_policy: Arc::new(OriginPolicy::new(Vec::new(), &[])),
            proxies: Arc::default(),
            is_tls: false,
            address: ([127, 0, 0, 1], 7415).into(),
            page_files: PageFiles::Embedded,
            record_turn: Arc::new(Semaphore::new(1)),
            shutdown: watch::channel(false).1,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_record_whose_turn_does_not_come_names_when_to_try_again() {
        let scratch = Scratch::new();
        let state = state(&scratch);
        let turns = Arc::clone(&state.record_turn);
        let turn = turns.acquire().await.unwrap();
        let ask = || tournament_record(State(state.clone()), Method::GET, "cup.grt");
        let answer = ask().await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()[RETRY_AFTER], RECORD_RETRY_SECONDS);
        drop(turn);
        assert_eq!(ask().await.status(), StatusCode::NOT_FOUND);
    }
}
