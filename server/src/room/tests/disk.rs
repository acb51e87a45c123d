//! Rooms on a disk that fails and has space again.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

use super::order::advance_before_the_timer;
use super::world::World;
use super::*;
use crate::hub::{NewTournament, Requester};
use crate::platform::environment::{Disk, Environment, Simulated};
use crate::race::Newcomer;
use crate::store::StoreError;
use crate::store::fixture::Scratch;
use crate::tournament;
use gridrace_shared::heat::identity::{Fingerprint, Key};
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::protocol::snapshot::{HeatResult, Phase};
use gridrace_shared::protocol::tournament::TournamentCommand;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::util::time::UnixMillis;
use tokio::task::JoinHandle;

/// Fails the store of a room, and keeps it from recording again.
fn fail_store(world: &World, room: &Room) {
    world.scratch.fill();
    room.state().gate.journal().unwrap().fail_store(&StoreError::Full);
}

/// Reacts to the store's failure and recovery until the task is aborted.
fn watch_store(world: &Arc<World>) -> JoinHandle<()> {
    let world = Arc::clone(world);
    tokio::spawn(async move { world.hub.watch_store().await })
}

/// Returns what the host is told of the recording by a message.
fn told(message: &ServerMessage) -> Option<bool> {
    match message {
        ServerMessage::Recording(RecordingStatus::Unrecorded) => Some(false),
        ServerMessage::Recording(RecordingStatus::Recorded) => Some(true),
        _ => None,
    }
}

#[tokio::test]
async fn a_failing_disk_costs_the_record_and_not_the_race() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    let mut ben = TestMember::join(&room, "Ben");
    ben.receive_token().await;
    let world = Arc::new(world);
    let task = watch_store(&world);
    fail_store(&world, &room);
    assert!(!anna.receive(told).await);
    let mut board = anna.start(&room).await;
    anna.play(&room, &mut board, 1).await;
    // Only the host is told, and the next host as well.
    assert_eq!(ben.take().iter().find_map(told), None);
    room.apply(Event::Leave { by: anna.id });
    assert_eq!(ben.take().iter().filter_map(told).collect::<Vec<_>>(), [false]);
    task.abort();
}

#[tokio::test]
async fn a_host_that_returns_by_key_is_told_again_that_nothing_is_recorded() {
    let world = World::new();
    let room = world.open("slide:3x3");
    let fingerprint = "5cddbf834b39bc6694cb80fcbfe49ecc".to_owned();
    let identity = Some(fingerprint.try_into().unwrap());
    let newcomer = Newcomer { identity, ..Newcomer::person("Anna".parse().unwrap()) };
    let mut anna = TestMember::join_as(&room, newcomer.clone());
    fail_store(&world, &room);
    anna.set_ready(&room, true);
    assert_eq!(anna.take().iter().find_map(told), Some(false));
    room.disconnect(anna.id, &anna.outbox);
    let mut returned = TestMember::join_as(&room, newcomer);
    assert_eq!(returned.id, anna.id);
    assert_eq!(returned.take().iter().find_map(told), Some(false));
}

thread_local! {
    static DISK: std::cell::Cell<Disk> = const { std::cell::Cell::new(Disk::Sound) };
}

/// A room of Anna and Ben.
struct OnFullDisk {
    room: Arc<Room>,
    anna: TestMember,
    ben: TestMember,
    task: JoinHandle<()>,
}

/// Makes a hub whose store is on [`DISK`].
fn on_simulated_disk() -> World {
    let simulated = Simulated { calendar: || UnixMillis(0), disk: || DISK.get() };
    let environment = Environment::simulated(&"friday".parse().unwrap(), simulated);
    World::simulated(environment, Scratch::new(), Vec::new())
}

/// Opens a room on a disk that is full from then on.
async fn on_full_disk() -> OnFullDisk {
    let world = Arc::new(on_simulated_disk());
    let room = world.open("slide:3x3");
    let (mut anna, mut ben) = (TestMember::join(&room, "Anna"), TestMember::join(&room, "Ben"));
    let task = watch_store(&world);
    anna.receive_token().await;
    ben.receive_token().await;
    DISK.set(Disk::Full);
    OnFullDisk { room, anna, ben, task }
}

