//! Over what a connection goes: the system's sockets, or those of a simulated network.

use super::{NetError, Stream, Trust};
use crate::net::address::Address;
use crate::net::clock;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use std::io::Write;
#[cfg(target_os = "linux")]
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};

/// How long what was sent may go unacknowledged before the system gives the connection up.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(20);

/// The way to servers. A clone is a handle on the same.
pub trait Network: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// One connection's bytes.
    type Stream: AsyncRead + AsyncWrite + std::fmt::Debug + Send + Unpin + 'static;

    /// Reaches a server.
    ///
    /// # Errors
    /// [`NetError`].
    fn dial(
        &self,
        address: &Address,
    ) -> impl Future<Output = Result<Self::Stream, NetError>> + Send;

    /// Draws a number below `bound`, or 0 where that is 0, for the pauses between attempts.
    fn random_below(&self, bound: u64) -> u64;

    /// Takes note of a message that is about to be sent.
    fn on_send(&self, _message: &ClientMessage) {}

    /// Takes note of a message that came.
    fn on_receive(&self, _message: &ServerMessage) {}

    /// Tells whoever started a command what becomes of its connection.
    fn notify(&self, _news: std::fmt::Arguments<'_>) {}
}

/// The system's sockets, and TLS over them where the address says so.
#[derive(Debug, Clone, Default)]
pub struct Tcp {
    trust: Trust,
}

impl Tcp {
    /// Takes whom to trust where a server speaks TLS.
    #[must_use]
    pub const fn trusting(trust: Trust) -> Self {
        Self { trust }
    }
}

impl Network for Tcp {
    type Stream = Stream;

    async fn dial(&self, address: &Address) -> Result<Stream, NetError> {
        let found = lookup_host((address.host(), address.port())).await;
        // The system's own words are of no kind, and mostly of its resolver.
        let found: Vec<_> = found.map_err(|_| NetError::Unknown)?.collect();
        let stream = TcpStream::connect(&found[..])
            .await
            .map_err(|error| NetError::Unreachable(error.kind()))?;
        // A move is a few bytes, and they must leave at once.
        stream.set_nodelay(true).map_err(|error| NetError::Unreachable(error.kind()))?;
        #[cfg(target_os = "linux")]
        socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok(); // the silence is noticed all the same
        if !address.is_secure() {
            return Ok(Stream::Plain(stream));
        }
        let shaken = self.trust.shake_hands(address.host(), stream).await?;
        Ok(Stream::Tls(Box::new(shaken)))
    }

    fn random_below(&self, bound: u64) -> u64 {
        clock::random_below(bound)
    }

    fn notify(&self, news: std::fmt::Arguments<'_>) {
        // Whoever closed stderr doesn't want to know.
        writeln!(std::io::stderr(), "{news}").ok();
    }
}
