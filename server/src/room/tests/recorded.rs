//! Rooms with a store: no message is sent before its event is durable, and all of it is recovered.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use super::world::{Person, World};
use super::*;
use crate::hub::StandingRoom;
use crate::race::{HeatEvent, journal};
use crate::store::fixture::Scratch;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::snapshot::{Phase, Snapshot};
use gridrace_shared::replay::ExitReason;

#[tokio::test]
async fn no_message_is_sent_before_its_event_is_durable() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    let other = rusqlite::Connection::open(world.scratch.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ben = Person::joins(&room, "Ben");
    room.apply(Event::Start { by: anna.id });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(ben.outbox.take().frames.is_empty());
    let heard = anna.outbox.take().frames;
    assert!(heard.iter().all(|frame| !matches!(frame.message(), ServerMessage::Roster(_))));
    other.execute_batch("ROLLBACK").unwrap();
    let first = loop {
        if let Some(frame) = ben.outbox.take().frames.front() {
            break Arc::clone(frame);
        }
        ben.outbox.ready().await;
    };
    // Whatever was held back is not for those who came after it.
    assert!(matches!(first.message(), ServerMessage::Joined { .. }));
    anna.hears(|message| matches!(message, ServerMessage::Phase(Phase::Drawing)).then_some(()))
        .await;
}

#[tokio::test]
async fn all_that_was_acknowledged_is_there_after_a_kill() {
    let mut world = World::new();
    let room = world.open("slide:4x4");
    let code = room.code();
    let (mut anna, mut ben) = (Person::joins(&room, "Anna"), Person::joins(&room, "Ben"));
    anna.gets_token().await;
    ben.gets_token().await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    let mut played = 0;
    for kill in 1..=3u32 {
        let room = world.hub.find(code).unwrap();
        for _ in 0..5 {
            played += 1;
            anna.plays(&room, &mut board, played).await;
        }
        world = world.after_kill();
        let seen = anna.resumes(&world, code).await;
        let seat = seen.seat.unwrap();
        assert_eq!((seat.seq, &seat.board), (Seq(played), &board), "kill {kill}");
        assert_eq!(seen.roster.members.len(), 2);
        anna.gets_token().await;
    }
    let row = |seen: &Snapshot, id| {
        let rows = &seen.standings.as_ref().unwrap().rows;
        rows.iter().find(|row| row.player == id).unwrap().clone()
    };
    let seen = ben.resumes(&world, code).await;
    assert_eq!(row(&seen, anna.id).moves.acts, played);
    assert!(row(&seen, anna.id).connected);
    assert_eq!(seen.roster.host, Some(anna.id));
}

#[tokio::test]
async fn a_killed_server_s_bots_race_on() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let code = room.code();
    let mut anna = Person::joins(&room, "Anna");
    anna.gets_token().await;
    assert!(room.add_bot_as(anna.id, &anna.outbox, Skill::Master));
    room.apply(Event::Start { by: anna.id });
    anna.is_at_go().await;
    let world = world.after_kill();
    anna.resumes(&world, code).await;
    let room = world.hub.find(code).unwrap();
    room.apply(Event::GiveUp { by: anna.id });
    let result = anna
        .hears(|message| match message {
            ServerMessage::Phase(Phase::Over(result)) => Some(result.clone()),
            _ => None,
        })
        .await;
    let finished = |row: &&gridrace_shared::heat::standings::Standing| {
        matches!(row.state, gridrace_shared::heat::standings::State::Finished { .. })
    };
    assert_eq!(result.standings.iter().filter(finished).count(), 1);
    let persisted = world.scratch.archive().latest(9).unwrap();
    assert_eq!(persisted.len(), 1, "it was announced, so it is on the disk");
    assert!(persisted[0].id.starts_with(&code.to_string()), "{persisted:?}");
    let replay = world.scratch.archive().replay(&persisted[0].id).unwrap().unwrap();
    let verdict = gridrace_shared::replay::verify(&replay).unwrap();
    assert_eq!((verdict.count, verdict.cut), (0, Vec::new()), "{:?}", verdict.faults);
}

