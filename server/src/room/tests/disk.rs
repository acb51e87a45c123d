//! Rooms on a disk that fails and has space again.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use super::world::{Person, World};
use super::*;
use crate::platform::environment::{Disk, Environment, Simulated};
use crate::room::outbox::Frame;
use crate::store::StoreError;
use crate::store::fixture::Scratch;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::protocol::snapshot::{HeatResult, Phase};
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::util::time::UnixMillis;
use std::collections::VecDeque;

#[tokio::test]
async fn a_failing_disk_costs_the_record_and_not_the_race() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let (mut anna, mut ben) = (Person::joins(&room, "Anna"), Person::joins(&room, "Ben"));
    anna.sees().await;
    ben.sees().await;
    let minding = Arc::new(world);
    let mind = Arc::clone(&minding);
    let task = tokio::spawn(async move { mind.hub.watch_store().await });
    minding.scratch.fill();
    room.state().gate.journal().unwrap().fail_store(&StoreError::Full);
    anna.hears(|message| matches!(message, ServerMessage::Unrecorded).then_some(())).await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    anna.plays(&room, &mut board, 1).await;
    // Whoever is the host next is told as well, and nobody else is.
    let told = |frames: &VecDeque<Arc<Frame>>| {
        frames.iter().filter(|frame| *frame.message() == ServerMessage::Unrecorded).count()
    };
    assert_eq!(told(&ben.outbox.take().frames), 0);
    room.apply(Event::Leave { by: anna.id });
    assert_eq!(told(&ben.outbox.take().frames), 1);
    task.abort();
}

#[tokio::test]
async fn a_host_that_returns_by_key_is_told_again_that_nothing_is_recorded() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let fingerprint = "5cddbf834b39bc6694cb80fcbfe49ecc".to_owned();
    let newcomer = crate::race::Newcomer {
        identity: Some(fingerprint.try_into().unwrap()),
        ..crate::race::Newcomer::person("Anna".parse().unwrap())
    };
    let comes = || {
        let outbox = Arc::new(Outbox::default());
        let id = room.join(&outbox, newcomer.clone(), Rng::default().token()).unwrap();
        (id, outbox)
    };
    let is_told = |outbox: &Outbox| {
        let frames = outbox.take().frames;
        let mut messages = frames.iter().map(|frame| frame.message());
        messages.any(|message| *message == ServerMessage::Unrecorded)
    };
    let (anna, old) = comes();
    world.scratch.fill();
    room.state().gate.journal().unwrap().fail_store(&StoreError::Full);
    let ready = true;
    assert!(room.apply_as(anna, &old, |_| Event::Ready { by: anna, ready }));
    assert!(is_told(&old));
    room.disconnect(anna, &old);
    let (back, new) = comes();
    assert_eq!(back, anna);
    assert!(is_told(&new));
}

thread_local! {
    static DISK: std::cell::Cell<Disk> = const { std::cell::Cell::new(Disk::Sound) };
}

/// Anna and Ben in a heat, and what keeps it.
struct OnADisk {
    room: Arc<Room>,
    anna: Person,
    ben: Person,
    task: tokio::task::JoinHandle<()>,
}

/// A hub whose store is on [`DISK`].
fn on_a_simulated_disk() -> World {
    let simulated = Simulated { calendar: || UnixMillis(0), disk: || DISK.get() };
    let environment = Environment::simulated(&"friday".parse().unwrap(), simulated);
    World::simulated(environment, Scratch::new(), Vec::new())
}

/// Lets Anna and Ben come to a heat on a disk that is full from then on.
async fn on_a_full_disk() -> OnADisk {
    let world = on_a_simulated_disk();
    let room = world.open("slide:3x3");
    let (mut anna, mut ben) = (Person::joins(&room, "Anna"), Person::joins(&room, "Ben"));
    let task = tokio::spawn(async move {
        // With its folder.
        let world = world;
        world.hub.watch_store().await;
    });
    anna.gets_token().await;
    ben.gets_token().await;
    DISK.set(Disk::Full);
    OnADisk { room, anna, ben, task }
}

