//! A bare echo server of the same library, and its clients: what a message costs by itself.
//!
//! Like the race server it answers all messages that have arrived with one write.

use crate::competing_load::CompetingLoad;
use crate::measured_server::{Ended, Seating, measure};
use crate::move_rate::MoveRate;
use crate::pending::Took;
use crate::raw;
use crate::report::RunReport;
use crate::run::{Load, Pace, SETTLE};
use crate::server_process::ServerProcess;
use crate::tally::Tally;
use anyhow::{Context, bail};
use futures_util::{FutureExt, SinkExt, StreamExt};
use gridrace_client::net::clock::Clock;
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

/// The buffers of the race server's sockets, in bytes.
const BUFFER: usize = 4 * 1024;
/// As long as a move in binary.
const MESSAGE: &[u8] = &[12, 100, 0, 0, 7];

type Echo = tungstenite::Result<Message>;

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
    // Frames gather in the buffer until it is flushed, as in the race server.
    let config = WebSocketConfig::default().read_buffer_size(BUFFER).write_buffer_size(BUFFER);
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
    let mut next = socket.next().await;
    while let Some(message) = next {
        let message = message?;
        if message.is_binary() {
            socket.feed(message).await?;
        }
        next = match socket.next().now_or_never() {
            Some(more) => more,
            None => {
                socket.flush().await?;
                socket.next().await
            }
        };
    }
    Ok(())
}

/// Puts load on an echo server.
pub(crate) async fn run(load: &Load) -> anyhow::Result<RunReport> {
    let rate = MoveRate::default();
    let window = match load.pace {
        Pace::Saturated { window } => Some(window),
        Pace::Every(pause) => {
            rate.set(pause);
            None
        }
        Pace::Idle => bail!("the echo needs messages: --saturate WINDOW, or a --rate above 0"),
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
        let sent = VecDeque::new();
        let talk = Talk { socket, sent, number, clock, tally: Arc::clone(&tally) };
        match window {
            Some(window) => talks.spawn(talk.keep_in_flight(window)),
            None => talks.spawn(talk.send_at_rate(rate.clone())),
        };
    }
    let competing_load = CompetingLoad::start(load, &process)?;
    sleep(SETTLE).await;
    let span = measure(&mut process, &tally, clock, load.measured).await?;
    talks.abort_all();
    drop(competing_load);
    let name = format!("bare echo, {}", load.name());
    let seating = Seating::of_echo(load.connections, empty, full);
    Ok(RunReport::of(name, load.offered_per_second(), seating, &span, Ended::default()))
}

/// One client of the echo.
struct Talk {
    socket: WebSocketStream<TcpStream>,
    /// When the messages in flight were sent, in microseconds; they are echoed in order.
    sent: VecDeque<u64>,
    number: usize,
    clock: Clock,
    tally: Arc<Tally>,
}

impl Talk {
    /// Keeps this many messages in flight.
    async fn keep_in_flight(mut self, window: usize) -> anyhow::Result<()> {
        loop {
            self.send(window.saturating_sub(self.sent.len())).await?;
            let echo = self.socket.next().await;
            self.receive(echo)?;
        }
    }

    /// Sends at a rate, however fast the messages are echoed.
    async fn send_at_rate(mut self, rate: MoveRate) -> anyhow::Result<()> {
        // Spread over the interval; 613 is prime to 1,000.
        let mut timer = rate.timer((self.number * 613 % 1_000) as u32);
        loop {
            tokio::select! {
                echo = self.socket.next() => self.receive(echo)?,
                due = timer.tick() => self.send(due as usize).await?,
            }
        }
    }

    async fn send(&mut self, count: usize) -> anyhow::Result<()> {
        for _ in 0..count {
            self.sent.push_back(self.clock.now().0);
            self.tally.send();
            self.socket.send(Message::binary(MESSAGE)).await?;
        }
        Ok(())
    }

    /// Counts an echo, and those that have arrived with it.
    fn receive(&mut self, echo: Option<Echo>) -> anyhow::Result<()> {
        let mut next = Some(echo);
        while let Some(echo) = next {
            echo.context("the connection ended")??;
            if let Some(sent) = self.sent.pop_front() {
                let took = self.clock.now().0 - sent;
                self.tally.acknowledge(self.number, Took { last: took, first: took });
            }
            next = self.socket.next().now_or_never();
        }
        Ok(())
    }
}
