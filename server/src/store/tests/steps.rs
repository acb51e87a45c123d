//! The writer's steps, one after another.

use super::*;
use crate::store::writer::Step;

const NEVER: Duration = Duration::from_secs(3_600);

/// A writer that takes a step when the test says so, and a heat's journal.
fn writer(scratch: &Scratch) -> (Writer, Arc<CommitQueue<Journal>>, Arc<Journal>) {
    let database = open(scratch.path(), Environment::default()).unwrap().database;
    let rows =
        Database::new(Environment::default(), database, scratch.path().to_owned(), Vec::new(), []);
    let shared = CommitQueue::new(Clock::start(), 1, Metrics::new().commits(), NEVER);
    let log = Journal::new(1, shared.epochs.present(), Arc::clone(&shared), waker());
    (Writer::new(rows, Arc::clone(&shared)), shared, log)
}

#[tokio::test]
async fn what_is_appended_while_a_group_is_on_its_way_goes_with_the_next() {
    let scratch = Scratch::new();
    let (mut writer, shared, log) = writer(&scratch);
    assert_eq!(writer.step(), Step::Wait(None));
    let first = log.append(b"first", None);
    assert_eq!(writer.step(), Step::Disk);
    let second = log.append(b"second", None);
    assert_eq!(writer.step(), Step::Disk);
    assert!(!log.is_settled(first), "it is on the disk, and nobody was told");
    assert_eq!(parts(&scratch), 1);
    shared.close();
    assert_eq!(writer.step(), Step::Disk);
    assert!(log.is_settled(first) && !log.is_settled(second));
    assert_eq!(writer.step(), Step::Disk);
    assert_eq!(writer.step(), Step::End);
    assert!(log.is_committed(second));
    assert_eq!(parts(&scratch), 2);
}

#[tokio::test]
async fn what_waits_when_the_store_is_given_up_is_not_written() {
    let scratch = Scratch::new();
    let (mut writer, shared, log) = writer(&scratch);
    let first = log.append(b"first", None);
    assert_eq!(writer.step(), Step::Disk);
    let second = log.append(b"second", None);
    log.fail_store(&StoreError::Stalled);
    // The disk answers at last.
    assert_eq!(writer.step(), Step::Disk);
    assert!(matches!(writer.step(), Step::Wait(Some(_))));
    assert!(log.is_committed(first) && !log.is_committed(second) && log.is_settled(second));
    assert_eq!(log.append(b"third", None), JournalSeq::default());
    shared.close();
    assert_eq!(writer.step(), Step::End);
    assert_eq!(parts(&scratch), 1);
}
