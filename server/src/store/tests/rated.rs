//! The rating of a board that becomes known after the end of its heat.

use super::*;
use crate::store::commit_queue::{GroupPacer, NextAction};
use crate::store::journal::JournalChange;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::replay::{ServerKey, SignatureCheck, verify};

const BEST: MoveBounds = MoveBounds { at_least: 3, at_most: 9 };

/// Opens a room with a heat that is over, all of which is recorded.
fn over(store: &Store, code: &str) -> TestRoom {
    let mut room = TestRoom::open(store, code);
    room.join("Anna");
    let (end, replay) = room.race();
    room.journal.append(&end, Some(room.record(7, Some(replay.sign(store.server_key())))));
    room
}

impl TestRoom {
    /// Applies the rating; returns its entry and its archive record.
    fn rate(&mut self, store: &Store) -> (Vec<u8>, Option<ArchiveRecord>) {
        let (entry, _) = self.apply_unrecorded(Event::Rated { number: 1, best: BEST });
        let result = self.persisted.race.result().unwrap();
        let (number, best) = (self.persisted.race.number(), result.best.unwrap());
        let rating = HeatRating::new(number, best, result, store.server_key());
        (entry, Some(ArchiveRecord::Rated(rating)))
    }
}

/// Returns the rating in the result and in the replay of a room's only heat.
fn stored(scratch: &Scratch, code: &str) -> (Option<MoveBounds>, Option<MoveBounds>) {
    let (result, replay, signature) = stored_and_signed(scratch, code);
    assert!(matches!(signature, SignatureCheck::Valid(_)), "{signature:?}");
    (result, replay)
}

/// Returns the same, and who vouches for the replay.
fn stored_and_signed(
    scratch: &Scratch,
    code: &str,
) -> (Option<MoveBounds>, Option<MoveBounds>, SignatureCheck) {
    let archive = scratch.archive();
    let listed = archive.latest(9).unwrap();
    let heat = listed.iter().find(|heat| heat.code == code).unwrap();
    let result: HeatResult = serde_json::from_str(&heat.result).unwrap();
    let file = archive.replay(&heat.id).unwrap().unwrap();
    let verdict = verify(&file).unwrap();
    assert_eq!(verdict.errors, []);
    (result.best, verdict.replay.outcome.best, verdict.signature)
}

#[tokio::test]
async fn it_is_stored_in_the_result_and_in_the_replay_of_that_heat_alone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let (mut anna, _ben) = (over(&store, "KQZT"), over(&store, "BCDF"));
    assert_eq!(anna.persisted.race.result().unwrap().best, None);
    let (entry, rating) = anna.rate(&store);
    let seq = anna.journal.append(&entry, rating);
    anna.settled(seq).await;
    store.close();
    assert_eq!(stored(&scratch, "KQZT"), (Some(BEST), Some(BEST)));
    assert_eq!(stored(&scratch, "BCDF"), (None, None));
}

#[tokio::test]
async fn a_replay_is_signed_again_by_the_server_that_signed_it_alone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let foreign = ServerKey::from_bytes([7; 32]);
    for code in ["KQZT", "BCDF"] {
        let mut room = TestRoom::open(&store, code);
        room.join("Anna");
        let (end, replay) = room.race();
        let file = if code == "KQZT" { replay.sign(&foreign) } else { replay.encode() };
        room.journal.append(&end, Some(room.record(7, Some(file))));
        let (entry, rating) = room.rate(&store);
        let seq = room.journal.append(&entry, rating);
        room.settled(seq).await;
    }
    store.close();
    let theirs = SignatureCheck::Valid(foreign.fingerprint());
    assert_eq!(stored_and_signed(&scratch, "KQZT"), (Some(BEST), None, theirs));
    let unsigned = (Some(BEST), Some(BEST), SignatureCheck::Unsigned);
    assert_eq!(stored_and_signed(&scratch, "BCDF"), unsigned);
}

#[tokio::test]
async fn a_room_whose_journal_was_begun_anew_stores_it() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = over(&store, "KQZT");
    room.journal = store.begin(&room.persisted, Arc::clone(&room.waker), true).unwrap().0;
    let (entry, rating) = room.rate(&store);
    room.journal.append(&entry, rating);
    store.close();
    assert_eq!(stored(&scratch, "KQZT"), (Some(BEST), Some(BEST)));
}

#[tokio::test]
async fn the_server_after_one_that_was_killed_stores_it() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = over(&store, "KQZT");
    let (store, mut found) = scratch.reopen(store);
    let found = found.pop().unwrap();
    room.journal = store.resume(&found, Arc::clone(&room.waker));
    room.persisted = found.persisted;
    let (entry, rating) = room.rate(&store);
    room.journal.append(&entry, rating);
    // A later room has another number, even after this one is closed.
    room.journal.close();
    let (store, _) = scratch.reopen(store);
    let later = over(&store, "BCDF");
    assert_ne!(later.journal.id, room.journal.id);
    store.close();
    assert_eq!(stored(&scratch, "KQZT"), (Some(BEST), Some(BEST)));
    assert_eq!(stored(&scratch, "BCDF"), (None, None));
}

#[tokio::test]
async fn an_unreadable_replay_and_an_unknown_heat_are_left_alone() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    room.join("Anna");
    let (end, _) = room.race();
    room.journal.append(&end, Some(room.record(0xffff, Some(vec![1, 2, 3]))));
    let other = TestRoom::open(&store, "BCDF");
    other.journal.append(&[], room.rate(&store).1);
    let (entry, rating) = room.rate(&store);
    let seq = room.journal.append(&entry, rating);
    room.settled(seq).await;
    assert!(!room.journal.is_lost());
    store.close();
    let archive = scratch.archive();
    let listed = archive.latest(9).unwrap();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].result.contains("\"at_least\":3"), "{listed:?}");
    let file = archive.replay(&listed[0].id).unwrap().unwrap();
    assert_eq!(file, [1, 2, 3]);
}

#[tokio::test]
async fn an_event_and_its_archive_record_are_written_together() {
    let scratch = Scratch::new();
    let mut room = TestRoom::open(&scratch.store(), "KQZT");
    room.join("Anna");
    room.race();
    // A queue without a writer.
    let commits = Metrics::new().commits();
    let queue = CommitQueue::new(Clock::start(), 1, commits, Duration::ZERO);
    let journal = Journal::new(1, queue.epochs.present(), Arc::clone(&queue), waker());
    journal.append(b"the last move", Some(room.record(7, None)));
    let NextAction::Write(queued) = queue.next_action(&GroupPacer::default()) else {
        panic!("nothing waits");
    };
    assert_eq!(queued.len(), 1);
    let batch = queued.into_iter().next().unwrap().take();
    let changes = &batch.changes[..];
    assert!(
        matches!(
            changes,
            [JournalChange::Entries(_), JournalChange::Archive(ArchiveRecord::Finished(_))]
        ),
        "{changes:?}"
    );
    assert_eq!(batch.seq, 1, "nothing can wait for one of them alone");
}
