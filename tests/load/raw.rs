//! WebSockets without a session: for the bare echo, and for peers that misbehave.

use anyhow::Context;
use gridrace_shared::protocol::PATH;
use gridrace_shared::protocol::codec::Codec;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The buffer for reading, in bytes: that of a session.
const READ_BUFFER: usize = 4 * 1024;
/// The header in which a proxy names its client.
const FORWARDED: &str = "x-forwarded-for";

/// Connects without a hello, as a proxy for a client if one is named.
pub(crate) async fn upgrade(
    server: SocketAddr,
    client: Option<Ipv4Addr>,
) -> anyhow::Result<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(server).await.context("can't connect")?;
    stream.set_nodelay(true)?;
    let mut request = format!("ws://{server}{PATH}").into_client_request()?;
    let subprotocol = HeaderValue::from_static(Codec::Binary.subprotocol());
    let headers = request.headers_mut();
    headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    if let Some(client) = client {
        headers.insert(FORWARDED, HeaderValue::from_str(&client.to_string())?);
    }
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
    let (socket, _) =
        tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await?;
    Ok(socket)
}
