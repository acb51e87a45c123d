//! A panic in a room: what its members and other clients observe.

use super::*;
use crate::race::{BoardError, Event};
use gridrace_shared::protocol::snapshot::Phase;
use std::sync::atomic::Ordering;

#[tokio::test(start_paused = true)]
async fn a_panic_closes_its_room_and_no_other() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.connect(1).await, server.connect(2).await);
    let mut zoe = server.connect(3).await;
    for client in [&mut anna, &mut ben, &mut zoe] {
        client.hello().await;
    }
    let (broken, sound) = (anna.open().await, zoe.open().await);
    ben.join(broken).await;
    let room = server.state.hub.find(broken).unwrap();
    room.panics.store(true, Ordering::Relaxed);
    anna.send(&ClientMessage::Ready { ready: true }).await;

    for client in [&mut anna, &mut ben] {
        assert_eq!(client.end().await, (Some(Farewell::Broken), 1011));
    }
    assert!(server.state.hub.find(broken).is_none());
    zoe.send(&ClientMessage::Ready { ready: true }).await;
    let received = zoe.receive().await;
    assert!(received.is(|message| matches!(message, ServerMessage::Roster(_))), "{received:?}");
    assert!(server.state.hub.find(sound).is_some());
    server.connect(1).await.hello().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_tick_at_go_closes_its_room_at_once() {
    let server = TestServer::start();
    let (mut anna, mut ben) = (server.connect(1).await, server.connect(2).await);
    let mut zoe = server.connect(3).await;
    for client in [&mut anna, &mut ben, &mut zoe] {
        client.hello().await;
    }
    let (broken, sound) = (anna.open().await, zoe.open().await);
    ben.join(broken).await;
    for client in [&mut anna, &mut zoe] {
        client.send(&ClientMessage::Start).await;
        client.receive_phase(|phase| matches!(phase, Phase::Countdown { .. })).await;
    }
    let room = server.state.hub.find(broken).unwrap();
    room.panics.store(true, Ordering::Relaxed);

    // No client sends anything: the room's own timer panics.
    for client in [&mut anna, &mut ben] {
        assert_eq!(client.end().await, (Some(Farewell::Broken), 1011));
    }
    assert!(server.state.hub.find(broken).is_none());
    zoe.receive_phase(|phase| matches!(phase, Phase::Running { .. })).await;
    assert!(server.state.hub.find(sound).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_room_that_panics_without_connections_is_closed() {
    let server = TestServer::start();
    let mut anna = server.connect(1).await;
    anna.hello().await;
    let code = anna.open().await;
    drop(anna);
    let room = server.state.hub.find(code).unwrap();
    while room.members() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(server.state.hub.find(code).is_some(), "the seat is kept");
    room.panics.store(true, Ordering::Relaxed);
    // A worker's answer; the worker continues.
    let outcome = Err(BoardError::Busy);
    room.apply(Event::Drawn { ticket: 7, outcome });
    while server.state.hub.find(code).is_some() {
        tokio::task::yield_now().await;
    }
}

impl TestClient {
    /// Receives until its room reaches a phase.
    async fn receive_phase(&mut self, wanted: impl Fn(&Phase) -> bool) {
        loop {
            let received = self.receive().await;
            if let Received::Closed(code) = received {
                panic!("closed: {code}")
            }
            if received
                .is(|message| matches!(message, ServerMessage::Phase(phase) if wanted(phase)))
            {
                return;
            }
        }
    }
}
