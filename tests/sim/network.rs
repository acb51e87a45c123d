//! The simulated network, for server and clients.

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

/// One client's network, which records all messages.
#[derive(Debug, Clone)]
pub struct ClientNetwork {
    notes: Arc<Mutex<Notes>>,
    chance: Arc<Mutex<PortableRng>>,
    breaks: watch::Sender<u32>,
}

impl ClientNetwork {
    pub fn new(chance: PortableRng) -> Self {
        Self {
            notes: Arc::default(),
            chance: Arc::new(Mutex::new(chance)),
            breaks: watch::Sender::new(0),
        }
    }

    pub fn cut_connections(&self) {
        self.breaks.send_modify(|breaks| *breaks += 1);
    }

    /// Forgets that a board is raced: the server is gone.
    pub fn forget_race(&self) {
        self.notes.lock().unwrap().races = false;
    }

    pub fn notes<T>(&self, look: impl FnOnce(&Notes) -> T) -> T {
        look(&self.notes.lock().unwrap())
    }
}

impl Network for ClientNetwork {
    type Stream = BreakableStream;

    async fn dial(&self, address: &Address) -> Result<BreakableStream, NetError> {
        let breaks = self.breaks.subscribe();
        let stream = TcpStream::connect((address.host(), address.port()))
            .await
            .map_err(|error| NetError::Unreachable(error.kind()))?;
        Ok(BreakableStream::new(stream, breaks))
    }

    fn random_below(&self, bound: u64) -> u64 {
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        self.chance.lock().unwrap().below(bound).into()
    }

    fn on_send(&self, message: &ClientMessage) {
        self.notes.lock().unwrap().on_send(message);
    }

    fn on_receive(&self, _payload: &[u8], message: &ServerMessage) {
        self.notes.lock().unwrap().on_receive(message);
    }
}

/// A connection that a fault may break.
pub struct BreakableStream {
    stream: TcpStream,
    broken: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl BreakableStream {
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

impl fmt::Debug for BreakableStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.fmt(f)
    }
}

impl AsyncRead for BreakableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for BreakableStream {
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

pub struct SimListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl SimListener {
    pub async fn open(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("0.0.0.0", port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }
}

impl Listener for SimListener {
    type Stream = TcpStream;

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.listener.accept().await
    }
}
