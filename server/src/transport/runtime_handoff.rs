//! Moving a TCP stream from one tokio runtime to another.

use std::io::{self, ErrorKind};
use tokio::io::{Empty, empty};
use tokio::net::TcpStream;
use tokio_util::either::Either;

/// A TCP stream; [`Empty`] after a failed `rebind`.
pub type RebindableStream = Either<TcpStream, Empty>;

/// Registers a stream with the current runtime, and no longer with its former one.
///
/// # Errors
/// The system's error; the stream is lost then.
pub(crate) fn rebind(stream: &mut RebindableStream) -> io::Result<()> {
    let Either::Left(tcp) = std::mem::replace(stream, Either::Right(empty())) else {
        return Err(ErrorKind::NotConnected.into());
    };
    *stream = Either::Left(TcpStream::from_std(tcp.into_std()?)?);
    Ok(())
}
