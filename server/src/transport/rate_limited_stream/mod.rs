//! A budget of bytes and frames below the WebSocket.
//!
//! Frames that never become a message (empty fragments, pings) are unseen by whoever
//! counts messages, so bytes and frames are counted as they are read.

mod frame_counter;

pub(crate) use frame_counter::Frames;

use crate::platform::clock::Clock;
use crate::platform::token_bucket::{Allowance, Bucket};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream whose reads fail once the peer has sent more than it may.
#[derive(Debug)]
pub struct Metered<S> {
    stream: S,
    clock: Clock,
    bytes: Bucket,
    frames: Bucket,
    counter: Frames,
    /// More has come than may.
    is_spent: bool,
}

/// What a read fails with, inside an [`io::Error`], when the budget is spent.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the peer sends more than it may")]
pub struct OverBudget;

impl<S> Metered<S> {
    /// Gives a stream the budget of a client.
    pub fn new(stream: S, clock: Clock, allowance: Allowance) -> Self {
        let now = clock.now();
        Self {
            stream,
            clock,
            bytes: allowance.bytes(now),
            frames: allowance.frames(now),
            counter: Frames::default(),
            is_spent: false,
        }
    }

    /// Counts what the peer has sent.
    pub fn count(&mut self, read: &[u8]) {
        let bytes = u32::try_from(read.len()).unwrap_or(u32::MAX);
        let frames = self.counter.pass(read);
        let now = self.clock.now();
        self.is_spent |= !self.bytes.take(bytes, now) || !self.frames.take(frames, now);
    }

    /// Returns the stream, to do with it what costs nothing.
    pub fn stream(&mut self) -> &mut S {
        &mut self.stream
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
            self.count(&buffer.filled()[before..]);
        }
        if self.is_spent {
            return Poll::Ready(Err(io::Error::other(OverBudget)));
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

    /// Returns how much is read, and what it ends with.
    async fn read_all(stream: impl AsyncRead + Unpin) -> (usize, io::Error) {
        let mut metered = Metered::new(stream, Clock::start(), Allowance::default());
        let mut buffer = [0; 4096];
        let mut read = 0;
        loop {
            match metered.read(&mut buffer).await {
                Ok(bytes) => read += bytes,
                Err(error) => return (read, error),
            }
            assert!(read < 1 << 20);
        }
    }

    fn is_over_budget(error: &io::Error) -> bool {
        let inner = error.get_ref();
        inner.is_some_and(|inner| inner.downcast_ref::<OverBudget>().is_some())
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_sends_too_many_bytes_is_cut_off() {
        // One frame that goes on and on.
        let claim = [&[0x82, 0xff, 0x7f][..], &[0xff; 7], &[0; 4]].concat();
        let (read, error) = read_all(claim.chain(tokio::io::repeat(7))).await;
        assert!(is_over_budget(&error));
        assert!(read >= 60 * 1024, "{read}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_sends_too_many_frames_is_cut_off_long_before() {
        // An empty fragment in six bytes, over and over.
        let empty = [0x00, 0x80, 1, 2, 3, 4].repeat(20_000);
        let (read, error) = read_all(&empty[..]).await;
        assert!(is_over_budget(&error));
        assert!(read < 4096, "{read}");
    }
}
