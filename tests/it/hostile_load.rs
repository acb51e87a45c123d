//! Measures what hostile peers cost the others. The figures depend on the machine, so only what
//! does not is asserted.
//!
//! ```text
//! cargo test --release -p gridrace-tests -- --ignored --nocapture --test-threads 1 hostile
//! ```

use crate::harness::raw::{BINARY, CONTINUATION, PING, TEXT, frame, message};
use crate::harness::{RawSocket, State, TestClient, TestServer, options};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::util::time::ClientInstant;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

/// Moves that are timed for each figure.
const MOVES: usize = 600;
/// Pause between two moves: a server allows a client sixty messages a second.
const PAUSE: Duration = Duration::from_millis(18);
/// Peers that never read.
const DEAF: usize = 1_000;
const HEATS: usize = 16;
/// Memory that all of them may cost, in bytes.
const DEAF_BYTES: usize = 100 * 1024 * 1024;
/// Players who ask for hints without a pause, each in a room of its own.
const ASKERS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, not a test"]
async fn hostile_floods_from_four_peers_beside_a_player() {
    flood(&TestServer::start_ephemeral()).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, not a test"]
async fn hostile_floods_from_four_peers_beside_a_recorded_player() {
    let folder = tempfile::tempdir().unwrap();
    flood(&TestServer::start_at(folder.path())).await;
}

async fn flood(server: &TestServer) {
    let alone = p99(server, "alone").await;
    let ping = message(Codec::Binary, &ClientMessage::Ping { sent: ClientInstant(0) });
    let floods = [
        ping.repeat(1_000),
        frame(true, PING, &[0; 125]).repeat(500),
        frame(true, BINARY, b"what?").repeat(1_000),
        [frame(false, BINARY, b""), frame(false, CONTINUATION, b"").repeat(3_000)].concat(),
    ];
    let address = server.address;
    let mut flooders = JoinSet::new();
    for flood in floods {
        flooders.spawn(async move {
            loop {
                let mut flooder = RawSocket::hello(address, Codec::Binary).await;
                flooder.send(&flood).await;
                flooder.until_closed().await;
            }
        });
    }
    let beside = p99(server, "beside four floods").await;
    flooders.abort_all();
    println!("p99 {alone:?} alone, {beside:?} beside four floods; at most 10 ms are wanted");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, not a test"]
async fn hostile_hint_requests_by_the_thousand_on_the_worst_boards() {
    let server = TestServer::start_ephemeral();
    let alone = p99(&server, "alone").await;
    let address = server.address;
    let (told, mut hints) = tokio::sync::mpsc::unbounded_channel();
    let mut askers = JoinSet::new();
    for n in 0..ASKERS {
        let told = told.clone();
        askers.spawn(async move {
            let mut asker = TestClient::hello(address, Codec::Binary).await;
            let mut theirs = options(["slide:5x5", "link:20x20:classic"][n % 2]);
            theirs.hints = HintRule::Free;
            theirs.time_limit_seconds = 3_600;
            asker.open("Asker", &theirs).await;
            asker.start().await;
            loop {
                let before = answers(&asker.state);
                asker.say(ClientMessage::Hint).await;
                asker.until("an answer", |state| answers(state) > before).await;
                told.send(()).ok(); // the measurement may be over
                tokio::time::sleep(PAUSE).await;
            }
        });
    }
    // All of them race, and their boards are made.
    for _ in 0..4 * ASKERS {
        hints.recv().await;
    }
    let beside = p99(&server, "beside hints").await;
    let mut answered = 4 * ASKERS;
    while hints.try_recv().is_ok() {
        answered += 1;
    }
    askers.abort_all();
    let change = 100.0 * (beside.as_secs_f64() / alone.as_secs_f64() - 1.0);
    println!(
        "p99 {alone:?} alone, {beside:?} while {answered} requests for hints were answered: \
         {change:+.0} %; less than 20 % is wanted"
    );
}

/// Counts the hints and the refused requests.
fn answers(state: &State) -> usize {
    let hints = state.log.iter();
    let hints = hints.filter(|message| matches!(message, ServerMessage::Hint { .. }));
    hints.count() + state.refusals().len()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it measures the whole process: .ci/run runs it by itself"]
async fn hostile_peers_by_the_thousand_that_never_read() {
    gridrace_server::platform::rlimit::raise_open_files();
    let server = TestServer::start();
    let mut hosts = Vec::new();
    for n in 0..HEATS {
        let mut host = server.client().await;
        let code = host.open(&format!("Host {n}"), &options("slide:8x8")).await;
        for _ in 0..8 {
            let skill = Skill::Master;
            host.say(ClientMessage::AddBot { skill }).await;
        }
        host.until_members(9).await;
        hosts.push((host, code));
    }
    let before = resident();
    let mut deaf = Vec::new();
    for n in 0..DEAF {
        let (_, code) = &hosts[n % HEATS];
        deaf.push(never_reads(server.address, &code.to_string(), n).await);
    }
    let joined = resident();
    let began = now();
    for (host, _) in &mut hosts {
        host.say(ClientMessage::Start).await;
    }
    let mut most = joined;
    let mut watching = JoinSet::new();
    for (mut host, _) in hosts {
        watching.spawn(async move {
            host.until("all deaf ones to be cut off", |state| {
                let members = &state.heat().roster.members;
                let mut watchers = members.iter().skip(9);
                members.len() >= 9 + DEAF / HEATS && watchers.all(|member| !member.connected)
            })
            .await;
        });
    }
    while !watching.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        most = most.max(resident());
        while watching.try_join_next().is_some() {}
    }
    println!(
        "{DEAF} peers that never read: {} KiB once they watch, {} KiB at most, with both ends; \
         the last is cut off {:?} after the start was called",
        joined.saturating_sub(before) / 1024,
        most.saturating_sub(before) / 1024,
        now() - began
    );
    assert!(most - before < DEAF_BYTES);
    drop(deaf);
}

/// Joins as a spectator over a socket with small buffers, and never reads again.
async fn never_reads(address: SocketAddr, code: &str, n: usize) -> RawSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut socket = RawSocket::over(socket.connect(address).await.unwrap());
    socket.shake_hands(address, Codec::Json).await;
    socket.say_hello(Codec::Json).await;
    let join = format!(
        r#"{{"join":{{"code":"{code}","entrant":{{"name":"Deaf {n}","bot":false}},"role":"spectator"}}}}"#
    );
    socket.send(&frame(true, TEXT, join.as_bytes())).await;
    socket
}

/// Returns the 99th percentile of the waits for an acknowledgement.
async fn p99(server: &TestServer, what: &str) -> Duration {
    let mut anna = server.client().await;
    let mut mine = options("slide:8x8");
    mine.time_limit_seconds = 3_600;
    anna.open("Anna", &mine).await;
    anna.start().await;
    let mut waits = Vec::new();
    for step in 0..MOVES {
        let mut moves = anna.state.board().legal_moves();
        let pick = step * 5 % moves.len();
        let asked = now();
        anna.play(moves.swap_remove(pick)).await;
        waits.push(now() - asked);
        tokio::time::sleep(PAUSE).await;
    }
    anna.leave().await;
    waits.sort();
    let at = |percent: usize| waits[(MOVES * percent / 100).min(MOVES - 1)];
    println!("{what}: p50 {:?}, p99 {:?}, most {:?}", at(50), at(99), at(100));
    at(99)
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() * 1024
}

#[expect(clippy::disallowed_methods, reason = "it measures the time that people wait")]
fn now() -> Instant {
    Instant::now()
}