/// Waits until the writer retries and the room begins its next journal, which the disk doesn't take
/// yet.
async fn begin_journal_on_hanging_disk(room: &Room) {
    tokio::time::sleep(Duration::from_secs(1)).await;
    DISK.set(Disk::Hangs);
    while room.state().gate.journal().is_none_or(|journal| journal.is_lost()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn no_message_is_sent_before_its_event_is_durable() {
    let world = on_simulated_disk();
    let room = world.open("slide:3x3");
    let mut anna = TestMember::join(&room, "Anna");
    anna.receive_token().await;
    anna.take();
    DISK.set(Disk::Hangs);
    let mut ben = TestMember::join(&room, "Ben");
    room.apply(Event::Start { by: anna.id });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((ben.take(), anna.take()), (Vec::new(), Vec::new()));
    DISK.set(Disk::Sound);
    // What was held back is not for a later member.
    let first = ben.receive(|message| Some(message.clone())).await;
    assert!(matches!(first, ServerMessage::Joined { .. }), "{first:?}");
    anna.receive_that(|message| matches!(message, ServerMessage::Phase(Phase::Drawing))).await;
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_hangs_while_a_room_is_idle_keeps_no_client_waiting_for_long() {
    let world = Arc::new(on_simulated_disk());
    let room = world.open("slide:3x3");
    let mut anna = TestMember::join(&room, "Anna");
    let task = watch_store(&world);
    anna.receive_token().await;
    anna.take();
    // Nothing waits for the disk, and nothing in the room is due.
    tokio::time::sleep(Duration::from_secs(5)).await;
    DISK.set(Disk::Hangs);
    let hung = world.hub.services.clock.now();
    let mut ben = TestMember::join(&room, "Ben");
    let served = async {
        ben.receive_token().await;
        assert!(!anna.receive(told).await);
    };
    tokio::time::timeout(Duration::from_secs(60), served).await.expect("they are served");
    let waited = world.hub.services.clock.now().since(hung);
    assert!(waited <= Duration::from_millis(10_500), "{waited:?}");
    DISK.set(Disk::Sound);
    task.abort();
}

/// Returns what the host is told of the recording.
fn recording(message: &ServerMessage) -> Option<RecordingStatus> {
    if let ServerMessage::Recording(state) = message { Some(*state) } else { None }
}

#[tokio::test(start_paused = true)]
async fn the_host_is_told_that_the_disk_is_slow_and_when_that_is_over() {
    let world = Arc::new(on_simulated_disk());
    let room = world.open("slide:3x3");
    let (mut anna, mut ben) = (TestMember::join(&room, "Anna"), TestMember::join(&room, "Ben"));
    let task = watch_store(&world);
    anna.receive_token().await;
    ben.receive_token().await;
    ben.take();
    DISK.set(Disk::Hangs);
    let clock = world.hub.services.clock;
    let hung = clock.now();
    anna.set_ready(&room, true);
    assert_eq!(anna.receive(recording).await, RecordingStatus::Slow);
    let waited = clock.now().since(hung);
    assert!((2_000..=2_600).contains(&waited.as_millis()), "{waited:?}");
    // It responds after four seconds, and what waits meanwhile goes with the next group.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    ben.set_ready(&room, true);
    DISK.set(Disk::Sound);
    ben.receive_that(|message| match message {
        ServerMessage::Roster(roster) => roster.members.iter().all(|member| member.ready),
        _ => false,
    })
    .await;
    assert!(clock.now().since(hung) < Duration::from_secs(5));
    assert_eq!(anna.receive(recording).await, RecordingStatus::Recorded);
    assert!(world.hub.services.store.as_ref().unwrap().is_recording());
    assert_eq!(ben.take().iter().find_map(recording), None);
    task.abort();
}

#[tokio::test]
async fn members_who_come_back_to_a_damaged_journal_are_told_once() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    let mut ben = TestMember::join(&room, "Ben");
    for ready in [true, false, true] {
        anna.set_ready(&room, ready);
        anna.receive_ready(ready).await;
    }
    let killed = world.scratch.killed();
    let records = killed.records();
    killed.flip_bit(records[records.len() - 2]);
    let next = World::on(killed, Vec::new());
    anna.resume(&next, room.code()).await;
    assert_eq!(anna.receive(recording).await, RecordingStatus::Damaged);
    anna.receive_token().await;
    // The damage is no longer on the disk of the server after the next.
    let later = next.after_kill();
    ben.resume(&later, room.code()).await;
    assert_eq!(ben.receive(recording).await, RecordingStatus::Damaged);
    anna.resume(&later, room.code()).await;
    anna.receive_token().await;
    assert_eq!(anna.take().iter().find_map(recording), None);
}

#[tokio::test(start_paused = true)]
async fn the_next_host_is_told_who_is_the_host_before_anything_of_the_recording() {
    let OnFullDisk { room, mut anna, mut ben, task } = on_full_disk().await;
    anna.set_ready(&room, true);
    assert!(!anna.receive(told).await);
    begin_journal_on_hanging_disk(&room).await;
    ben.take();
    room.apply(Event::Leave { by: anna.id });
    assert_eq!(ben.take(), []);
    DISK.set(Disk::Sound);
    let next = Some(ben.id);
    let is_host = ben.receive(|message| match message {
        ServerMessage::Roster(roster) => Some(roster.host == next),
        message => told(message).map(|_| false),
    });
    assert!(is_host.await);
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn the_host_who_was_told_is_told_that_it_is_recorded_again_and_no_later_host_is() {
    let OnFullDisk { room, anna, mut ben, task } = on_full_disk().await;
    room.disconnect(anna.id, &anna.outbox);
    assert!(!ben.receive(told).await);
    // What Anna does waits for the disk.
    begin_journal_on_hanging_disk(&room).await;
    let outbox = Arc::default();
    room.resume(&outbox, anna.id, &anna.token, Rng::default().token(), None).unwrap();
    room.disconnect(anna.id, &outbox);
    ben.set_ready(&room, true);
    assert_eq!(ben.take().iter().find_map(told), None, "it isn't durable");
    DISK.set(Disk::Sound);
    assert!(ben.receive(told).await);
    let ben_id = ben.id;
    // Ben was not the host for a moment, and is told nothing more when he is again.
    let is_ready = ben.receive(|message| match message {
        ServerMessage::Roster(roster) => {
            let is_ready = roster.members.iter().any(|player| player.ready);
            (roster.host == Some(ben_id) && is_ready).then_some(true)
        }
        message => told(message).map(|_| false),
    });
    assert!(is_ready.await);
    assert_eq!(ben.take().iter().find_map(told), None);
    task.abort();
}

#[tokio::test]
async fn messages_that_wait_for_a_failing_disk_at_shutdown_are_not_sent() {
    let world = on_simulated_disk();
    let room = world.open("slide:3x3");
    let mut anna = TestMember::join(&room, "Anna");
    anna.receive_token().await;
    anna.take();
    DISK.set(Disk::Full);
    anna.set_ready(&room, true);
    world.hub.flush_for_shutdown().await;
    let is_roster = |message: &ServerMessage| matches!(message, ServerMessage::Roster(_));
    assert!(!anna.take().iter().any(is_roster), "the next server doesn't know of it");
    DISK.set(Disk::Sound);
    let next = world.after_kill();
    let snapshot = anna.resume(&next, room.code()).await;
    assert!(!snapshot.roster.members[0].ready);
}

#[tokio::test]
async fn rooms_are_recorded_again_when_the_disk_has_space() {
    let (world, room, mut anna) = World::with_anna("slide:4x4").await;
    let world = Arc::new(world);
    let left = world.open("slide:3x3");
    let mut ben = TestMember::join(&left, "Ben");
    ben.receive_token().await;
    let task = watch_store(&world);
    fail_store(&world, &room);
    assert!(!anna.receive(told).await);
    let mut board = anna.start(&room).await;
    for seq in 1..=3 {
        anna.play(&room, &mut board, seq).await;
    }
    left.apply(Event::Leave { by: ben.id });
    world.hub.close_if_empty(&left);
    let begun = world.open("slide:3x3");
    let mut cleo = TestMember::join(&begun, "Cleo");
    assert!(!cleo.receive(told).await);
    world.scratch.make_room();
    for host in [&mut anna, &mut cleo] {
        assert!(host.receive(told).await);
    }
    for seq in 4..=6 {
        anna.play(&room, &mut board, seq).await;
    }
    let next = world.after_kill();
    let seat = anna.resume(&next, room.code()).await.seat.unwrap();
    assert_eq!((seat.seq, &seat.board), (Seq(6), &board));
    assert!(next.hub.find(begun.code()).is_some());
    assert!(next.hub.find(left.code()).is_none(), "its last member has left it");
    // What was played unrecorded is in the replay, too.
    let room = next.hub.find(room.code()).unwrap();
    room.apply(Event::GiveUp { by: anna.id });
    anna.receive_result().await;
    assert_eq!(next.replay().outcome.standings[0].moves.acts, 6);
    task.abort();
}

#[tokio::test]
async fn damage_is_told_though_the_server_that_found_it_ended_at_once() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    anna.set_ready(&room, true);
    anna.receive_ready(true).await;
    let scratch = world.scratch.killed();
    scratch.store().close();
    let last = scratch.records().pop().unwrap();
    scratch.flip_bit(last);
    // Its rooms write nothing.
    scratch.store().close();
    let next = World::on(scratch, Vec::new());
    anna.resume(&next, room.code()).await;
    let told = anna.receive(|message| match message {
        ServerMessage::Token { .. } => Some(None),
        _ => recording(message).map(Some),
    });
    assert_eq!(told.await, Some(RecordingStatus::Damaged));
}

#[tokio::test]
async fn an_idle_room_needs_no_record_from_before_the_restart() {
    let (world, _room, _anna) = World::with_anna("slide:3x3").await;
    let needed = "SELECT min(since) FROM heats";
    let before = world.scratch.number(needed);
    let world = world.after_kill();
    // Other rooms are in use.
    let other = world.open("slide:3x3");
    let mut ben = TestMember::join(&other, "Ben");
    for ready in [true, false, true, false] {
        ben.set_ready(&other, ready);
        ben.receive_ready(ready).await;
    }
    let first = world.scratch.number(needed);
    assert!(first > before, "records from {first} on, after {before}");
    assert_eq!(world.scratch.number("SELECT count(*) FROM heats"), 2);
}

#[tokio::test]
async fn a_rating_after_the_end_is_stored() {
    let (world, room, mut anna) = World::with_anna("slide:3x3").await;
    anna.start(&room).await;
    room.apply(Event::GiveUp { by: anna.id });
    // The solver's own rating comes once, before or after the end.
    anna.receive(|message| match message {
        ServerMessage::Phase(Phase::Over(result)) => result.best,
        ServerMessage::Rated { best, .. } => Some(*best),
        _ => None,
    })
    .await;
    let best = MoveBounds::of(1, 2);
    room.apply(Event::Rated { number: 1, best });
    anna.receive_that(
        |message| matches!(message, ServerMessage::Rated { best: told, .. } if *told == best),
    )
    .await;
    let finished = world.scratch.archive().latest(9).unwrap();
    let result: HeatResult = serde_json::from_str(&finished[0].result).unwrap();
    assert_eq!(result.best, Some(best), "it was told, so it is on the disk");
    assert_eq!(world.replay().outcome.best, Some(best));
}

#[tokio::test(start_paused = true)]
async fn organisers_learn_that_a_tournament_is_not_recorded_and_its_end_is_stored_later() {
    let world = Arc::new(on_simulated_disk());
    let key = |number: u8| Key::from_bytes([number; 32]).public().fingerprint(false);
    let founder = key(1);
    let tournament = world.hub.open_tournament(NewTournament {
        name: "friday".parse().unwrap(),
        plan: "series:1".parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        pin: None,
        founder,
    });
    let tournament = tournament.unwrap();
    let outboxes: [Arc<Outbox>; 3] = Default::default();
    let follow = |key: Option<Fingerprint>, outbox: &Arc<Outbox>| {
        let outbox = Arc::clone(outbox);
        tournament.follow(&Requester { key, address: None, own_address: None, outbox }, None)
    };
    let told = |outbox: &Outbox| -> Vec<RecordingStatus> {
        let status = |message: ServerMessage| match message {
            ServerMessage::Recording(status) => Some(status),
            _ => None,
        };
        outbox.take(ServerInstant::default()).messages.into_iter().filter_map(status).collect()
    };
    let _organiser = follow(Some(founder), &outboxes[0]).unwrap();
    let _guest = follow(Some(key(2)), &outboxes[1]).unwrap();
    let task = watch_store(&world);
    DISK.set(Disk::Full);
    let name = "Anna".parse().unwrap();
    tournament.apply(tournament::Event::Enter { by: key(2), name, bot: false, team: None }, None);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(told(&outboxes[0]), [RecordingStatus::Unrecorded]);
    assert_eq!(told(&outboxes[1]), []);
    let _later = follow(Some(founder), &outboxes[2]).unwrap();
    assert_eq!(told(&outboxes[2]), [RecordingStatus::Unrecorded]);
    let command = TournamentCommand::End { reason: None };
    tournament.apply(
        tournament::Event::Command { by: founder, is_operator: false, command, confirmed: true },
        None,
    );
    assert!(tournament.is_closed());
    DISK.set(Disk::Sound);
    let ended = "SELECT count(*) FROM tournaments WHERE ended IS NOT NULL";
    for _ in 0..1_000 {
        if world.scratch.number(ended) == 1 {
            assert_eq!(told(&outboxes[0]), [RecordingStatus::Recorded]);
            task.abort();
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the end isn't stored");
}

#[tokio::test(start_paused = true)]
async fn a_rating_that_comes_when_the_end_is_due_is_stored() {
    let world = on_simulated_disk();
    let room = world.open("slide:3x3");
    let mut anna = TestMember::join(&room, "Anna");
    anna.receive_token().await;
    anna.start(&room).await;
    let limit = world::options("slide:3x3").time_limit_seconds;
    advance_before_the_timer(Duration::from_secs(limit.into()));
    let best = MoveBounds::of(1, 2);
    room.rate(1, best);
    anna.receive_that(
        |message| matches!(message, ServerMessage::Rated { best: told, .. } if *told == best),
    )
    .await;
    assert_eq!(world.replay().outcome.best, Some(best), "it was told, so it is on the disk");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_waits_for_the_disk_takes_nothing_of_the_room_that_was_joined_then() {
    let world = on_simulated_disk();
    let options = HeatOptions { bots_allowed: false, ..world::options("slide:3x3") };
    let refusing = world.hub.open(options, None).unwrap();
    DISK.set(Disk::Hangs);
    let bot = Newcomer { bot: true, ..Newcomer::person("Robo".parse().unwrap()) };
    let (_hub, room, mut anna) = open("slide:3x3");
    let refused = refusing.join(&anna.outbox, bot, Rng::default().token());
    assert_eq!(refused, Err(JoinError::Refused));
    anna.receive_token().await;
    TestMember::join(&room, "Ben");
    DISK.set(Disk::Sound);
    anna.receive_that(|message| matches!(message, ServerMessage::Refused(_))).await;
    assert!(anna.take().iter().any(|message| matches!(message, ServerMessage::Roster(_))));
}
