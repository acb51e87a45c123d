//! A bare echo server of the same library, and its clients: what a message costs by itself.

use crate::measured_server::{Ended, Seating, measure};
use crate::pending::Took;
use crate::raw;
use crate::report::Report;
use crate::run::{Load, Pace, SETTLE};
use crate::server_process::ServerProcess;
use crate::tally::Tally;
use anyhow::{Context, bail};
use futures_util::{FutureExt, SinkExt, StreamExt};
use gridrace_client::net::clock::Clock;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The buffers of the race server's sockets, in bytes.
const BUFFER: usize = 4 * 1024;
/// As long as a move in binary.
const MESSAGE: &[u8] = &[12, 100, 0, 0, 7];

/// Echoes all messages, until it is killed.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let listener = gridrace_server::listen((Ipv4Addr::LOCALHOST, 0).into())?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo(stream));
    }
}

async fn echo(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(0);
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let agree =
        |request: &tokio_tungstenite::tungstenite::handshake::server::Request,
         mut response: tokio_tungstenite::tungstenite::handshake::server::Response| {
            // The client insists on the subprotocol that it asked for.
            if let Some(wanted) = request.headers().get("Sec-WebSocket-Protocol") {
                let agreed = wanted.clone();
                response.headers_mut().insert("Sec-WebSocket-Protocol", agreed);
            }
            Ok(response)
        };
    let mut socket =
        tokio_tungstenite::accept_hdr_async_with_config(stream, agree, Some(config)).await?;
    while let Some(message) = socket.next().await {
        let message = message?;
        if message.is_binary() {
            socket.send(message).await?;
        }
    }
    Ok(())
}

/// Puts load on an echo server of its own.
pub(crate) async fn run(load: &Load) -> anyhow::Result<Report> {
    let Pace::Saturated { window } = load.pace else {
        bail!("the echo is measured saturated: --saturate WINDOW");
    };
    let mut process = ServerProcess::echo().await?;
    let tally = Arc::new(Tally::new()?);
    let clock = Clock::start();
    let empty = process.usage()?;
    let mut sockets = Vec::new();
    for _ in 0..load.connections {
        sockets.push(raw::upgrade(process.address, None).await?);
    }
    let full = process.usage()?;
    let mut talks = JoinSet::new();
    for (number, socket) in sockets.into_iter().enumerate() {
        talks.spawn(talk(socket, window, number, clock, Arc::clone(&tally)));
    }
    sleep(SETTLE).await;
    let span = measure(&mut process, &tally, clock, load.measured).await?;
    talks.abort_all();
    let name = format!("bare echo, {}", load.name());
    let seating = Seating::new(load.connections, empty, full);
    Ok(Report::of(name, seating, &span, Ended::default()))
}

/// Keeps a window of messages in flight; they are echoed in order.
async fn talk(
    mut socket: WebSocketStream<TcpStream>,
    window: usize,
    number: usize,
    clock: Clock,
    tally: Arc<Tally>,
) -> anyhow::Result<()> {
    let mut sent = std::collections::VecDeque::new();
    loop {
        while sent.len() < window {
            sent.push_back(clock.now().0);
            socket.feed(Message::binary(MESSAGE)).await?;
        }
        socket.flush().await?;
        let mut next = socket.next().await;
        loop {
            next.context("the connection ended")??;
            if let Some(sent) = sent.pop_front() {
                let took = clock.now().0 - sent;
                let (last, first) = (took, took);
                tally.acknowledge(number, Took { last, first });
            }
            match socket.next().now_or_never() {
                Some(more) => next = more,
                None => break,
            }
        }
    }
}