/// Waits until the next journal begins, as the writer pin_throttle again, which doesn't reach the disk.
async fn begins_a_journal_that_hangs(room: &Room) {
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    DISK.set(Disk::Hangs);
    while room.state().gate.journal().is_none_or(|log| log.is_lost()) {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_host_is_told_who_is_the_host_before_anything_of_the_recording() {
    let OnADisk { room, mut anna, mut ben, task } = on_a_full_disk().await;
    let (by, ready) = (anna.id, true);
    room.apply(Event::Ready { by, ready });
    anna.hears(|message| matches!(message, ServerMessage::Unrecorded).then_some(())).await;
    begins_a_journal_that_hangs(&room).await;
    ben.outbox.take();
    room.apply(Event::Leave { by: anna.id });
    assert_eq!(ben.outbox.take().frames.len(), 0);
    DISK.set(Disk::Sound);
    let next = Some(ben.id);
    let is_host = ben.hears(|message| match message {
        ServerMessage::Roster(roster) => Some(roster.host == next),
        ServerMessage::Unrecorded | ServerMessage::Recorded => Some(false),
        _ => None,
    });
    assert!(is_host.await);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn the_host_who_was_told_is_told_that_it_is_recorded_again_and_no_later_host_is() {
    let OnADisk { room, anna, mut ben, task } = on_a_full_disk().await;
    room.disconnect(anna.id, &anna.outbox);
    let told = |message: &ServerMessage| match message {
        ServerMessage::Unrecorded => Some(false),
        ServerMessage::Recorded => Some(true),
        _ => None,
    };
    assert!(!ben.hears(told).await);
    // All that Anna brings about waits for the disk.
    begins_a_journal_that_hangs(&room).await;
    let outbox = Arc::default();
    let next = Rng::default().token();
    room.resume(&outbox, anna.id, &anna.token, next).unwrap();
    room.disconnect(anna.id, &outbox);
    room.apply(Event::Ready { by: ben.id, ready: true });
    assert!(!ben.has_heard_since(|message| told(message).is_some()), "it isn't durable");
    DISK.set(Disk::Sound);
    assert!(ben.hears(told).await);
    // Ben is not the host for a moment, and is told nothing more when he is again.
    for host in [anna.id, ben.id].map(Some) {
        let is_said = ben.hears(|message| match message {
            ServerMessage::Roster(roster) => (roster.host == host).then_some(true),
            message => told(message).map(|_| false),
        });
        assert!(is_said.await, "{host:?}");
    }
    let is_ready = ben.hears(|message| match message {
        ServerMessage::Roster(roster) => {
            roster.members.iter().any(|player| player.ready).then_some(true)
        }
        message => told(message).map(|_| false),
    });
    assert!(is_ready.await);
    assert!(!ben.has_heard_since(|message| told(message).is_some()));
    task.abort();
}

#[tokio::test]
async fn messages_that_wait_for_a_failing_disk_at_shutdown_are_not_sent() {
    let world = on_a_simulated_disk();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.gets_token().await;
    anna.outbox.take();
    DISK.set(Disk::Full);
    let (by, ready) = (anna.id, true);
    room.apply(Event::Ready { by, ready });
    world.hub.flush_for_shutdown().await;
    let said = anna.outbox.take().frames;
    let shown = said.iter().map(|frame| frame.message());
    let shown = shown.filter(|message| matches!(message, ServerMessage::Roster(_)));
    assert_eq!(shown.count(), 0, "the next server doesn't know of it");
    DISK.set(Disk::Sound);
    let next = world.after_kill();
    let there = anna.resumes(&next, room.code()).await;
    assert!(!there.roster.members[0].ready);
}

#[tokio::test]
async fn rooms_are_recorded_again_when_the_disk_has_space() {
    let world = Arc::new(World::new());
    let (room, left) = (world.open("slide:4x4"), world.open("slide:3x3"));
    let (mut anna, mut ben) = (Person::joins(&room, "Anna"), Person::joins(&left, "Ben"));
    anna.gets_token().await;
    ben.gets_token().await;
    let mind = Arc::clone(&world);
    let task = tokio::spawn(async move { mind.hub.watch_store().await });
    world.scratch.fill();
    room.state().gate.journal().unwrap().fail_store(&StoreError::Full);
    anna.hears(|message| matches!(message, ServerMessage::Unrecorded).then_some(())).await;
    room.apply(Event::Start { by: anna.id });
    let mut board = anna.is_at_go().await;
    for seq in 1..=3 {
        anna.plays(&room, &mut board, seq).await;
    }
    left.apply(Event::Leave { by: ben.id });
    world.hub.close_if_empty(&left);
    let begun = world.open("slide:3x3");
    let mut cleo = Person::joins(&begun, "Cleo");
    cleo.hears(|message| matches!(message, ServerMessage::Unrecorded).then_some(())).await;
    world.scratch.make_room();
    for host in [&mut anna, &mut cleo] {
        host.hears(|message| matches!(message, ServerMessage::Recorded).then_some(())).await;
    }
    for seq in 4..=6 {
        anna.plays(&room, &mut board, seq).await;
    }
    let next = world.after_kill();
    let seat = anna.resumes(&next, room.code()).await.seat.unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(6), &board));
    assert!(next.hub.find(begun.code()).is_some());
    assert!(next.hub.find(left.code()).is_none(), "everybody has left it");
    // Whatever was played unrecorded is in the replay all the same.
    let room = next.hub.find(room.code()).unwrap();
    room.apply(Event::GiveUp { by: anna.id });
    anna.hears(|message| matches!(message, ServerMessage::Phase(Phase::Over(_))).then_some(()))
        .await;
    let persisted = next.scratch.archive().latest(9).unwrap();
    let file = next.scratch.archive().replay(&persisted[0].id).unwrap().unwrap();
    let verdict = gridrace_shared::replay::verify(&file).unwrap();
    assert_eq!(verdict.faults, []);
    assert_eq!(verdict.replay.outcome.standings[0].moves.acts, 6);
    task.abort();
}

#[tokio::test]
async fn an_idle_room_keeps_no_row_from_before_the_restart() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.gets_token().await;
    let last = |world: &World| -> i64 {
        let database = rusqlite::Connection::open(world.scratch.database()).unwrap();
        let sql = "SELECT coalesce(max(part), 0) FROM journal";
        database.query_row(sql, (), |row| row.get(0)).unwrap()
    };
    let before = last(&world);
    assert!(before > 0);
    let world = world.after_kill();
    // Others go on, while nobody comes back to that one.
    let other = world.open("slide:3x3");
    let mut ben = Person::joins(&other, "Ben");
    for ready in [true, false, true, false] {
        other.apply(Event::Ready { by: ben.id, ready });
        ben.hears(|message| match message {
            ServerMessage::Roster(roster) => (roster.members[0].ready == ready).then_some(()),
            _ => None,
        })
        .await;
    }
    let database = rusqlite::Connection::open(world.scratch.database()).unwrap();
    let persisted: i64 =
        database.query_row("SELECT min(part) FROM journal", (), |row| row.get(0)).unwrap();
    assert!(persisted > before, "rows from {persisted} on, after {before}");
    let heats: i64 =
        database.query_row("SELECT count(*) FROM heats", (), |row| row.get(0)).unwrap();
    assert_eq!(heats, 2);
}

