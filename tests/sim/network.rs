//! The simulated network as server and clients see it.

use crate::notes::Notes;
use gridrace_client::net::address::Address;
use gridrace_client::net::{NetError, Network};
use gridrace_server::Listener;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::seed::PortableRng;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use turmoil::net::{TcpListener, TcpStream};

/// One client's way to the server. Whatever goes over it is noted.
#[derive(Debug, Clone)]
pub struct Way {
    notes: Arc<Mutex<Notes>>,
    chance: Arc<Mutex<PortableRng>>,
    breaks: watch::Sender<u32>,
}

impl Way {
    pub fn new(chance: PortableRng) -> Self {
        Self {
            notes: Arc::default(),
            chance: Arc::new(Mutex::new(chance)),
            breaks: watch::Sender::new(0),
        }
    }

    /// Breaks the connections that stand.
    pub fn snap(&self) {
        self.breaks.send_modify(|breaks| *breaks += 1);
    }

    pub fn notes<T>(&self, look: impl FnOnce(&Notes) -> T) -> T {
        look(&self.notes.lock().unwrap())
    }
}

impl Network for Way {
    type Stream = Line;

    async fn dial(&self, address: &Address) -> Result<Line, NetError> {
        let breaks = self.breaks.subscribe();
        let stream = TcpStream::connect((address.host(), address.port()))
            .await
            .map_err(|error| NetError::Unreachable(error.kind()))?;
        Ok(Line::new(stream, breaks))
    }

    fn random_below(&self, bound: u64) -> u64 {
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        self.chance.lock().unwrap().below(bound).into()
    }

    fn on_send(&self, message: &ClientMessage) {
        self.notes.lock().unwrap().sends(message);
    }

    fn on_receive(&self, message: &ServerMessage) {
        self.notes.lock().unwrap().hears(message);
    }
}

/// A connection that may be broken from without.
pub struct Line {
    stream: TcpStream,
    broken: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Line {
    fn new(stream: TcpStream, mut breaks: watch::Receiver<u32>) -> Self {
        breaks.mark_unchanged();
        let broken = Box::pin(async move {
            breaks.changed().await.ok();
        });
        Self { stream, broken: Some(broken) }
    }

    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if let Some(broken) = &mut self.broken
            && broken.as_mut().poll(context).is_pending()
        {
            return Ok(());
        }
        self.broken = None;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.fmt(f)
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
}

impl Door {
    pub async fn open(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("0.0.0.0", port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }
}

impl Listener for Door {
    type Stream = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.listener.accept().await
    }
}
