//! A budget of bytes below the WebSocket.
//!
//! Frames that never become a message (empty fragments, pings) are unseen by whoever
//! counts messages, so the bytes are counted as they are read.

use crate::clock::Clock;
use crate::rate::{Allowance, Bucket};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream whose reads fail once the peer has sent more than it may.
#[derive(Debug)]
pub struct Metered<S> {
    stream: S,
    clock: Clock,
    bucket: Bucket,
}

/// What a read fails with, inside an [`io::Error`], when the budget is spent.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the peer sends more than it may")]
pub struct OverBudget;

impl<S> Metered<S> {
    /// Gives a stream the budget of a client.
    pub fn new(stream: S, clock: Clock, allowance: Allowance) -> Self {
        let bucket = allowance.bytes(clock.now());
        Self {
            stream,
            clock,
            bucket,
        }
    }

    /// Returns the stream, whose reads cost nothing any more.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            let read = u32::try_from(buffer.filled().len() - before).unwrap_or(u32::MAX);
            let now = self.clock.now();
            if !self.bucket.take(read, now) {
                return Poll::Ready(Err(io::Error::other(OverBudget)));
            }
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
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

    #[tokio::test]
    async fn a_peer_that_sends_too_much_is_cut_off() {
        let mut metered = Metered::new(tokio::io::repeat(0), Clock::start(), Allowance::default());
        let mut buffer = [0; 4096];
        let mut read = 0;
        let error = loop {
            match metered.read(&mut buffer).await {
                Ok(bytes) => read += bytes,
                Err(error) => break error,
            }
            assert!(read < 1 << 20);
        };
        let reason = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<OverBudget>());
        assert!(reason.is_some());
    }
}
