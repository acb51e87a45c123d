//! The store by itself: what it keeps, and what it doesn't take.

mod again;
mod faults;
mod layouts;
mod rated;
mod steps;

use super::*;
use crate::platform::environment::Environment;
use crate::platform::rng::Rng;
use crate::platform::shards::Shards;
use crate::race::journal::append;
use crate::race::{Event, Newcomer, Race, RaceConfig};
use crate::store::fixture::Scratch;
use crate::telemetry::metrics::Metrics;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::replay::Replay;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant, UnixMillis};

/// What every heat here is drawn from.
const SEED: &str = "friday";

/// A heat, and what keeps it.
struct Heat {
    persisted: PersistedRoom,
    log: Arc<Journal>,
    moved: Arc<RoomWaker>,
    now: u64,
}

impl Heat {
    fn begin(store: &Store, code: &str) -> Self {
        let config = RaceConfig {
            code: code.parse().unwrap(),
            epoch: ServerInstant(0),
            options: HeatOptions::new("slide:3x3".parse().unwrap()),
            secret: Rng::default().secret(Some(SEED.parse().unwrap())).into(),
            pin: None,
        };
        let persisted = PersistedRoom::new(Race::new(config).unwrap());
        let moved = waker();
        let log =
            store.begin(code.parse().unwrap(), &persisted, Arc::clone(&moved), false).unwrap().0;
        Self { persisted, log, moved, now: 0 }
    }

    fn does(&mut self, event: Event) -> JournalSeq {
        let (entry, _) = self.happens(event);
        self.log.append(&entry, None)
    }

    /// Lets something happen of which nothing is recorded; returns the entry that would be.
    fn happens(&mut self, event: Event) -> (Vec<u8>, Option<Replay>) {
        self.now += 10;
        let mut entry = Vec::new();
        append(&mut entry, HeatInstant(self.now), &event).unwrap();
        let (_, replay) = self.persisted.apply(HeatInstant(self.now), event);
        (entry, replay)
    }

    fn ends(&self, finished: FinishedHeat) -> JournalSeq {
        let lasting = ArchiveRecord::Finished(Box::new(finished));
        self.log.append(&[], Some(lasting))
    }

    fn joins(&mut self, name: &str) -> JournalSeq {
        let (id, name) = (self.persisted.new_id(), name.parse().unwrap());
        self.does(Event::Join {
            id,
            newcomer: Newcomer::person(name),
            token: Rng::default().token().hash(),
        })
    }

    /// Plays a heat of which nothing is recorded but its end.
    fn races(&mut self) -> FinishedHeat {
        let by = gridrace_shared::heat::ids::PlayerId(1);
        self.does(Event::Start { by });
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        let outcome = Ok(spec.board(&"seed".parse().unwrap()).into());
        self.does(Event::Drawn { ticket: 1, outcome });
        self.now += 5_000;
        self.does(Event::Tick);
        let players = self.persisted.race.roster().members;
        for player in players {
            self.does(Event::GiveUp { by: player.id });
        }
        let record = self.persisted.race.record().unwrap();
        FinishedHeat::new(&record, UnixMillis(1_795_219_200_000), 0xffff, Some(vec![1, 2, 3]))
    }

    async fn until(&self, ticket: JournalSeq) {
        while !self.log.is_settled(ticket) {
            self.moved.woken().await;
        }
    }

    fn bytes(&self) -> Vec<u8> {
        checkpoint(&self.persisted).unwrap()
    }
}

/// What wakes a heat's task, here.
fn waker() -> Arc<RoomWaker> {
    RoomWaker::new(Shards::none().assign())
}

fn parts(scratch: &Scratch) -> i64 {
    let database = Connection::open(scratch.database()).unwrap();
    database.query_row("SELECT count(*) FROM journal", (), |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn heats_come_back_as_they_were() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heats = ["KQZT", "BCDF"].map(|code| Heat::begin(&store, code));
    for heat in &mut heats {
        heat.joins("Anna");
        let ticket = heat.joins("Ben");
        heat.until(ticket).await;
        heat.joins("Cleo");
    }
    let (_store, mut found) = scratch.reopen(store);
    found.sort_by_key(|heat| heat.id);
    assert_eq!(found.len(), 2);
    for (heat, found) in heats.iter().zip(&found) {
        assert_eq!(checkpoint(&found.persisted).unwrap(), heat.bytes());
        assert_eq!(found.persisted.new_id().0, 4);
    }
}

#[tokio::test]
async fn a_checkpoint_stands_for_what_came_before_and_a_closed_heat_is_gone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let [mut anna, mut ben] = ["KQZT", "BCDF"].map(|code| Heat::begin(&store, code));
    for round in 0..3 {
        for heat in [&mut anna, &mut ben] {
            let ticket = heat.joins(&format!("Number {round}"));
            heat.until(ticket).await;
        }
    }
    let ticket = anna.log.checkpoint(anna.bytes());
    anna.until(ticket).await;
    anna.joins("Dora");
    ben.log.close();
    let (store, found) = scratch.reopen(store);
    assert_eq!(found.len(), 1);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), anna.bytes());
    // Once it has its checkpoint, the rows of both are outlived.
    let moved = waker();
    let log = store.resume(&found[0], Arc::clone(&moved));
    for _ in 0..2 {
        let ticket = log.checkpoint(anna.bytes());
        while !log.is_settled(ticket) {
            moved.woken().await;
        }
    }
    store.close();
    assert_eq!(parts(&scratch), 0);
}

