//! Rooms with a store: no message is sent before its event is durable, and all of it is recovered.

use super::world::World;
use super::*;
use crate::hub::StandingRoom;
use crate::store::fixture::Scratch;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::standings;
use gridrace_shared::protocol::snapshot::Snapshot;

/// Locks the database until it is dropped.
pub(super) fn lock(world: &World) -> rusqlite::Connection {
    let other = world.scratch.connect();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

pub(super) async fn run_other_tasks() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn all_that_was_acknowledged_is_recovered_after_a_kill() {
    let (mut world, room, mut anna) = World::with_anna("slide:4x4").await;
    let code = room.code();
    let mut ben = TestMember::join(&room, "Ben");
    ben.receive_token().await;
    let mut board = anna.start(&room).await;
    let mut played = 0;
    for kill in 1..=3u32 {
        let room = world.hub.find(code).unwrap();
        for _ in 0..5 {
            played += 1;
            anna.play(&room, &mut board, played).await;
        }
        world = world.after_kill();
        let seen = anna.resume(&world, code).await;
        let seat = seen.seat.unwrap();
        assert_eq!((seat.seq, &seat.board), (Seq(played), &board), "kill {kill}");
        assert_eq!(seen.roster.members.len(), 2);
        anna.receive_token().await;
    }
    let Snapshot { standings, roster, .. } = ben.resume(&world, code).await;
    let rows = standings.unwrap().rows;
    let row = rows.iter().find(|row| row.player == anna.id).unwrap();
    assert_eq!((row.moves.acts, row.connected), (played, true));
    assert_eq!(roster.host, Some(anna.id));
}

#[tokio::test]
async fn a_killed_server_s_bots_race_on() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    let code = room.code();
    assert!(room.add_bot_as(anna.id, &anna.outbox, Skill::Master));
    anna.start(&room).await;
    let world = world.after_kill();
    anna.resume(&world, code).await;
    let room = world.hub.find(code).unwrap();
    room.apply(Event::GiveUp { by: anna.id });
    let result = anna.receive_result().await;
    let states = result.standings.iter().map(|row| row.state);
    let finished = states.filter(|state| matches!(state, standings::RaceState::Finished { .. }));
    assert_eq!(finished.count(), 1);
    assert_eq!(world.replay().header.code, code);
}

#[tokio::test]
async fn a_room_without_members_is_not_recovered() {
    let (world, room, anna) = World::with_anna("slide:3x3").await;
    room.apply(Event::Leave { by: anna.id });
    world.hub.close_if_empty(&room);
    assert!(room.close_if_empty());
    world.hub.flush_for_shutdown().await;
    assert!(world.after_kill().hub.list().is_empty());
}

#[tokio::test]
async fn a_server_that_shuts_down_leaves_its_rooms_to_the_next() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    let mut board = anna.start(&room).await;
    anna.play(&room, &mut board, 1).await;
    world.hub.flush_for_shutdown().await;
    // Later events are for the next server.
    let play = board.legal_moves().swap_remove(0);
    room.apply(Event::Move { by: anna.id, seq: Seq(2), play });
    room.disconnect(anna.id, &anna.outbox);
    world.hub.close_if_empty(&room);
    assert!(world.hub.open(world::options("slide:3x3"), None).is_err());
    world.hub.close();
    let next = world.after_kill();
    let seat = anna.resume(&next, room.code()).await.seat.unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(1), &board));
}

#[tokio::test]
async fn a_server_that_shuts_down_sends_first_what_waited_for_the_disk() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let locked = lock(&world);
    let mut anna = TestMember::join(&room, "Anna");
    assert_eq!(anna.take(), []);
    drop(locked);
    world.hub.flush_for_shutdown().await;
    let sent = anna.take();
    assert!(
        matches!(sent[..], [ServerMessage::Joined { .. }, ServerMessage::Token { .. }]),
        "{sent:?}"
    );
}

#[tokio::test]
async fn an_unnamed_room_keeps_its_code_as_long_as_its_puzzle_stays() {
    let standing = |puzzle: &str, bots| StandingRoom {
        name: None,
        options: HeatOptions::new(puzzle.parse().unwrap()),
        seed: None,
        bots: vec![Skill::Expert; bots],
        pin: None,
    };
    let rooms = vec![standing("slide:3x3", 2), standing("slide:3x3", 0)];
    let first = World::on(Scratch::new(), rooms.clone());
    let room = first.hub.find(first.codes[0]).unwrap();
    TestMember::join(&room, "Anna").receive_token().await;
    let second = World::on(first.scratch.killed(), rooms);
    assert_eq!(second.codes, first.codes);
    assert_eq!(second.hub.list().len(), 2);
    // Other bots and options are for the room to which no member may come back.
    let mut rooms = vec![standing("slide:3x3", 1), standing("slide:3x3", 1)];
    rooms[1].options.idle_seconds = 90;
    let third = World::on(first.scratch.killed(), rooms);
    assert_eq!(third.codes, first.codes);
    let members = |code| third.hub.find(code).unwrap().members();
    assert_eq!(third.codes.iter().map(|&code| members(code)).collect::<Vec<_>>(), [2, 1]);
    let other = World::on(first.scratch.killed(), vec![standing("slide:4x4", 0)]);
    assert!(!first.codes.contains(&other.codes[0]));
    // Anna may come back to the one that is no longer configured.
    assert_eq!(other.hub.list().len(), 2);
}

#[tokio::test]
async fn each_named_room_is_found_again_also_with_other_options() {
    let standing = |name: &str, spec: &str| StandingRoom {
        name: Some(name.parse().unwrap()),
        options: HeatOptions::new(spec.parse().unwrap()),
        seed: None,
        bots: Vec::new(),
        pin: None,
    };
    let rooms = [standing("evening", "slide:3x3"), standing("hard", "slide:3x3")];
    let first = World::on(Scratch::new(), rooms.to_vec());
    let hard = first.hub.find(first.codes[1]).unwrap();
    TestMember::join(&hard, "Anna").receive_token().await;
    let rooms = vec![standing("hard", "slide:5x5"), standing("evening", "slide:4x4")];
    let second = World::on(first.scratch.killed(), rooms);
    assert_eq!(second.codes, [first.codes[1], first.codes[0]]);
    let list = second.hub.list();
    let of = |code| list.iter().find(|room| room.code == code).unwrap();
    let (hard, evening) = (of(second.codes[0]), of(second.codes[1]));
    assert_eq!(evening.name.as_ref().unwrap().as_str(), "evening");
    // Anna may come back to the room as she left it; no client to the other.
    assert_eq!(
        (hard.spec.to_string(), evening.spec.to_string()),
        ("slide:3x3".into(), "slide:4x4".into())
    );
}

#[tokio::test]
async fn a_rematch_begins_the_journal_anew() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    for _ in 0..3 {
        let mut board = anna.start(&room).await;
        for seq in 1..20 {
            anna.play(&room, &mut board, seq).await;
        }
        room.apply(Event::GiveUp { by: anna.id });
        let secret = Rng::default().secret(None).into();
        room.apply(Event::Rematch { by: Some(anna.id), secret });
        anna.receive_that(|message| matches!(message, ServerMessage::Setup(_))).await;
    }
    anna.set_ready(&room, true);
    anna.receive_ready(true).await;
    let copy = world.scratch.killed();
    let needed = copy.number("SELECT since FROM heats");
    assert!(needed > 3 * 19, "records from {needed} on, after three heats of twenty moves");
    let next = World::on(copy, Vec::new());
    let room = next.hub.find(room.code()).unwrap();
    assert_eq!(room.state().persisted.race.number(), 4);
}
