//! A panic in a room: what its members and other clients observe.

use super::*;
use crate::race::{BoardError, Event};
use crate::room::Room;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::Phase;

/// Two members of one room, and the member of another one.
struct TwoRooms {
    server: TestServer,
    anna: TestClient,
    ben: TestClient,
    zoe: TestClient,
    broken: Arc<Room>,
    sound: Arc<Room>,
}

impl TwoRooms {
    async fn open() -> Self {
        let server = TestServer::start();
        let (mut anna, mut ben) = (server.greet(1).await, server.greet(2).await);
        let mut zoe = server.greet(3).await;
        let [broken, sound] = [anna.open().await, zoe.open().await];
        let [broken, sound] = [broken, sound].map(|code| server.state.hub.find(code).unwrap());
        ben.send_join(broken.code(), "Ben", Role::Spectator).await;
        assert!(matches!(ben.receive().await, ServerMessage::Joined { .. }));
        Self { server, anna, ben, zoe, broken, sound }
    }

    async fn assert_only_the_broken_room_is_closed(&mut self) {
        for client in [&mut self.anna, &mut self.ben] {
            client.assert_dismissed(Farewell::Broken).await;
        }
        let hub = &self.server.state.hub;
        assert!(hub.find(self.broken.code()).is_none());
        assert!(hub.find(self.sound.code()).is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_closes_its_room_and_no_other() {
    let mut rooms = TwoRooms::open().await;
    rooms.broken.panics.store(true, Ordering::Relaxed);
    rooms.anna.send(&ClientMessage::Ready { ready: true }).await;
    rooms.assert_only_the_broken_room_is_closed().await;
    rooms.zoe.send(&ClientMessage::Ready { ready: true }).await;
    let received = rooms.zoe.receive().await;
    assert!(matches!(received, ServerMessage::Roster(_)), "{received:?}");
    rooms.server.greet(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_tick_at_go_closes_its_room_at_once() {
    let mut rooms = TwoRooms::open().await;
    for client in [&mut rooms.anna, &mut rooms.zoe] {
        client.send(&ClientMessage::Start).await;
        receive_phase(client, |phase| matches!(phase, Phase::Countdown { .. })).await;
    }
    // No client sends anything: the room's own timer panics.
    rooms.broken.panics.store(true, Ordering::Relaxed);
    rooms.assert_only_the_broken_room_is_closed().await;
    receive_phase(&mut rooms.zoe, |phase| matches!(phase, Phase::Running { .. })).await;
}

#[tokio::test(start_paused = true)]
async fn a_room_that_panics_without_connections_is_closed() {
    let server = TestServer::start();
    let mut anna = server.greet(1).await;
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

/// Receives until the client's room reaches a phase.
async fn receive_phase(client: &mut TestClient, is_wanted: impl Fn(&Phase) -> bool) {
    loop {
        if let ServerMessage::Phase(phase) = client.receive().await
            && is_wanted(&phase)
        {
            return;
        }
    }
}
