//! The store alone: what it records, what it recovers, and what it refuses.

mod backup;
mod faults;
mod layouts;
mod log;
mod prune;
mod rated;
mod retry;
mod steps;
mod tournaments;

use super::*;
use crate::metrics::Metrics;
use crate::platform::environment::Environment;
use crate::platform::rng::Rng;
use crate::platform::shards::Shards;
use crate::race::journal::append;
use crate::race::{Event, Newcomer, Race, RaceConfig};
use crate::store::fixture::Scratch;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant, UnixMillis};

/// The seed of every board.
const SEED: &str = "friday";
/// When heats end, in milliseconds since 1970.
const ENDED: UnixMillis = UnixMillis(1_795_219_200_000);

/// A room, and its journal.
struct TestRoom {
    persisted: PersistedRoom,
    journal: Arc<Journal>,
    waker: Arc<TaskWaker>,
    now: u64,
}

impl TestRoom {
    fn open(store: &Store, code: &str) -> Self {
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        let secret = Rng::default().secret(Some(SEED.parse().unwrap())).into();
        let config = RaceConfig::new(code.parse().unwrap(), ServerInstant(0), options, secret);
        let persisted = PersistedRoom::new(Race::new(config).unwrap());
        let waker = waker();
        let journal = store.begin(&persisted, Arc::clone(&waker), false).unwrap().0;
        Self { persisted, journal, waker, now: 0 }
    }

    /// Applies an event and appends it to the journal.
    fn apply(&mut self, event: Event) -> JournalSeq {
        let (entry, _) = self.apply_unrecorded(event);
        self.journal.append(&entry, None)
    }

    /// Applies an event; returns its entry, and the replay of the heat that it ended.
    fn apply_unrecorded(&mut self, event: Event) -> (Vec<u8>, Option<Replay>) {
        self.now += 10;
        let mut entry = Vec::new();
        append(&mut entry, HeatInstant(self.now), &event).unwrap();
        let (_, recorded) = self.persisted.apply(HeatInstant(self.now), event);
        (entry, recorded.replay)
    }

    fn join(&mut self, name: &str) -> JournalSeq {
        self.join_with(name, None)
    }

    fn join_with(&mut self, name: &str, identity: Option<Fingerprint>) -> JournalSeq {
        let newcomer = Newcomer { identity, ..Newcomer::person(name.parse().unwrap()) };
        let (id, token) = (self.persisted.new_id(), Rng::default().token().hash());
        self.apply(Event::Join { id, newcomer, token })
    }

    /// Races until all players have given up; returns the entry of the end, which isn't appended,
    /// and the replay.
    fn race(&mut self) -> (Vec<u8>, Replay) {
        let by = PlayerId(1);
        self.apply(Event::Start { by });
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        let outcome = Ok(spec.board(&SEED.parse().unwrap()).into());
        self.apply(Event::Drawn { ticket: 1, outcome });
        self.now += 5_000;
        self.apply(Event::Tick);
        for player in self.persisted.race.roster().members.iter().skip(1) {
            self.apply(Event::GiveUp { by: player.id });
        }
        let (entry, replay) = self.apply_unrecorded(Event::GiveUp { by });
        (entry, replay.unwrap())
    }

    /// Returns the archive record of the heat that is over.
    fn record(&self, tag: u16, replay: Option<Vec<u8>>) -> ArchiveRecord {
        let record = self.persisted.race.record().unwrap();
        ArchiveRecord::Finished(Box::new(FinishedHeat::new(&record, ENDED, tag, replay)))
    }

    /// Waits until an entry is on the disk, or never will be.
    async fn settled(&self, seq: JournalSeq) {
        while !self.journal.is_settled(seq) {
            self.waker.woken().await;
        }
    }

    fn checkpoint(&self) -> Vec<u8> {
        checkpoint(&self.persisted).unwrap()
    }
}

fn waker() -> Arc<TaskWaker> {
    TaskWaker::new(Shards::none().assign())
}

fn codes(rooms: &[RecoveredRoom]) -> Vec<String> {
    rooms.iter().map(|room| room.code.to_string()).collect()
}

