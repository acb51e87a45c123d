//! Peers that send too much, read too little or are too slow; and shutdown.

use crate::harness::raw::{BINARY, CLOSE, CONTINUATION, PING, PONG, frame, message};
use crate::harness::{RawSocket, TestServer, options, stopped};
use gridrace_server::ServerConfig;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::util::time::ClientInstant;

#[tokio::test]
async fn four_peers_that_flood_repeatedly_do_not_block_the_moves_of_others() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    anna.open("Anna", &options("slide:4x4")).await;
    anna.start().await;

    let ping = message(Codec::Binary, &ClientMessage::Ping { sent: ClientInstant(0) });
    let floods = [
        ping.repeat(1_000),
        frame(true, PING, &[0; 125]).repeat(500),
        frame(true, PONG, b"").repeat(3_000),
        [frame(false, BINARY, b""), frame(false, CONTINUATION, b"").repeat(3_000)].concat(),
    ];
    let address = server.address;
    let flooders = floods.map(|flood| {
        tokio::spawn(async move {
            loop {
                let mut flooder = RawSocket::hello(address, Codec::Binary).await;
                flooder.send(&flood).await;
                let closed = flooder.until_closed().await;
                let code = closed.map(|(code, _)| code);
                assert_eq!(code, Some(CloseCode::Flooding.number()));
            }
        })
    });
    for step in 0..30 {
        let mut moves = anna.board().legal_moves();
        let pick = step % moves.len();
        anna.play(moves.swap_remove(pick)).await;
    }
    assert_eq!(anna.acknowledged(), Seq(30));
    for flooder in flooders {
        assert!(!flooder.is_finished(), "closed for another reason");
        flooder.abort();
    }
}

#[tokio::test]
async fn a_peer_that_writes_megabytes_before_it_reads_hears_why_it_was_closed() {
    const UNREAD_BYTES: usize = 4 * 1024 * 1024;
    let server = TestServer::start();
    let ping = message(Codec::Binary, &ClientMessage::Ping { sent: ClientInstant(0) });
    let flood = ping.repeat(UNREAD_BYTES / ping.len());
    let mut flooder = RawSocket::hello(server.address, Codec::Binary).await;
    flooder.send_all(&flood).await.expect("no reset before everything is written");
    let closed = flooder.until_closed().await.map(|(code, _)| code);
    assert_eq!(closed, Some(CloseCode::Flooding.number()));

    // The same by plain HTTP: nothing reads the body.
    let mut uploader = RawSocket::connect(server.address).await;
    let head = format!("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: {UNREAD_BYTES}\r\n\r\n");
    uploader.send_all(head.as_bytes()).await.unwrap();
    uploader.send_all(&flood).await.expect("no reset before everything is written");
    assert_eq!(uploader.response_head().await.status, 405);
}

#[tokio::test]
async fn a_client_that_reads_too_late_is_told_that_it_was_too_slow_while_others_race_on() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:6x6")).await;
    for _ in 0..8 {
        anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    }
    anna.until_members(9).await;
    let mut deaf = RawSocket::deaf_spectator(server.address, code, "Deaf").await;
    anna.until_members(10).await;
    anna.start().await;
    // Moving bots produce frames until the reader's outbox is full.
    anna.until_roster("the deaf one to be cut off", |roster| !roster.members[9].connected).await;
    anna.advance(1).await;
    // Reads what the system had buffered.
    let mut bytes = 0;
    let closed = loop {
        let (opcode, payload) = deaf.hear().await.unwrap();
        if opcode == CLOSE {
            break payload;
        }
        bytes += payload.len();
    };
    assert_eq!(closed[..2], CloseCode::TooSlow.number().to_be_bytes());
    assert!(bytes < 64 * 1024, "{bytes}");
}

#[tokio::test]
async fn an_endless_http_request_is_closed() {
    let server = TestServer::start();
    let mut slow = RawSocket::connect(server.address).await;
    slow.send(b"GET / HTTP/1.1\r\nHost: here\r\nX-Slow: ").await;
    slow.until_end().await;
}

#[tokio::test]
async fn shutdown_is_announced_to_all_clients_and_completes() {
    let four_shards = ServerConfig { shards: 4, ..ServerConfig::default() };
    for server in [TestServer::start_with(four_shards), TestServer::start_ephemeral()] {
        let mut clients = vec![server.client().await];
        let mut half = RawSocket::connect(server.address).await;
        half.send(b"GET / HTTP/1.1\r\n").await;
        for _ in 0..6 {
            let (mut anna, ben) = server.two_players(&options("slide:4x4")).await;
            anna.say(ClientMessage::AddBot { skill: Skill::Casual }).await;
            anna.start().await;
            clients.extend([anna, ben]);
        }
        let address = server.address;
        let end = server.begin_to_stop();
        for client in &mut clients {
            assert_eq!(client.until_closed().await, Some(CloseCode::ShuttingDown.number()));
            assert_eq!(client.farewell(), Some(Farewell::ShuttingDown));
        }
        stopped(end).await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    }
}
