//! A disk that was full, and has space again.

use super::*;
use std::path::Path;

async fn until(store: &Store, records: bool) {
    let mut recording = store.subscribe();
    recording.wait_for(|&now| now == records).await.unwrap();
}

impl TestRoom {
    /// Begins another journal in place of a lost one.
    fn begin_again(&mut self, store: &Store) -> JournalSeq {
        let (journal, seq) = store.begin(&self.persisted, Arc::clone(&self.waker), true).unwrap();
        self.journal = journal;
        seq
    }
}

#[tokio::test]
async fn rooms_are_recorded_again_as_they_are_by_then_and_closed_ones_are_gone() {
    let scratch = Scratch::new();
    let store = scratch.small_store();
    let [mut anna, ben] = ["KQZT", "BCDF"].map(|code| TestRoom::open(&store, code));
    let seq = anna.join("Anna");
    anna.settled(seq).await;
    scratch.fill();
    let mut lost = Arc::clone(&anna.journal);
    let seq = lost.checkpoint(vec![7; 200_000]);
    anna.settled(seq).await;
    until(&store, false).await;
    anna.join("Cleo");
    ben.journal.close();
    let unrecorded = TestRoom::open(&store, "GHJK");
    assert!(unrecorded.journal.is_lost() && store.has_capacity());
    assert!(!store.stats().recording);

    scratch.make_room();
    until(&store, true).await;
    assert!(lost.is_lost() && unrecorded.journal.is_lost());
    anna.join("Dora");
    let seq = anna.begin_again(&store);
    std::mem::swap(&mut lost, &mut anna.journal);
    anna.join("Nobody");
    std::mem::swap(&mut lost, &mut anna.journal);
    anna.settled(seq).await;
    assert!(anna.journal.has_committed() && store.stats().recording);
    store.close_lost_rooms(waker());
    let fresh = TestRoom::open(&store, "MNPQ");
    let (_store, found) = scratch.reopen(store);
    assert_eq!(codes(&found), ["KQZT", "MNPQ"]);
    let names = found[0].persisted.race.roster().members;
    let names: Vec<&str> = names.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["Anna", "Cleo", "Dora"]);
    assert!(fresh.journal.has_committed());
    let needed = scratch.number("SELECT min(since) FROM heats");
    assert!(scratch.records().iter().all(|&record| record < needed), "of no use any more");
}

#[tokio::test]
async fn a_server_that_is_killed_before_it_closed_lost_rooms_recovers_each_room_once() {
    let scratch = Scratch::new();
    let store = scratch.small_store();
    let mut anna = TestRoom::open(&store, "KQZT");
    let seq = anna.join("Anna");
    anna.settled(seq).await;
    anna.journal.fail_store(&StoreError::Full);
    anna.join("Ben");
    until(&store, true).await;
    let seq = anna.begin_again(&store);
    anna.settled(seq).await;
    let (_store, found) = scratch.reopen(store);
    assert_eq!(found.len(), 1);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), anna.checkpoint());
}

#[tokio::test]
async fn a_store_that_never_records_again_still_closes() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let room = TestRoom::open(&store, "KQZT");
    scratch.fill();
    room.journal.fail_store(&StoreError::Stalled);
    until(&store, false).await;
    store.close();
    assert!(!store.stats().recording);
}

/// Opens a store with an operator's key; returns the key's fingerprint.
fn store_with_an_operator(scratch: &Scratch) -> (Arc<Store>, Fingerprint) {
    let mut opened = open(scratch.path(), Environment::default()).unwrap().retrying_soon();
    let operator = opened.operator_key().unwrap().fingerprint;
    (opened.start(Clock::start(), Metrics::new().commits()).unwrap().0, operator)
}

#[tokio::test]
async fn files_that_are_removed_while_the_server_runs_are_missed_and_made_again() {
    type Damage = fn(&Scratch);
    let damages: [Damage; 4] = [
        |scratch| std::fs::remove_file(scratch.database()).unwrap(),
        |scratch| {
            let elsewhere = scratch.path().with_file_name("elsewhere");
            std::fs::rename(scratch.path(), elsewhere).unwrap();
        },
        |scratch| {
            // Removed in place, it may get a file while it is emptied: the store still writes.
            let elsewhere = scratch.path().with_file_name("elsewhere");
            std::fs::rename(scratch.path(), &elsewhere).unwrap();
            std::fs::remove_dir_all(elsewhere).unwrap();
        },
        |scratch| {
            // The one that is written is the last.
            let names = std::fs::read_dir(scratch.path()).unwrap().map(|file| file.unwrap().path());
            let is_segment =
                |path: &std::path::PathBuf| path.to_string_lossy().contains("/journal-");
            std::fs::remove_file(names.filter(is_segment).max().unwrap()).unwrap();
        },
    ];
    for damage in damages {
        let scratch = Scratch::new();
        let (store, operator) = store_with_an_operator(&scratch);
        let mut room = TestRoom::open(&store, "KQZT");
        let seq = room.join("Anna");
        room.settled(seq).await;
        let signer = store.server_key().fingerprint();
        damage(&scratch);
        until(&store, false).await;
        until(&store, true).await;
        let seq = room.begin_again(&store);
        room.settled(seq).await;
        let seq = room.join("Ben");
        room.settled(seq).await;
        store.close_lost_rooms(waker());
        assert!(matches!(scratch.open(), Err(StoreError::InUse(_))), "it is locked");
        let (store, found) = scratch.reopen(store);
        assert_eq!(codes(&found), ["KQZT"]);
        assert_eq!(checkpoint(&found[0].persisted).unwrap(), room.checkpoint());
        assert!(!found[0].is_damaged);
        assert_eq!(store.server_key().fingerprint(), signer);
        store.close();
        drop(store);
        assert_eq!(store_with_an_operator(&scratch).1, operator);
    }
}