#[tokio::test]
async fn a_rating_after_the_end_is_stored() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let mut anna = Person::joins(&room, "Anna");
    anna.sees().await;
    room.apply(Event::Start { by: anna.id });
    anna.is_at_go().await;
    room.apply(Event::GiveUp { by: anna.id });
    // Whenever the solver says so, it says so once.
    anna.hears(|message| match message {
        ServerMessage::Phase(Phase::Over(result)) => result.best,
        ServerMessage::Rated { best, .. } => Some(*best),
        _ => None,
    })
    .await;
    let best = MoveBounds::of(1, 2);
    room.apply(Event::Rated { number: 1, best });
    anna.hears(|message| match message {
        ServerMessage::Rated { best: told, .. } => (*told == best).then_some(()),
        _ => None,
    })
    .await;
    let archive = world.scratch.archive();
    let persisted = archive.latest(9).unwrap();
    assert_eq!(persisted.len(), 1);
    let result: HeatResult = serde_json::from_str(&persisted[0].result).unwrap();
    assert_eq!(result.best, Some(best), "it was told, so it is on the disk");
    let file = archive.replay(&persisted[0].id).unwrap().unwrap();
    let verdict = gridrace_shared::replay::verify(&file).unwrap();
    assert_eq!(verdict.faults, []);
    assert_eq!(verdict.replay.outcome.best, Some(best));
}