#[tokio::test]
async fn what_comes_together_shares_a_commit() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    let ticket = heat.joins("Anna");
    heat.until(ticket).await;
    let before = store.stats().commits;
    for number in 0..20 {
        heat.joins(&format!("Number {number}"));
    }
    let ticket = heat.joins("Ben");
    assert!(!heat.log.is_settled(ticket), "nothing is said before it is on the disk");
    heat.until(ticket).await;
    let commits = store.stats().commits - before;
    // Two where nothing holds the test up.
    assert!((1..=10).contains(&commits), "{commits}");
    assert_eq!(store.stats().waiting, 0);
}

#[tokio::test]
async fn results_are_kept_under_names_of_their_own() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    heat.joins("Anna");
    let finished = heat.races();
    heat.ends(finished);
    let again = FinishedHeat::new(
        &heat.persisted.race.record().unwrap(),
        UnixMillis(1_795_219_200_001),
        0xffff,
        None,
    );
    heat.ends(again);
    heat.log.close();
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
async fn whoever_holds_a_key_finds_their_results() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    let [anna, ben] = ["ab", "cd"].map(|hex| Fingerprint::try_from(hex.repeat(16)).unwrap());
    for (name, identity) in [("Anna", Some(anna)), ("Cleo", None)] {
        let newcomer = Newcomer { identity, ..Newcomer::person(name.parse().unwrap()) };
        let (id, token) = (heat.persisted.new_id(), Rng::default().token().hash());
        heat.does(Event::Join { id, newcomer, token });
    }
    let finished = heat.races();
    heat.ends(finished);
    store.close();
    let results = scratch.archive().results_of(&anna, 9).unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!((results[0].name.as_str(), results[0].of), ("Anna", 2));
    assert_eq!(results[0].time, None);
    assert_eq!(scratch.archive().results_of(&ben, 9).unwrap(), []);
}

#[tokio::test]
async fn a_full_disk_stops_the_recording_and_not_the_heats() {
    let scratch = Scratch::new();
    let opened = open(scratch.path(), Environment::default()).unwrap();
    let pages: i64 =
        opened.database.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    opened.database.pragma_update(None, "max_page_count", pages + 8).unwrap();
    let (store, _) = opened.start(Clock::start(), Metrics::new().commits()).unwrap();
    let mut recording = store.subscribe();
    let mut heat = Heat::begin(&store, "KQZT");
    let ticket = heat.joins("Anna");
    heat.until(ticket).await;
    let before = heat.bytes();
    let ticket = heat.log.checkpoint(vec![7; 200_000]);
    heat.until(ticket).await;
    recording.wait_for(|&records| !records).await.unwrap();
    let ticket = heat.joins("Ben");
    assert!(heat.log.is_settled(ticket), "nobody waits for a disk that is full");
    assert!(store.has_room());
    let (_, found) = scratch.reopen(store);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), before);
}

#[tokio::test]
async fn who_reads_the_database_by_hand_holds_nobody_up_and_who_locks_it_is_waited_for() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    let ticket = heat.joins("Anna");
    heat.until(ticket).await;
    let other = Connection::open(scratch.database()).unwrap();
    let reads = other.unchecked_transaction().unwrap();
    let heats: i64 = reads.query_row("SELECT count(*) FROM heats", (), |row| row.get(0)).unwrap();
    assert_eq!(heats, 1);
    let ticket = heat.joins("Ben");
    heat.until(ticket).await;
    drop(reads);
    let copy = scratch.path().join("copy.db");
    other.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let copied: i64 = Connection::open(copy)
        .unwrap()
        .query_row("SELECT count(*) FROM heats", (), |row| row.get(0))
        .unwrap();
    assert_eq!(copied, 1);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ticket = heat.joins("Cleo");
    assert!(!heat.log.is_settled(ticket));
    other.execute_batch("ROLLBACK").unwrap();
    heat.until(ticket).await;
    assert!(!heat.log.is_lost());
}

#[tokio::test]
async fn a_journal_that_can_t_be_read_is_set_aside_whole_and_the_others_go_on() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heats = ["KQZT", "BCDF", "GHJK", "MNPQ"].map(|code| Heat::begin(&store, code));
    for heat in &mut heats {
        heat.joins("Anna");
    }
    store.close();
    drop(store);
    scratch.change(
        "UPDATE heats SET version = version + 1 WHERE code = 'KQZT';
         UPDATE heats SET checkpoint = x'00' WHERE code = 'BCDF';
         UPDATE heats SET code = '../x' WHERE code = 'GHJK';",
    );
    // Changing it opened the store once already, which found all of them whole.
    let (_store, found) = scratch.open().unwrap();
    let codes: Vec<String> = found.iter().map(|heat| heat.code.to_string()).collect();
    assert_eq!(codes, ["MNPQ"]);
    let database = Connection::open(scratch.database()).unwrap();
    let aside: Vec<(String, String, i64)> = database
        .prepare("SELECT code, why, length(entries) FROM aside ORDER BY id")
        .unwrap()
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(aside.len(), 3);
    assert!(aside[0].1.contains("version"), "{aside:?}");
    assert!(aside.iter().all(|&(_, _, entries)| entries > 0), "{aside:?}");
}

#[tokio::test]
async fn the_clock_goes_on_where_it_stood() {
    let scratch = Scratch::new();
    let opened = open(scratch.path(), Environment::default()).unwrap();
    assert_eq!((opened.clock, opened.away), (ServerInstant(0), Millis(0)));
    let (store, _) = opened
        .start(Clock::resume(ServerInstant(5_000_000_000)), Metrics::new().commits())
        .unwrap();
    let heat = Heat::begin(&store, "KQZT");
    drop((store, heat));
    let opened = open(scratch.path(), Environment::default()).unwrap();
    assert!(opened.clock >= ServerInstant(5_000_000_000), "{:?}", opened.clock);
    assert!(opened.clock < ServerInstant(5_100_000_000), "{:?}", opened.clock);
}
