//! The answer where there is nothing, and which clients get a page instead.

use super::headers::header;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CACHE_CONTROL, VARY};
use axum::response::{IntoResponse, Response};

pub(super) fn not_found() -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (VARY, "accept")];
    (StatusCode::NOT_FOUND, headers, "not found; see /\n").into_response()
}

/// Returns whether the client asks for a page, as browsers do when an address is opened.
pub(super) fn accepts_html(request: &Request) -> bool {
    header(request.headers(), ACCEPT.as_str()).unwrap_or_default().contains("text/html")
}