#[tokio::test]
async fn rooms_are_recovered_as_they_were() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut rooms = ["BCDF", "KQZT"].map(|code| TestRoom::open(&store, code));
    for room in &mut rooms {
        room.join("Anna");
        let seq = room.join("Ben");
        room.settled(seq).await;
        room.join("Cleo");
    }
    let (_store, found) = scratch.reopen(store);
    assert_eq!(codes(&found), ["BCDF", "KQZT"]);
    for (room, found) in rooms.iter().zip(&found) {
        assert_eq!(checkpoint(&found.persisted).unwrap(), room.checkpoint());
        assert_eq!(found.persisted.new_id().0, 4);
    }
}

#[tokio::test]
async fn a_checkpoint_replaces_the_entries_before_it_and_a_closed_room_is_gone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let [mut anna, mut ben] = ["KQZT", "BCDF"].map(|code| TestRoom::open(&store, code));
    for round in 0..3 {
        for room in [&mut anna, &mut ben] {
            let seq = room.join(&format!("Number {round}"));
            room.settled(seq).await;
        }
    }
    let seq = anna.journal.checkpoint(anna.checkpoint());
    anna.settled(seq).await;
    anna.join("Dora");
    ben.journal.close();
    let (store, found) = scratch.reopen(store);
    assert_eq!(codes(&found), ["KQZT"]);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), anna.checkpoint());
    // After its next checkpoint no room needs the records of both.
    anna.journal = store.resume(&found[0], Arc::clone(&anna.waker));
    let seq = anna.journal.checkpoint(anna.checkpoint());
    anna.settled(seq).await;
    store.close();
    let last = scratch.records().pop().unwrap();
    assert!(scratch.number("SELECT min(since) FROM heats") > last);
}

#[tokio::test]
async fn simultaneous_entries_share_a_commit() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let before = store.stats().commits;
    for number in 0..80 {
        room.join(&format!("Number {number}"));
    }
    let seq = room.join("Ben");
    room.settled(seq).await;
    let commits = store.stats().commits - before;
    // Two on an idle machine, twelve were seen on a busy one.
    assert!((1..=40).contains(&commits), "{commits}");
    assert_eq!(store.stats().waiting, 0);
}

#[tokio::test]
async fn pages_and_syncs_of_the_database_are_counted() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let before = store.stats();
    room.journal.close();
    store.close();
    let after = store.stats();
    assert!(after.syncs > before.syncs);
    let written = after.written - before.written;
    assert!((4_096..=9 * 4_096).contains(&written), "{written}");
}

#[tokio::test]
async fn finished_heats_of_one_tag_get_different_ids() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for replay in [Some(vec![1, 2, 3]), None] {
        let mut room = TestRoom::open(&store, "KQZT");
        room.join("Anna");
        let (end, _) = room.race();
        room.journal.append(&end, Some(room.record(0xffff, replay)));
        room.journal.close();
    }
    let (_store, found) = scratch.reopen(store);
    assert!(found.is_empty());
    let archive = scratch.archive();
    let listed: Vec<String> = archive.latest(9).unwrap().into_iter().map(|heat| heat.id).collect();
    assert_eq!(listed, ["KQZT-20261121-0000", "KQZT-20261121-ffff"]);
    assert_eq!(archive.replay("KQZT-20261121-ffff").unwrap(), Some(vec![1, 2, 3]));
    assert_eq!(archive.replay("KQZT-20261121-0000").unwrap(), None);
    assert_eq!(archive.replay("'; DROP TABLE finished").unwrap(), None);
}

#[tokio::test]
async fn a_replay_is_read_in_parts_and_a_private_room_s_only_by_the_keys_that_raced() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let [anna, ben] = ["ab", "cd"].map(|hex| Fingerprint::try_from(hex.repeat(16)).unwrap());
    let mut room = TestRoom::open(&store, "KQZT");
    room.join_with("Anna", Some(anna));
    let (end, _) = room.race();
    room.journal.append(&end, Some(room.record(0xffff, Some(vec![1, 2, 3, 4, 5]))));
    store.close();
    let archive = scratch.archive();
    let id = "KQZT-20261121-ffff";
    let part = |id, who, from| archive.replay_part(id, who, from, 3).unwrap();
    assert_eq!(part(id, None, 0), Some((5, vec![1, 2, 3])));
    assert_eq!(part(id, None, 3), Some((5, vec![4, 5])));
    assert_eq!(part(id, None, u32::MAX), Some((5, Vec::new())));
    assert_eq!(part("KQZT-20261121-0000", Some(anna), 0), None);

    let make_private = "UPDATE finished SET options = json_set(options, '$.private', json('true'))";
    scratch.connect().execute(make_private, ()).unwrap();
    assert_eq!(part(id, None, 0), None);
    assert_eq!(part(id, Some(ben), 0), None);
    assert_eq!(part(id, Some(anna), 3), Some((5, vec![4, 5])));
}

