//! One WebSocket, with the buffers that a lean client has.

use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::codec::{self, Codec, Frame, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::{PATH, VERSION};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The buffer for reading, in bytes.
const READ_BUFFER: usize = 4 * 1024;

/// The header in which a proxy says for whom it asks.
const FORWARDED: &str = "x-forwarded-for";

/// Where a server is, and from where one comes there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) server: SocketAddr,
    /// By the word of a proxy, which the server was told to believe; else from this machine.
    pub(crate) from: Option<Ipv4Addr>,
}

impl From<SocketAddr> for Way {
    fn from(server: SocketAddr) -> Self {
        Self { server, from: None }
    }
}

#[derive(Debug)]
pub(crate) struct Link(WebSocketStream<TcpStream>);

impl Link {
    /// Connects, without a word of the protocol.
    pub(crate) async fn connect(way: impl Into<Way>) -> anyhow::Result<Self> {
        let Way { server, from } = way.into();
        let stream = TcpStream::connect(server).await.context("can't connect")?;
        stream.set_nodelay(true)?;
        let mut request = format!("ws://{server}{PATH}").into_client_request()?;
        let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
        let headers = request.headers_mut();
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
        if let Some(from) = from {
            headers.insert(FORWARDED, HeaderValue::from_str(&from.to_string())?);
        }
        let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
        let (socket, _) =
            tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await?;
        Ok(Self(socket))
    }

    /// Connects and greets the server.
    pub(crate) async fn greet(way: impl Into<Way>) -> anyhow::Result<Self> {
        let mut link = Self::connect(way).await?;
        let agent = "gridrace-load".to_owned();
        let version = VERSION;
        link.say(&ClientMessage::Hello(Hello { version, agent })).await?;
        match link.hear().await? {
            ServerMessage::Welcome { .. } => Ok(link),
            other => bail!("no welcome: {other:?}"),
        }
    }

    pub(crate) async fn say(&mut self, message: &ClientMessage) -> anyhow::Result<()> {
        self.write(message).await?;
        self.flush().await
    }

    /// Writes a message that leaves with the next flush.
    pub(crate) async fn write(&mut self, message: &ClientMessage) -> anyhow::Result<()> {
        let Frame::Binary(bytes) = codec::encode(Codec::Binary, message)? else {
            bail!("the binary codec wrote a text");
        };
        Ok(self.0.feed(Message::binary(bytes)).await?)
    }

    pub(crate) async fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.0.flush().await?)
    }

    /// Waits for the next message.
    pub(crate) async fn hear(&mut self) -> anyhow::Result<ServerMessage> {
        loop {
            match self.0.next().await.context("the connection ended")?? {
                Message::Binary(bytes) => {
                    return Ok(codec::decode_binary::<_, SERVER_FRAME_LIMIT>(&bytes)?);
                }
                Message::Close(frame) => bail!("the server closed: {frame:?}"),
                Message::Text(_) => bail!("a text frame on a binary connection"),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    /// Returns the connection below the WebSocket.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.0.into_inner()
    }

    /// Writes raw bytes, for an echo server.
    pub(crate) async fn throw(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.0.feed(Message::binary(bytes.to_vec())).await?)
    }

    /// Waits for raw bytes.
    pub(crate) async fn catch(&mut self) -> anyhow::Result<()> {
        self.0.next().await.context("the connection ended")??;
        Ok(())
    }
}
