//! Limits of HTTP/1 connections.

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

/// How long a client may take to send a request's head.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a request's head, and of the buffer for answers: hyper's minimum.
pub(crate) const MAX_HEADER_BYTES: usize = 8 * 1024;
/// Headers of a request: browsers send some twenty, proxies a few more.
pub(crate) const MAX_HEADERS: usize = 64;
/// How long a connection may serve plain HTTP: enough for a page or two. One that takes
/// [`MIN_WRITTEN`] bytes of answers in that time is served for as long again.
pub(crate) const HTTP_CONNECTION_TIMEOUT: Duration = Duration::from_secs(15);
/// Nine kilobytes a second: a slow line gets long files, and no client holds a connection by reading
/// a few bytes now and then.
pub(crate) const MIN_WRITTEN: u64 = 128 * 1024;

pub(crate) fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
}

/// Serves a connection until it ends, or writes less than [`MIN_WRITTEN`] bytes in a period, by the
/// count of its [`CountedStream`]. Returns nothing then.
pub(crate) async fn serve_while_writing<T>(
    period: Duration,
    written: &AtomicU64,
    connection: impl Future<Output = T>,
) -> Option<T> {
    let mut connection = pin!(connection);
    let mut before = 0;
    loop {
        if let Ok(ended) = timeout(period, connection.as_mut()).await {
            return Some(ended);
        }
        let now = written.load(Ordering::Relaxed);
        if now - before < MIN_WRITTEN {
            return None;
        }
        before = now;
    }
}

/// A stream that counts the bytes that are written.
pub(crate) struct CountedStream<'a, S> {
    pub(crate) stream: S,
    pub(crate) written: &'a AtomicU64,
}

impl<S: AsyncRead + Unpin> AsyncRead for CountedStream<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountedStream<'_, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Poll::Ready(Ok(count))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, bytes))?;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
