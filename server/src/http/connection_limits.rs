//! Limits of HTTP/1 connections.

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use std::time::Duration;

/// How long a client may take to send a request's head.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a request's head, and of the buffer for answers: hyper's minimum.
pub(crate) const MAX_HEADER_BYTES: usize = 8 * 1024;
/// Headers of a request: browsers send some twenty, proxies a few more.
pub(crate) const MAX_HEADERS: usize = 64;
/// How long a connection may serve plain HTTP: enough for a page or two.
pub(crate) const HTTP_CONNECTION_TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
}