#[tokio::test]
async fn results_are_found_by_their_player_s_key() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let [anna, ben] = ["ab", "cd"].map(|hex| Fingerprint::try_from(hex.repeat(16)).unwrap());
    room.join_with("Anna", Some(anna));
    room.join("Cleo");
    let (end, _) = room.race();
    room.journal.append(&end, Some(room.record(0, None)));
    store.close();
    let results = scratch.archive().results_of(&anna, 9).unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!((results[0].name.as_str(), results[0].of), ("Anna", 2));
    assert_eq!(results[0].time, None);
    assert_eq!(scratch.archive().results_of(&ben, 9).unwrap(), []);
}

#[tokio::test]
async fn a_full_disk_stops_the_recording_and_not_the_rooms() {
    let scratch = Scratch::new();
    let store = scratch.small_store();
    scratch.fill();
    let mut recording = store.subscribe();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let before = room.checkpoint();
    let seq = room.journal.checkpoint(vec![7; 200_000]);
    room.settled(seq).await;
    recording.wait_for(|&records| !records).await.unwrap();
    let seq = room.join("Ben");
    assert!(room.journal.is_settled(seq), "nothing waits for a full disk");
    assert!(store.has_capacity());
    let (_, found) = scratch.reopen(store);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), before);
}

#[tokio::test]
async fn readers_of_the_database_delay_no_commit_and_its_lock_is_waited_for() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let other = scratch.connect();
    let count = |database: &Connection| -> i64 {
        database.query_row("SELECT count(*) FROM heats", (), |row| row.get(0)).unwrap()
    };
    let read = other.unchecked_transaction().unwrap();
    assert_eq!(count(&read), 1);
    let seq = room.join("Ben");
    room.settled(seq).await;
    drop(read);
    let copy = scratch.path().join("copy.db");
    other.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    assert_eq!(count(&Connection::open(copy).unwrap()), 1);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // An entry alone would go into the log, which isn't locked.
    let seq = room.journal.checkpoint(room.checkpoint());
    assert!(!room.journal.is_settled(seq));
    other.execute_batch("ROLLBACK").unwrap();
    room.settled(seq).await;
    assert!(!room.journal.is_lost());
}

#[tokio::test]
async fn an_unreadable_journal_is_set_aside_whole_and_the_others_are_recovered() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for code in ["KQZT", "BCDF", "GHJK", "MNPQ"] {
        TestRoom::open(&store, code).join("Anna");
    }
    store.close();
    drop(store);
    scratch.change(
        "UPDATE heats SET version = version + 1 WHERE code = 'KQZT';
         UPDATE heats SET checkpoint = x'00' WHERE code = 'BCDF';
         UPDATE heats SET code = '../x' WHERE code = 'GHJK';",
    );
    // `change` opened the store once already, and recovered all of them.
    let (_store, found) = scratch.open().unwrap();
    assert_eq!(codes(&found), ["MNPQ"]);
    let aside: Vec<(String, i64)> = scratch
        .connect()
        .prepare("SELECT why, length(entries) FROM aside ORDER BY id")
        .unwrap()
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(aside.len(), 3);
    assert!(aside[0].0.contains("version"), "{aside:?}");
    assert!(aside.iter().all(|&(_, entries)| entries > 0), "{aside:?}");
}

#[tokio::test]
async fn the_clock_continues_from_its_last_record() {
    let scratch = Scratch::new();
    let opened = open(scratch.path(), Environment::default()).unwrap();
    assert_eq!(opened.recovery.clock, ServerInstant(0));
    assert_eq!(opened.recovery.away, Millis(0));
    let clock = Clock::resume(ServerInstant(5_000_000_000));
    let (store, _) = opened.start(clock, Metrics::new().commits()).unwrap();
    let room = TestRoom::open(&store, "KQZT");
    drop((store, room));
    let clock = open(scratch.path(), Environment::default()).unwrap().recovery.clock;
    assert!(clock >= ServerInstant(5_000_000_000), "{clock:?}");
    assert!(clock < ServerInstant(5_100_000_000), "{clock:?}");
}
