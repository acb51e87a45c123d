//! A bare echo server of the same library, and those who talk to it: what a message costs
//! before anything is done with it.

use crate::clock::Clock;
use crate::link::Link;
use crate::report::{Report, Times};
use crate::run::{Load, Pace};
use crate::served::Served;
use crate::tally::Tally;
use anyhow::bail;
use futures_util::{FutureExt, SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The buffers of the race server's sockets, in bytes.
const BUFFER: usize = 4 * 1024;
/// As long as a move in binary.
const MESSAGE: &[u8] = &[12, 100, 0, 0, 7];
/// How long a run settles before it is measured.
const SETTLE: Duration = Duration::from_secs(2);

/// Echoes what anybody sends, until it is killed.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo(stream));
    }
}

async fn echo(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(0);
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let agree =
        |request: &tokio_tungstenite::tungstenite::handshake::server::Request,
         mut response: tokio_tungstenite::tungstenite::handshake::server::Response| {
            // The client insists on the subprotocol that it asked for.
            if let Some(wanted) = request.headers().get("Sec-WebSocket-Protocol") {
                let agreed = wanted.clone();
                response
                    .headers_mut()
                    .insert("Sec-WebSocket-Protocol", agreed);
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
    let (before, began) = (served.usage()?, clock.micros());
    tally.measure(true);
    sleep(load.measured).await;
    tally.measure(false);
    let (after, ended) = (served.usage()?, clock.micros());
    served.still_runs()?;
    talks.abort_all();

    let seconds = (ended - began) as f64 / 1e6;
    let cpu_micros = (after.cpu_nanos - before.cpu_nanos) as f64 / 1e3;
    let moves = tally.acknowledged();
    let connections = load.connections;
    Ok(Report {
        name: format!("bare echo, {}", load.name()),
        connections,
        seconds,
        moves,
        lost: 0,
        moves_per_second: moves as f64 / seconds,
        cpu_share: cpu_micros / 1e6 / seconds,
        cpu_micros_per_move: (moves > 0).then(|| cpu_micros / moves as f64),
        connect_cpu_micros: (full.cpu_nanos - empty.cpu_nanos) as f64 / 1e3 / connections as f64,
        bytes_per_connection: full.resident.saturating_sub(empty.resident) / connections as u64,
        ack_micros: Times::of(&tally.acks()?),
        lag_micros: Times::of(&tally.lags()?),
    })
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
                tally.acknowledge(number, clock.micros() - sent);
            }
            let Some(next) = link.catch().now_or_never() else {
                break;
            };
            caught = next;
        }
    }
}
