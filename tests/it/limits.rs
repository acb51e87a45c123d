//! Peers that send too much, read too little or are too slow; and shutdown.

use crate::harness::raw::{BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, frame, message};
use crate::harness::{RawSocket, TestClient, TestServer, options, stopped};
use gridrace_shared::bot::Skill;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::codec::Codec;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::util::time::ClientInstant;
use std::net::SocketAddr;
use tokio::net::TcpSocket;

#[tokio::test]
async fn a_flood_is_closed_while_the_moves_of_others_are_acknowledged() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&options("slide:4x4")).await;
    anna.start().await;
    ben.until_go().await;

    let flood =
        message(Codec::Binary, &ClientMessage::Ping { sent: ClientInstant(0) }).repeat(2_000);
    let mut flooder = RawSocket::hello(server.address, Codec::Binary).await;
    let (closed, _, _) = tokio::join!(
        async {
            flooder.send(&flood).await;
            flooder.until_closed().await
        },
        anna.advance(1),
        ben.advance(1),
    );
    assert_eq!(closed.map(|(code, _)| code), Some(CloseCode::Flooding.number()));
    assert!(anna.state.acknowledged.0 > 0 && ben.state.acknowledged.0 > 0);
}

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
        let mut moves = anna.state.board().legal_moves();
        let pick = step % moves.len();
        anna.play(moves.swap_remove(pick)).await;
    }
    assert_eq!(anna.state.acknowledged.0, 30);
    for flooder in flooders {
        assert!(!flooder.is_finished(), "closed for another reason");
        flooder.abort();
    }
}

#[tokio::test]
async fn floods_of_control_frames_and_fragments_are_closed() {
    let server = TestServer::start();
    let empty = [frame(false, TEXT, b""), frame(false, CONTINUATION, b"").repeat(1_000)];
    let pings = frame(true, PING, b"").repeat(1_000);
    for flood in [empty.concat(), pings] {
        let mut flooder = RawSocket::hello(server.address, Codec::Json).await;
        flooder.send(&flood).await;
        let closed = flooder.until_closed().await;
        assert_eq!(closed.map(|(code, _)| code), Some(CloseCode::Flooding.number()));
    }
    server.client().await.settle().await;
}

#[tokio::test]
async fn a_client_that_never_reads_is_dismissed_while_the_others_race_on() {
    let server = TestServer::start();
    // Ben reads nothing until the end, and must not get as many bytes as JSON has.
    let (mut anna, mut ben) = (server.client().await, server.client().await);
    let code = anna.open("Anna", &options("slide:6x6")).await;
    ben.join(code, "Ben", Role::Player).await;
    for _ in 0..4 {
        anna.say(ClientMessage::AddBot { skill: Skill::Master }).await;
    }
    anna.until_members(6).await;
    let deaf = deaf_spectator(server.address, &code.to_string()).await;
    anna.until_members(7).await;
    anna.start().await;
    ben.until_go().await;

    // Moving bots produce frames until the reader's outbox is full.
    anna.until("the deaf one to be cut off", |state| {
        let members = &state.heat().roster.members;
        members.len() == 7 && !members[6].connected
    })
    .await;
    ben.advance(1).await;
    assert!(ben.state.acknowledged.0 > 0);
    drop(deaf);
}

#[tokio::test]
async fn a_client_that_reads_too_late_is_told_that_it_was_too_slow() {
    let server = TestServer::start();
    let mut anna = server.client().await;
    let code = anna.open("Anna", &options("slide:6x6")).await;
    for _ in 0..8 {
        let skill = Skill::Master;
        anna.say(ClientMessage::AddBot { skill }).await;
    }
    anna.until_members(9).await;
    let mut deaf = deaf_spectator(server.address, &code.to_string()).await;
    anna.until_members(10).await;
    anna.start().await;
    anna.until("the deaf one to be cut off", |state| !state.heat().roster.members[9].connected)
        .await;
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
async fn a_connection_without_a_hello_is_closed() {
    let server = TestServer::start();
    let mut silent = TestClient::connect(server.address, Codec::Json).await;
    assert_eq!(silent.until_closed().await, Some(CloseCode::Silent.number()));
    assert_eq!(silent.state.farewell(), Some(Farewell::Silent));
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
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.client().await, server.json_client().await);
    let mut idle = server.client().await;
    let mut half = RawSocket::connect(server.address).await;
    half.send(b"GET / HTTP/1.1\r\n").await;
    let code = anna.open("Anna", &options("slide:4x4")).await;
    ben.join(code, "Ben", Role::Player).await;
    anna.say(ClientMessage::AddBot { skill: Skill::Casual }).await;
    anna.start().await;

    let address = server.address;
    let end = server.begin_to_stop();
    for client in [&mut anna, &mut ben, &mut idle] {
        assert_eq!(client.until_closed().await, Some(CloseCode::ShuttingDown.number()));
        assert_eq!(client.state.farewell(), Some(Farewell::ShuttingDown));
    }
    stopped(end).await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

/// Joins as a spectator over a socket with small buffers, and never reads again.
async fn deaf_spectator(address: SocketAddr, code: &str) -> RawSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut socket = RawSocket::over(socket.connect(address).await.unwrap());
    socket.shake_hands(address, Codec::Json).await;
    socket.say_hello(Codec::Json).await;
    let join = format!(
        r#"{{"join":{{"code":"{code}","entrant":{{"name":"Deaf","bot":false}},"role":"spectator"}}}}"#
    );
    socket.send(&frame(true, TEXT, join.as_bytes())).await;
    socket
}
