//! The writer's steps, one after another.

use super::*;
use crate::store::writer::WriterStep;

const NEVER: Duration = Duration::from_secs(3_600);

/// Makes a writer whose steps the test takes, and a journal.
fn writer(scratch: &Scratch) -> (Writer, Arc<CommitQueue<Journal>>, Arc<Journal>) {
    let Opened { data_dir, database, recovery, environment, durability, keys, .. } =
        open(scratch.path(), Environment::default()).unwrap();
    let log = (recovery.log, recovery.next_record);
    let database =
        Database::new(environment, database, data_dir, keys, durability, log, &[]).unwrap();
    let queue = CommitQueue::new(Clock::start(), 1, Metrics::new().commits(), NEVER);
    let journal = Journal::new(1, queue.epochs.present(), Arc::clone(&queue), waker());
    (Writer::new(database, Arc::clone(&queue), None), queue, journal)
}

#[tokio::test]
async fn entries_appended_while_a_group_is_written_go_with_the_next_group() {
    let scratch = Scratch::new();
    let (mut writer, queue, journal) = writer(&scratch);
    assert!(matches!(writer.step(), WriterStep::Wait(Some(_))));
    let first = journal.append(b"first", None);
    assert_eq!(writer.step(), WriterStep::Disk);
    let second = journal.append(b"second", None);
    assert_eq!(writer.step(), WriterStep::Disk);
    assert!(!journal.is_settled(first), "it is on the disk, and not reported yet");
    assert_eq!(scratch.records(), [1]);
    queue.close();
    assert_eq!(writer.step(), WriterStep::Disk);
    assert!(journal.is_settled(first) && !journal.is_settled(second));
    assert_eq!(writer.step(), WriterStep::Disk);
    assert_eq!(writer.step(), WriterStep::End);
    assert!(journal.is_committed(second));
    assert_eq!(scratch.records(), [1, 2]);
}

#[tokio::test]
async fn entries_that_wait_when_the_store_fails_are_not_written() {
    let scratch = Scratch::new();
    let (mut writer, queue, journal) = writer(&scratch);
    let first = journal.append(b"first", None);
    assert_eq!(writer.step(), WriterStep::Disk);
    let second = journal.append(b"second", None);
    journal.fail_store(&StoreError::Stalled);
    // The disk responds at last.
    assert_eq!(writer.step(), WriterStep::Disk);
    assert!(matches!(writer.step(), WriterStep::Wait(Some(_))));
    assert!(
        journal.is_committed(first) && !journal.is_committed(second) && journal.is_settled(second)
    );
    assert_eq!(journal.append(b"third", None), JournalSeq::default());
    queue.close();
    assert_eq!(writer.step(), WriterStep::End);
    assert_eq!(scratch.records(), [1]);
}
