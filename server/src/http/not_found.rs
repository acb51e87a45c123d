//! The answer where there is nothing: a page with a way back for browsers, text for other clients.

use super::HttpState;
use super::headers::header;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CACHE_CONTROL, VARY};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(super) fn not_found() -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (VARY, "accept")];
    (StatusCode::NOT_FOUND, headers, "not found; see /\n").into_response()
}

/// Returns whether the client asks for a page, as browsers do when an address is opened.
pub(super) fn accepts_html(request: &Request) -> bool {
    header(request.headers(), ACCEPT.as_str()).unwrap_or_default().contains("text/html")
}

/// Answers browsers with the page where a route has answered with [`not_found`].
pub(super) async fn page_if_not_found(
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
