//! A bare echo server of the same library, and those who talk to it: what a message costs
//! before anything is done with it.

use crate::clock::Clock;
use crate::course::{Ended, Seating, measure};
use crate::link::Link;
use crate::pending::Took;
use crate::report::Report;
use crate::run::{Load, Pace, SETTLE};
use crate::served::Served;
use crate::tally::Tally;
use anyhow::bail;
use futures_util::{FutureExt, SinkExt, StreamExt};
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The buffers of the race server's sockets, in bytes.
const BUFFER: usize = 4 * 1024;
/// As long as a move in binary.
const MESSAGE: &[u8] = &[12, 100, 0, 0, 7];

/// Echoes what anybody sends, until it is killed.
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
    let mut served = Served::echo().await?;
    let tally = Arc::new(Tally::new()?);
    let clock = Clock::start();
    let empty = served.usage()?;
    let mut links = Vec::new();
    for _ in 0..load.connections {
        links.push(Link::connect(served.address).await?);
    }
    let full = served.usage()?;
    let mut talks = JoinSet::new();
    for (number, link) in links.into_iter().enumerate() {
        talks.spawn(talk(link, window, number, clock, Arc::clone(&tally)));
    }
    sleep(SETTLE).await;
    let span = measure(&mut served, &tally, clock, load.measured).await?;
    talks.abort_all();
    let name = format!("bare echo, {}", load.name());
    let seating = Seating::new(load.connections, empty, full);
    Ok(Report::of(name, seating, &span, Ended::default()))
}

/// Keeps a window of messages on their way; they come back in order.
async fn talk(
    mut link: Link,
    window: usize,
    number: usize,
    clock: Clock,
    tally: Arc<Tally>,
) -> anyhow::Result<()> {
    let mut sent = std::collections::VecDeque::new();
    loop {
        while sent.len() < window {
            sent.push_back(clock.micros());
            link.throw(MESSAGE).await?;
        }
        link.flush().await?;
        let mut caught = link.catch().await;
        loop {
            caught?;
            if let Some(sent) = sent.pop_front() {
                let took = clock.micros() - sent;
                let (last, first) = (took, took);
                tally.acknowledge(number, Took { last, first });
            }
            let Some(next) = link.catch().now_or_never() else {
                break;
            };
            caught = next;
        }
    }
}
