//! A peer who sends far more than anybody may, and comes back whenever it is closed.

use super::Answers;
use crate::link::{Link, Way};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::{self, Codec, Frame};
use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::sleep;

/// The opcodes of RFC 6455, section 5.2, and the bit of a message's last frame.
const CONTINUATION: u8 = 0x0;
const BINARY: u8 = 0x2;
const PING: u8 = 0x9;
const FIN: u8 = 0x80;
/// When one that is turned away comes again, whatever it was told: to knock as fast as the
/// machine connects would be another flood, of the system's own making.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes read at a time while a flood is on.
const BUFFER: usize = 4 * 1024;

/// Floods while it is told to.
pub(super) async fn flood(
    way: Way,
    n: usize,
    mut on: watch::Receiver<bool>,
    answers: Answers,
) -> anyhow::Result<()> {
    let flood = bytes(n)?;
    loop {
        on.wait_for(|&on| on).await?;
        let Ok(link) = Link::greet(way).await else {
            answers.count();
            sleep(PAUSE).await;
            continue;
        };
        let mut stream = link.into_stream();
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

/// Returns what the peer floods with: messages, pings, what is no message, or empty fragments.
fn bytes(n: usize) -> anyhow::Result<Vec<u8>> {
    Ok(match n % 4 {
        0 => {
            let ping = ClientMessage::Ping { sent: ClientInstant(0) };
            match codec::encode(Codec::Binary, &ping)? {
                Frame::Binary(bytes) => frame(FIN | BINARY, &bytes),
                Frame::Text(text) => frame(FIN | BINARY, text.as_bytes()),
            }
            .repeat(1_000)
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
