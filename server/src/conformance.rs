//! The server's WebSocket without a race behind it: it says what it hears.
//!
//! Suites that test a WebSocket for its conformance with RFC 6455 want an echo. This one reads,
//! meters, writes and closes as the server's own connections do; only its bounds are wider,
//! as the suites' messages are longer than any of a race.

use crate::platform::clock::Clock;
use crate::platform::token_bucket::Allowance;
use crate::transport::websocket::{Longest, ReadError, Socket};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tracing::debug;

/// The longest message, in bytes: that of the longest case there is.
const LONGEST: usize = 16 * 1024 * 1024;
/// Messages a second, each of which stands for 200 bytes and two frames.
const RATE: u32 = 10_000_000;

/// Echoes whatever anybody sends, one connection beside the other, until the listener fails.
///
/// # Errors
/// The listener's own.
pub async fn echo(listener: TcpListener) -> io::Result<()> {
    let clock = Clock::start();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            match tokio_tungstenite::accept_async(stream).await {
                // Nothing is lost: a client that speaks before it is answered is refused.
                Ok(accepted) => converse(accepted.into_inner(), clock).await,
                Err(error) => debug!(%error, "no handshake"),
            }
        });
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(stream: S, clock: Clock) {
    let longest = Longest { heard: LONGEST, said: LONGEST };
    let allowance = Allowance::new(RATE);
    let ahead = Bytes::new();
    let mut socket =
        Socket::with_longest(longest, stream, ahead, Codec::Json, clock, allowance).await;
    loop {
        let said = match socket.hear().await {
            Ok(message @ (Message::Text(_) | Message::Binary(_))) => socket.say(message).await,
            // The stream answers a ping by itself when it is read again.
            Ok(Message::Ping(_) | Message::Pong(_)) => continue,
            Ok(Message::Close(_) | Message::Frame(_)) | Err(ReadError::Gone) => {
                return socket.end().await;
            }
            Err(ReadError::Flooding) => {
                return socket.close(None, CloseCode::Flooding, "too much").await;
            }
            Err(ReadError::Malformed(why)) => {
                return socket.close(None, CloseCode::Malformed, &why).await;
            }
            Err(ReadError::Frames(code, why)) => return socket.close(None, code, why).await,
        };
        if said.is_err() {
            return;
        }
    }
}
