//! A disk that was full, and has room again.

use super::*;

/// A store that is full: whatever doesn't fit into eight pages more.
fn small(scratch: &Scratch) -> Arc<Store> {
    let opened = open(scratch.path(), Environment::default()).unwrap().retrying_soon();
    let pages: i64 =
        opened.database.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    opened.database.pragma_update(None, "max_page_count", pages + 8).unwrap();
    let commits = Metrics::new().commits();
    opened.start(Clock::start(), commits).unwrap().0
}

async fn until(store: &Store, records: bool) {
    let mut recording = store.subscribe();
    recording.wait_for(|&now| now == records).await.unwrap();
}

/// Begins another journal for a heat whose journal was lost.
fn resume(store: &Store, heat: &mut Heat) -> JournalSeq {
    let (code, moved) = (heat.persisted.race.code(), Arc::clone(&heat.moved));
    let (log, ticket) = store.begin(code, &heat.persisted, moved, true).unwrap();
    heat.log = log;
    ticket
}

#[tokio::test]
async fn heats_are_recorded_again_as_they_stand_and_those_that_are_gone_are_gone() {
    let scratch = Scratch::new();
    let store = small(&scratch);
    let [mut anna, ben] = ["KQZT", "BCDF"].map(|code| Heat::begin(&store, code));
    let ticket = anna.joins("Anna");
    anna.until(ticket).await;
    scratch.fill();
    let mut lost = Arc::clone(&anna.log);
    let ticket = lost.checkpoint(vec![7; 200_000]);
    anna.until(ticket).await;
    until(&store, false).await;
    anna.joins("Cleo");
    ben.log.close();
    let unrecorded = Heat::begin(&store, "GHJK");
    assert!(unrecorded.log.is_lost() && store.has_room());
    assert!(!store.stats().recording);

    scratch.make_room();
    until(&store, true).await;
    assert!(lost.is_lost() && unrecorded.log.is_lost());
    anna.joins("Dora");
    let ticket = resume(&store, &mut anna);
    std::mem::swap(&mut lost, &mut anna.log);
    anna.joins("Nobody");
    std::mem::swap(&mut lost, &mut anna.log);
    anna.until(ticket).await;
    assert!(anna.log.has_committed() && store.stats().recording);
    store.close_lost_rooms(waker());
    let fresh = Heat::begin(&store, "MNPQ");
    let (store, found) = scratch.reopen(store);
    let codes: Vec<String> = found.iter().map(|heat| heat.code.to_string()).collect();
    assert_eq!(codes, ["KQZT", "MNPQ"], "by their numbers");
    let names = found[0].persisted.race.roster().members;
    let names: Vec<&str> = names.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["Anna", "Cleo", "Dora"]);
    assert!(fresh.log.has_committed());
    // With the next group go the rows that nobody needs any more.
    let log = store.resume(&found[0], waker());
    log.set_standing_key("as it was".to_owned());
    store.close();
    assert_eq!(parts(&scratch), 0);
}

#[tokio::test]
async fn a_server_that_is_killed_before_it_has_swept_finds_each_heat_once() {
    let scratch = Scratch::new();
    let store = small(&scratch);
    let mut anna = Heat::begin(&store, "KQZT");
    let ticket = anna.joins("Anna");
    anna.until(ticket).await;
    anna.log.fail_store(&StoreError::Full);
    anna.joins("Ben");
    until(&store, true).await;
    let ticket = resume(&store, &mut anna);
    anna.until(ticket).await;
    let (_store, found) = scratch.reopen(store);
    assert_eq!(found.len(), 1);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), anna.bytes());
}

#[tokio::test]
async fn a_store_that_never_finds_room_still_closes() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let heat = Heat::begin(&store, "KQZT");
    scratch.fill();
    heat.log.fail_store(&StoreError::Stalled);
    until(&store, false).await;
    store.close();
    assert!(!store.stats().recording);
}

#[tokio::test]
async fn an_old_journal_gives_no_new_one_up() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    let lost = Arc::clone(&heat.log);
    lost.fail_store(&StoreError::Stalled);
    until(&store, true).await;
    let ticket = resume(&store, &mut heat);
    heat.until(ticket).await;
    lost.fail_store(&StoreError::Stalled);
    assert!(store.is_recording() && !heat.log.is_lost());
}