#[tokio::test]
async fn a_subscriber_hears_what_happens_in_a_heat_once_it_is_durable() {
    let world = World::new();
    let mut events = world.hub.subscribe();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    anna.plays(&room, &mut board, 1).await;
    let mut next = async || {
        let event = events.recv().await.unwrap();
        assert_eq!(event.room, room.code());
        event.event
    };
    assert!(matches!(&*next().await, HeatEvent::Started { racers, .. } if racers.len() == 1));
    assert!(matches!(&*next().await, HeatEvent::Played { player, .. } if *player == anna.id));
    let other = rusqlite::Connection::open(world.scratch.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    room.apply(Event::GiveUp { by: anna.id });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(next().now_or_never().is_none());
    other.execute_batch("ROLLBACK").unwrap();
    let exit = ExitReason::GaveUp;
    assert_eq!(*next().await, HeatEvent::Out { player: anna.id, exit });
    let HeatEvent::Ended(record) = &*next().await else { panic!() };
    assert_eq!((record.code, record.number, record.members.len()), (room.code(), 1, 1));
    assert_eq!(record.result.standings[0].player, anna.id);
}

#[tokio::test]
async fn a_room_without_members_is_not_kept() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    room.apply(Event::Leave { by: anna.id });
    world.hub.close_if_empty(&room);
    assert!(room.close_if_empty());
    world.hub.flush_for_shutdown().await;
    assert!(world.after_kill().hub.list().is_empty());
}

#[tokio::test]
async fn a_server_that_shuts_down_leaves_its_rooms_to_the_next() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let code = room.code();
    let mut anna = Person::joins(&room, "Anna");
    anna.gets_token().await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    anna.plays(&room, &mut board, 1).await;
    world.hub.flush_for_shutdown().await;
    // What comes now is for the next server.
    let late = board.legal_moves().swap_remove(0);
    room.apply(Event::Move { by: anna.id, seq: Seq(2), play: late });
    room.disconnect(anna.id, &anna.outbox);
    world.hub.close_if_empty(&room);
    assert!(world.hub.open(HeatOptions::new("slide:3x3".parse().unwrap()), None).is_err());
    world.hub.close();
    let next = world.after_kill();
    let seat = anna.resumes(&next, code).await.seat.unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(1), &board));
}

#[tokio::test]
async fn a_server_that_shuts_down_sends_first_what_waited_for_the_disk() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let other = rusqlite::Connection::open(world.scratch.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let anna = Person::joins(&room, "Anna");
    assert!(anna.outbox.take().frames.is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    world.hub.flush_for_shutdown().await;
    let heard = anna.outbox.take().frames;
    let heard: Vec<&ServerMessage> = heard.iter().map(|frame| frame.message()).collect();
    assert!(
        matches!(heard[..], [ServerMessage::Joined { .. }, ServerMessage::Token { .. }]),
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_standing_room_keeps_its_code_from_one_start_to_the_next() {
    let standing = |bots| StandingRoom {
        options: HeatOptions::new("slide:3x3".parse().unwrap()),
        seed: None,
        bots: vec![Skill::Expert; bots],
        pin: None,
    };
    let first = World::on(Scratch::new(), vec![standing(2)]);
    let room = first.hub.find(first.codes[0]).unwrap();
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    let again = World::on(first.scratch.killed(), vec![standing(2)]);
    assert_eq!(again.codes, first.codes);
    assert_eq!(again.hub.list().len(), 1);
    let other = World::on(first.scratch.killed(), vec![standing(1)]);
    assert_ne!(other.codes, first.codes);
    // Anna may come back to the one that nobody asks for any more.
    assert_eq!(other.hub.list().len(), 2);
}

#[tokio::test]
async fn a_rematch_begins_the_journal_anew() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    for _ in 0..3 {
        room.apply(Event::Start { by: anna.id });
        let mut board = anna.is_at_go().await;
        for seq in 1..20 {
            anna.plays(&room, &mut board, seq).await;
        }
        room.apply(Event::GiveUp { by: anna.id });
        let secret = Rng::default().secret(None).into();
        room.apply(Event::Rematch { by: Some(anna.id), secret });
        anna.hears(|message| matches!(message, ServerMessage::Setup(_)).then_some(())).await;
    }
    room.apply(Event::Ready { by: anna.id, ready: true });
    // With this group go the rows that the checkpoint has outlived.
    anna.hears(|message| match message {
        ServerMessage::Roster(roster) => roster.members[0].ready.then_some(()),
        _ => None,
    })
    .await;
    let copy = world.scratch.killed();
    let database = rusqlite::Connection::open(copy.database()).unwrap();
    let rows: u32 =
        database.query_row("SELECT count(*) FROM journal", (), |row| row.get(0)).unwrap();
    assert!(rows < 6, "{rows} rows after three heats of twenty moves");
    drop(database);
    let next = World::on(copy, Vec::new());
    let room = next.hub.find(room.code()).unwrap();
    assert_eq!(room.state().persisted.race.number(), 4);
}

#[tokio::test]
async fn a_checkpoint_is_read_as_it_was_written() {
    let world = World::new();
    let room = world.open("link:6x6");
    let mut anna = Person::joins(&room, "Anna");
    anna.gets_token().await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    anna.plays(&room, &mut board, 1).await;
    let written = journal::checkpoint(&room.state().persisted).unwrap();
    let read: PersistedRoom = journal::restore(&written).unwrap();
    assert_eq!(journal::checkpoint(&read).unwrap(), written);
}
