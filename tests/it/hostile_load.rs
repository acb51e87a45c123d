//! Measures what peers cost that never read. The figures depend on the machine, so only what does
//! not is asserted.
//!
//! ```text
//! cargo test --release -p gridrace-tests -- --ignored --nocapture --test-threads 1 hostile
//! ```

use crate::harness::{RawSocket, TestServer, options};
use gridrace_client::net::clock::Clock;
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::client::ClientMessage;
use std::time::Duration;
use tokio::task::JoinSet;

/// Peers that never read.
const DEAF: usize = 1_000;
const HEATS: usize = 16;
/// Memory that all of them may cost, in bytes.
const DEAF_BYTES: usize = 100 * 1024 * 1024;

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
            host.say(ClientMessage::AddBot { skill: Skill::Master }).await;
        }
        host.until_members(9).await;
        hosts.push((host, code));
    }
    let before = resident();
    let mut deaf = Vec::new();
    for n in 0..DEAF {
        let (_, code) = &hosts[n % HEATS];
        deaf.push(RawSocket::deaf_spectator(server.address, *code, &format!("Deaf {n}")).await);
    }
    let joined = resident();
    let clock = Clock::start();
    for (host, _) in &mut hosts {
        host.say(ClientMessage::Start).await;
    }
    let mut most = joined;
    let mut watching = JoinSet::new();
    for (mut host, _) in hosts {
        watching.spawn(async move {
            host.until_roster("all deaf ones to be cut off", |roster| {
                let mut watchers = roster.members.iter().skip(9);
                roster.members.len() >= 9 + DEAF / HEATS && watchers.all(|member| !member.connected)
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
        clock.elapsed()
    );
    assert!(most - before < DEAF_BYTES);
    drop(deaf);
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() * 1024
}
