//! The 404 response, and whether a client accepts a page instead.

use super::headers::list_header;
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CACHE_CONTROL, VARY};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

/// A part of the path. One that isn't UTF-8 names nothing.
pub(super) struct PathPart(pub(super) String);

/// Answers by [`not_found`].
pub(super) struct NotFound;

impl IntoResponse for NotFound {
    fn into_response(self) -> Response {
        not_found()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathPart {
    type Rejection = NotFound;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, NotFound> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(part)| Self(part)).map_err(|_| NotFound)
    }
}

pub(super) fn not_found() -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (VARY, "accept")];
    (StatusCode::NOT_FOUND, headers, "not found; see /\n").into_response()
}

/// Returns whether the client asks for a page, as browsers do when an address is opened.
pub(super) fn accepts_html(request: &Request) -> bool {
    list_header(request.headers(), ACCEPT.as_str()).contains("text/html")
}
