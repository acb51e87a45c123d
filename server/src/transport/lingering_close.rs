//! Closing a connection so that the peer reads what was written last.
//!
//! A socket that is closed while unread bytes wait in its buffer resets the connection, and the
//! peer's system then reports the reset instead of the last answer. So the write half is shut down
//! first, and what the peer still sends is read and discarded until it closes its own half.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::interval;

/// How long a close may take, the last write included; callers apply it.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Bytes that are read and discarded at a time.
const DISCARDED_BYTES: usize = 8 * 1024;
/// Time between two reads. A peer that sends without end is slowed down to 8 MB a second, which
/// bounds what it costs, and isn't reset before [`CLOSE_TIMEOUT`].
const DISCARD_INTERVAL: Duration = Duration::from_millis(1);

/// Shuts down the write half, and discards what the peer sends until it closes its own half.
///
/// # Errors
/// The system's; the peer may be gone.
pub(crate) async fn lingering_close<S>(mut stream: S) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    stream.shutdown().await?;
    let mut pace = interval(DISCARD_INTERVAL);
    let mut discarded = vec![0; DISCARDED_BYTES];
    while stream.read(&mut discarded).await? > 0 {
        pace.tick().await;
    }
    Ok(())
}
