//! `gridrace-echo`: the race server's WebSocket as an echo, for the Autobahn test suite.
//!
//! Messages are read, metered, written and closed as in a session; only the limits are wider.

use gridrace_server::fuzzing::echo_messages;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// Longest message in bytes: that of the suite's longest case.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            // Nothing is read behind the handshake: clients wait for its answer.
            if let Ok(accepted) = tokio_tungstenite::accept_async(stream).await {
                echo_messages(accepted.into_inner(), MAX_MESSAGE_BYTES).await;
            }
        });
    }
}
