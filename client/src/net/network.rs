//! Networks: the system's sockets, or a simulated one.

use super::{NetError, Trust};
use crate::net::address::Address;
use crate::net::clock;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::ServerMessage;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

/// How long sent data may be unacknowledged before the system drops the connection.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(20);

/// How long the addresses of a name but for the last have together to take a connection. Else one whose
/// packets are dropped, mostly of IPv6, would use up the time of the others.
const OTHERS_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens connections to servers. A clone is a handle on the same network.
pub trait Network: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// The stream of one connection.
    type Stream: AsyncRead + AsyncWrite + std::fmt::Debug + Send + Unpin + 'static;

    fn dial(
        &self,
        address: &Address,
    ) -> impl Future<Output = Result<Self::Stream, NetError>> + Send;

    /// Returns a random number below `bound`, or 0 if that is 0; for pauses between attempts.
    fn random_below(&self, bound: u64) -> u64;

    /// Returns the codec to agree on with the server.
    fn codec(&self) -> Codec {
        Codec::Binary
    }

    /// Called with each message before it is sent.
    fn on_send(&self, _message: &ClientMessage) {}

    /// Called with each message that arrived, and the payload of its frame.
    fn on_receive(&self, _payload: &[u8], _message: &ServerMessage) {}

    /// Notifies the user about a connection, for programs without a screen.
    fn notify(&self, _news: std::fmt::Arguments<'_>) {}
}

/// Connects to the first address that takes a connection.
async fn connect(found: &[SocketAddr]) -> io::Result<TcpStream> {
    let Some((last, others)) = found.split_last() else {
        return Err(io::ErrorKind::NotFound.into());
    };
    for address in others {
        let limit = OTHERS_TIMEOUT / others.len() as u32;
        if let Ok(Ok(stream)) = timeout(limit, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    TcpStream::connect(last).await
}

/// The system's sockets, with TLS if the address asks for it.
#[derive(Debug, Clone, Default)]
pub struct Tcp {
    trust: Trust,
}

impl Tcp {
    /// Takes the authorities to trust for TLS.
    pub const fn trusting(trust: Trust) -> Self {
        Self { trust }
    }
}

impl Network for Tcp {
    type Stream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

    async fn dial(&self, address: &Address) -> Result<Self::Stream, NetError> {
        let found = lookup_host((address.host(), address.port())).await;
        // The system's own error has no kind, and is mostly the resolver's.
        let found: Vec<_> = found.map_err(|_| NetError::Unknown)?.collect();
        let stream = connect(&found).await.map_err(|error| NetError::Unreachable(error.kind()))?;
        // A move is a few bytes, and they must leave at once.
        stream.set_nodelay(true).map_err(|error| NetError::Unreachable(error.kind()))?;
        #[cfg(target_os = "linux")]
        socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(UNACKNOWLEDGED)).ok(); // SILENCE_TIMEOUT covers this as well
        if !address.is_secure() {
            return Ok(Either::Left(stream));
        }
        let tls = self.trust.shake_hands(address.host(), stream).await?;
        Ok(Either::Right(Box::new(tls)))
    }

    fn random_below(&self, bound: u64) -> u64 {
        clock::random_below(bound)
    }

    fn notify(&self, news: std::fmt::Arguments<'_>) {
        // stderr may be closed.
        writeln!(std::io::stderr(), "{news}").ok();
    }
}
