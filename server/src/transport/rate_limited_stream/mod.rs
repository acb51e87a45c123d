//! Rate limits on bytes and frames below the WebSocket.
//!
//! Frames that never become a message (empty fragments, pings) pass a limit on messages, so
//! bytes and frames are counted as they are read.

mod frame_counter;

pub(crate) use frame_counter::FrameCounter;

use crate::platform::clock::Clock;
use crate::platform::token_bucket::Bucket;
use crate::transport::client_rate::ClientRate;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream whose reads fail once the peer has exceeded its rate.
#[derive(Debug)]
pub struct RateLimitedStream<S> {
    stream: S,
    clock: Clock,
    bytes: Bucket,
    frames: Bucket,
    frame_counter: FrameCounter,
    is_exceeded: bool,
}

/// The peer exceeded its rate; reads return it inside an [`io::Error`].
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the peer exceeded its rate limit")]
pub struct RateLimitError;

impl<S> RateLimitedStream<S> {
    /// Limits what is read from a stream to a client's rate.
    pub fn new(stream: S, clock: Clock, rate: ClientRate) -> Self {
        let now = clock.now();
        Self {
            stream,
            clock,
            bytes: rate.bytes(now),
            frames: rate.frames(now),
            frame_counter: FrameCounter::default(),
            is_exceeded: false,
        }
    }

    pub const fn clock(&self) -> Clock {
        self.clock
    }

    pub fn count(&mut self, read: &[u8]) {
        let bytes = u32::try_from(read.len()).unwrap_or(u32::MAX);
        let frames = self.frame_counter.count(read);
        let now = self.clock.now();
        self.is_exceeded |= !self.bytes.take(bytes, now) || !self.frames.take(frames, now);
    }

    pub fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Returns the underlying stream, which is no longer limited.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for RateLimitedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            self.count(&buffer.filled()[before..]);
        }
        if self.is_exceeded {
            return Poll::Ready(Err(io::Error::other(RateLimitError)));
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RateLimitedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    /// Returns the number of bytes read, and the final error.
    async fn read_all(stream: impl AsyncRead + Unpin) -> (usize, io::Error) {
        let mut limited = RateLimitedStream::new(stream, Clock::start(), ClientRate::default());
        let mut buffer = [0; 4096];
        let mut read = 0;
        loop {
            match limited.read(&mut buffer).await {
                Ok(bytes) => read += bytes,
                Err(error) => return (read, error),
            }
            assert!(read < 1 << 20);
        }
    }

    fn is_rate_limit(error: &io::Error) -> bool {
        let inner = error.get_ref();
        inner.is_some_and(|inner| inner.downcast_ref::<RateLimitError>().is_some())
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_bytes_end_the_stream() {
        // The header of one endless frame.
        let claim = [&[0x82, 0xff, 0x7f][..], &[0xff; 7], &[0; 4]].concat();
        let (read, error) = read_all(claim.chain(tokio::io::repeat(7))).await;
        assert!(is_rate_limit(&error));
        assert!(read >= 60 * 1024, "{read}");
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_frames_end_the_stream_much_sooner() {
        // Empty fragments of six bytes each.
        let empty = [0x00, 0x80, 1, 2, 3, 4].repeat(20_000);
        let (read, error) = read_all(&empty[..]).await;
        assert!(is_rate_limit(&error));
        assert!(read < 4096, "{read}");
    }
}
