//! The answer where there is nothing.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

pub(super) fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found; see /\n").into_response()
}
