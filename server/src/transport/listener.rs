//! Listening for connections.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Empty, empty};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::either::Either;
use tracing::{debug, warn};

/// Pause of the accept loop after a failure such as running out of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// `TCP_USER_TIMEOUT`: how long sent data may stay unacknowledged before the system resets the
/// connection. Below the silence timeout of sessions; the system's default is minutes.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_TIMEOUT: Duration = Duration::from_secs(20);

/// `TCP_NOTSENT_LOWAT`: unsent bytes that the system buffers for a connection, a write or two.
/// The default is 4 MiB for a peer that doesn't read.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 16 * 1024;

/// Length of the accept queue: clients that reconnect at the same instant after a restart. With
/// the default of 128, further clients are reset or delayed by seconds. Linux caps it at 4,096.
const ACCEPT_BACKLOG: u32 = 4_096;

/// Where connections come from: the system's sockets, or those of a simulated network.
pub trait Listener: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    fn local_addr(&self) -> io::Result<SocketAddr>;

    /// Waits for the next connection; returns it with its peer's address.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;

    /// Returns whether the peer, by its address, is this machine.
    fn is_own_machine(_stream: &Self::Stream, peer: IpAddr) -> bool {
        peer.is_loopback()
    }

    /// Registers a stream with the current runtime, and no longer with its former one.
    ///
    /// # Errors
    /// The system's error; the stream is lost then.
    fn rebind(_: &mut Self::Stream) -> io::Result<()> {
        Ok(())
    }
}

/// A TCP stream; [`Empty`] after a failed `rebind`.
pub type RebindableStream = Either<TcpStream, Empty>;

/// Listens on a port of all addresses, IPv6 and IPv4; of IPv4 alone where the system has no IPv6.
/// Must be called inside a tokio runtime.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    match listen((Ipv6Addr::UNSPECIFIED, port).into()) {
        Err(error) if error.kind() != ErrorKind::AddrInUse => {
            debug!(%error, "no IPv6; listening on IPv4");
            listen((Ipv4Addr::UNSPECIFIED, port).into())
        }
        listening => listening,
    }
}

/// Listens on an address, with an accept queue for many simultaneous clients; `[::]` takes IPv4 as
/// well. Must be called inside a tokio runtime.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // The system's default differs, and can be set.
    if address.is_ipv6() && address.ip().is_unspecified() {
        socket2::SockRef::from(&socket).set_only_v6(false)?;
    }
    // A restarted server gets its port at once. Windows gives the option another meaning.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_BACKLOG)
}

/// Waits for the next connection, and retries after errors.
pub(crate) async fn accept_next<L: Listener>(listener: &L) -> (L::Stream, SocketAddr) {
    let mut logged = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_peer_error(error.kind()) => debug!(%error, "peer reset before accept"),
            Err(error) => {
                // Logged once a run of failures, which may last.
                if !logged {
                    warn!(%error, "accept failed; retrying");
                }
                logged = true;
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

fn is_peer_error(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

impl Listener for TcpListener {
    type Stream = RebindableStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }

    async fn accept(&self) -> io::Result<(RebindableStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        stream.set_nodelay(true).ok(); // without it the connection is slower, but works
        #[cfg(target_os = "linux")]
        {
            let socket = socket2::SockRef::from(&stream);
            // Heartbeats and the read probe notice such peers as well, later.
            socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_TIMEOUT)).ok();
            socket.set_tcp_notsent_lowat(MAX_UNSENT_BYTES).ok();
        }
        Ok((Either::Left(stream), peer))
    }

    /// A machine that connects to itself by an address of the network has it on both sides.
    fn is_own_machine(stream: &RebindableStream, peer: IpAddr) -> bool {
        let local = match stream {
            Either::Left(stream) => stream.local_addr().ok(),
            Either::Right(_) => None,
        };
        peer.is_loopback() || local.is_some_and(|local| local.ip().to_canonical() == peer)
    }

    fn rebind(stream: &mut RebindableStream) -> io::Result<()> {
        let Either::Left(tcp) = std::mem::replace(stream, Either::Right(empty())) else {
            return Err(ErrorKind::NotConnected.into());
        };
        *stream = Either::Left(TcpStream::from_std(tcp.into_std()?)?);
        Ok(())
    }
}
