//! A peer that sends far more than the limits allow, and reconnects whenever it is closed.

use super::Answers;
use crate::raw;
use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use gridrace_shared::protocol::VERSION;
use gridrace_shared::protocol::client::{ClientMessage, Hello};
use gridrace_shared::protocol::codec::{self, Codec, SERVER_FRAME_LIMIT};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::time::ClientInstant;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;

/// The opcodes of RFC 6455, section 5.2, and the bit of a message's last frame.
const CONTINUATION: u8 = 0x0;
const BINARY: u8 = 0x2;
const PING: u8 = 0x9;
const FIN: u8 = 0x80;
/// The pause before a rejected peer reconnects, whatever it was told: without one, the connections
/// would be another flood.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes read at a time while a flood is on.
const BUFFER: usize = 4 * 1024;

/// Floods while it is told to.
pub(super) async fn flood(
    server: SocketAddr,
    n: usize,
    mut on: watch::Receiver<bool>,
    answers: Answers,
) -> anyhow::Result<()> {
    let flood = bytes(n)?;
    loop {
        on.wait_for(|&on| on).await?;
        let Ok(mut stream) = greet(server, address(n)).await else {
            answers.count();
            sleep(PAUSE).await;
            continue;
        };
        // The server closes in the midst of it.
        let (mut reading, mut writing) = stream.split();
        let sent = async { while writing.write_all(&flood).await.is_ok() {} };
        let mut heard = [0; BUFFER];
        let closed = async { while matches!(reading.read(&mut heard).await, Ok(1..)) {} };
        tokio::select! {
            () = sent => {}
            () = closed => {}
        }
        answers.count();
    }
}

/// Connects and says hello; a welcome must answer.
async fn greet(server: SocketAddr, client: Ipv4Addr) -> anyhow::Result<TcpStream> {
    let mut socket = raw::upgrade(server, Some(client)).await?;
    let hello = Hello { version: VERSION, agent: "gridrace-load".to_owned() };
    let hello = codec::encode(Codec::Binary, &ClientMessage::Hello(hello))?;
    socket.send(Message::binary(hello.payload().to_vec())).await?;
    let frame = socket.next().await.context("the connection ended")??;
    let message = codec::decode_binary::<_, SERVER_FRAME_LIMIT>(&frame.into_data())?;
    let ServerMessage::Welcome { .. } = message else { bail!("no welcome: {message:?}") };
    Ok(socket.into_inner())
}

/// Returns the address from which a peer comes, of those for examples (RFC 5737).
fn address(n: usize) -> Ipv4Addr {
    Ipv4Addr::new(203, 0, 113, n as u8)
}

/// Returns what the peer floods with: messages, pings, what is no message, or empty fragments.
fn bytes(n: usize) -> anyhow::Result<Vec<u8>> {
    Ok(match n % 4 {
        0 => {
            let ping = ClientMessage::Ping { sent: ClientInstant(0) };
            let ping = codec::encode(Codec::Binary, &ping)?;
            frame(FIN | BINARY, ping.payload()).repeat(1_000)
        }
        1 => frame(FIN | PING, &[0; 125]).repeat(500),
        2 => frame(FIN | BINARY, b"what?").repeat(1_000),
        _ => [frame(BINARY, b""), frame(CONTINUATION, b"").repeat(3_000)].concat(),
    })
}

/// Writes a short frame, masked by nothing but zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).map_or(125, |length| length.min(125));
    let mut bytes = vec![first, 0x80 | length, 0, 0, 0, 0];
    bytes.extend(&payload[..length.into()]);
    bytes
}