/// Returns a store that has recorded the result of a heat, and the heat's room.
async fn store_with_a_result(scratch: &Scratch) -> (Arc<Store>, TestRoom) {
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    room.join("Anna");
    let (end, _) = room.race();
    let seq = room.journal.append(&end, Some(room.record(1, Some(vec![7]))));
    room.settled(seq).await;
    (store, room)
}

/// Counts the finished heats in a database, which must be sound.
fn count_finished(database: &Path) -> i64 {
    let database = Connection::open(database).unwrap();
    let sound: String = database.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    database.query_row("SELECT count(*) FROM finished", (), |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_database_that_is_renamed_or_replaced_while_the_server_runs_is_complete() {
    let scratch = Scratch::new();
    let (store, room) = store_with_a_result(&scratch).await;
    let [renamed, backup] = ["old.db", "backup.db"].map(|name| scratch.path().join(name));
    std::fs::rename(scratch.database(), &renamed).unwrap();
    until(&store, false).await;
    until(&store, true).await;
    assert_eq!((count_finished(&renamed), count_finished(&scratch.database())), (1, 0));

    // The server has begun another database, which a backup replaces.
    let database = Connection::open(&renamed).unwrap();
    database.execute("VACUUM INTO ?1", [backup.to_str().unwrap()]).unwrap();
    room.journal.close();
    std::fs::rename(&backup, scratch.database()).unwrap();
    until(&store, false).await;
    until(&store, true).await;
    store.close();
    assert_eq!(count_finished(&scratch.database()), 1);
}

#[tokio::test]
async fn the_log_of_a_renamed_database_that_another_program_reads_is_set_aside() {
    let scratch = Scratch::new();
    let (store, _room) = store_with_a_result(&scratch).await;
    let reader = scratch.connect();
    let read = reader.unchecked_transaction().unwrap();
    read.query_row("SELECT count(*) FROM finished", (), |_| Ok(())).unwrap();
    let [renamed, aside] =
        ["old.db", "aside-gridrace.db-wal"].map(|name| scratch.path().join(name));
    std::fs::rename(scratch.database(), &renamed).unwrap();
    until(&store, false).await;
    until(&store, true).await;
    drop(read);
    drop(reader);
    std::fs::rename(aside, scratch.path().join("old.db-wal")).unwrap();
    assert_eq!(count_finished(&renamed), 1);
}

#[tokio::test]
async fn a_database_that_is_renamed_as_the_server_ends_is_complete() {
    let scratch = Scratch::new();
    let (store, _room) = store_with_a_result(&scratch).await;
    let renamed = scratch.path().join("old.db");
    let killed = scratch.killed();
    std::fs::rename(scratch.database(), &renamed).unwrap();
    store.close();
    assert_eq!(count_finished(&renamed), 1);

    // The next one starts without the database.
    let [renamed, aside, log] =
        ["old.db", "aside-gridrace.db-wal", "old.db-wal"].map(|name| killed.path().join(name));
    std::fs::rename(killed.database(), &renamed).unwrap();
    drop(killed.open().unwrap());
    std::fs::rename(aside, log).unwrap();
    assert_eq!(count_finished(&renamed), 1);
}

#[tokio::test]
async fn a_server_whose_lock_is_removed_leaves_the_folder_to_the_next_one() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    std::fs::remove_file(scratch.path().join("lock")).unwrap();
    let (next, mut found) = scratch.open().unwrap();
    until(&store, false).await;
    room.join("Ben");
    assert!(room.journal.is_lost());
    // The next server's is recorded.
    room.journal = next.resume(&found[0], Arc::clone(&room.waker));
    room.persisted = found.remove(0).persisted;
    let seq = room.join("Cleo");
    room.settled(seq).await;
    next.close();
    drop(next);
    store.close();
    drop(store);
    let found = scratch.open().unwrap().1;
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), room.checkpoint());
    assert!(!found[0].is_damaged);
}
