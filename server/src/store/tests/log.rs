//! The journal log: kills in the middle of a group, damage, and files that are used again.

use super::*;
use crate::store::journal::Batch;
use crate::store::journal_log::{JournalLog, LogEnd, SEGMENT_BYTES};
use crate::store::journal_record::LogId;
use std::fs;

/// A block of a disk, which is also a page of the database.
const BLOCK: usize = 4_096;
/// A page in the log that SQLite leaves, with its header.
const FRAME: usize = 24 + BLOCK;

/// Returns the names of a room's members.
fn names(room: &RecoveredRoom) -> Vec<String> {
    let members = room.persisted.race.roster().members;
    members.into_iter().map(|member| member.name.as_str().to_owned()).collect()
}

/// Three rooms, the entries of each of which are records of their own.
async fn three_rooms() -> (Scratch, Arc<Store>, [TestRoom; 3]) {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut rooms = ["BCDF", "KQZT", "MNPQ"].map(|code| TestRoom::open(&store, code));
    for (room, name) in
        [(0, "Anna"), (1, "Ben"), (0, "Cleo"), (1, "Dora"), (2, "Emil"), (0, "Fritz")]
    {
        let seq = rooms[room].join(name);
        rooms[room].settled(seq).await;
    }
    (scratch, store, rooms)
}

#[tokio::test]
async fn damage_in_the_middle_is_told_apart_from_a_torn_end() {
    let (scratch, _store, _rooms) = three_rooms().await;
    let last = scratch.records().pop().unwrap();
    let whole: [&[&str]; 3] = [&["Anna", "Cleo", "Fritz"], &["Ben", "Dora"], &["Emil"]];
    for (flipped, damaged, left) in [
        (None, [false; 3], whole),
        // Cleo's: what follows in her room doesn't follow what is left.
        (Some(last - 3), [true, false, false], [&["Anna"], whole[1], whole[2]]),
        // Emil's: who can say whether it was of the second room?
        (Some(last - 1), [false, true, true], [whole[0], whole[1], &[]]),
        // The last one may have been written when the server was killed.
        (Some(last), [false; 3], [&["Anna", "Cleo"], whole[1], whole[2]]),
    ] {
        let killed = scratch.killed();
        flipped.inspect(|&number| killed.flip_bit(number));
        let found = killed.open().unwrap().1;
        let is_damaged = found.iter().map(|room| room.is_damaged).collect::<Vec<_>>();
        assert_eq!(is_damaged, damaged, "{flipped:?}");
        assert_eq!(found.iter().map(names).collect::<Vec<_>>(), left, "{flipped:?}");
        let copies = fs::read_dir(killed.path()).unwrap().filter(|file| {
            let name = file.as_ref().unwrap().file_name();
            name.to_str().unwrap().starts_with("aside-journal-")
        });
        assert_eq!(copies.count(), usize::from(damaged.contains(&true)), "{flipped:?}");
    }
}

#[tokio::test]
async fn the_end_of_a_log_that_was_closed_is_missed() {
    let (scratch, store, _rooms) = three_rooms().await;
    store.close();
    drop(store);
    let last = scratch.records().pop().unwrap();
    scratch.flip_bit(last);
    let found = scratch.open().unwrap().1;
    assert!(found[0].is_damaged);
    assert_eq!(names(&found[0]), ["Anna", "Cleo"]);
}

#[tokio::test]
async fn a_database_without_its_journal_is_a_backup_and_not_damaged() {
    let (scratch, store, _rooms) = three_rooms().await;
    store.close();
    drop(store);
    scratch.segments().iter().for_each(|segment| fs::remove_file(segment).unwrap());
    let path = scratch.path().with_extension("log");
    let log = Arc::new(fs::File::create(&path).unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(log).finish();
    let (store, found) = tracing::subscriber::with_default(subscriber, || scratch.open().unwrap());
    let log = fs::read_to_string(path).unwrap();
    assert!(log.contains("WARN") && log.contains("a backup without its journal"), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
    // Members are told that moves may be lost.
    assert!(found.iter().any(|room| room.is_damaged));
    // Checkpoints alone don't show whether entries followed them.
    store.close();
    drop(store);
    scratch.segments().iter().for_each(|segment| fs::remove_file(segment).unwrap());
    let (_store, found) = scratch.open().unwrap();
    assert!(!found.is_empty() && found.iter().all(|room| room.is_damaged));
}

#[tokio::test]
async fn damage_at_the_start_of_the_log_is_missed() {
    let (scratch, store, rooms) = three_rooms().await;
    let mut crowded = TestRoom::open(&store, "GHJK");
    for number in 0..60 {
        let seq = crowded.join(&format!("Number {number}"));
        crowded.settled(seq).await;
    }
    let killed = scratch.killed();
    let segment = killed.segments().pop().unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    bytes[..BLOCK].fill(0);
    fs::write(&segment, &bytes).unwrap();
    assert!(killed.records()[0] > 1, "the second block has records, too");
    let found = killed.open().unwrap().1;
    assert_eq!(found.len(), rooms.len() + 1);
    assert!(found.iter().all(|room| room.is_damaged), "all had entries in the first block");
}

#[tokio::test]
async fn a_room_continues_behind_damage() {
    let (scratch, _store, mut rooms) = three_rooms().await;
    let killed = scratch.killed();
    let last = scratch.records().pop().unwrap();
    killed.flip_bit(last - 3);
    let (store, mut found) = killed.open().unwrap();
    let room = &mut rooms[0];
    room.journal = store.resume(&found[0], Arc::clone(&room.waker));
    room.persisted = found.remove(0).persisted;
    let seq = room.join("Greta");
    room.settled(seq).await;
    let found = killed.killed().open().unwrap().1;
    assert_eq!(names(&found[0]), ["Anna", "Greta"]);
    // A checkpoint needs nothing of what is damaged.
    let seq = room.journal.checkpoint(room.checkpoint());
    room.settled(seq).await;
    let seq = room.join("Hugo");
    room.settled(seq).await;
    let found = killed.killed().open().unwrap().1;
    assert_eq!(names(&found[0]), ["Anna", "Greta", "Hugo"]);
    assert!(!found[0].is_damaged);
}

#[tokio::test]
async fn the_server_after_one_that_was_killed_at_its_start_finds_no_damage() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut idle = TestRoom::open(&store, "KQZT");
    let seq = idle.join("Anna");
    idle.settled(seq).await;
    let seq = idle.journal.checkpoint(idle.checkpoint());
    idle.settled(seq).await;
    let mut other = TestRoom::open(&store, "BCDF");
    for name in ["Ben", "Cleo", "Dora"] {
        let seq = other.join(name);
        other.settled(seq).await;
    }
    other.journal.close();
    // No room needs the segments, so they are used again.
    let (_store, found) = scratch.reopen(store);
    assert!(!found[0].is_damaged);
    let found = scratch.killed().open().unwrap().1;
    assert!(!found[0].is_damaged);
}

/// A database whose groups the test commits in part, and a room with a journal in it.
struct Halves {
    scratch: Scratch,
    database: Database,
    queue: Arc<CommitQueue<Journal>>,
    room: TestRoom,
}

impl Halves {
    fn new() -> Self {
        let scratch = Scratch::new();
        let room = TestRoom::open(&Scratch::new().store(), "KQZT");
        let mut halves = Self::open(scratch, room);
        let open = halves.room.checkpoint();
        halves.room.journal.open("KQZT".parse().unwrap(), open, false);
        halves.commit();
        halves
    }

    fn open(scratch: Scratch, mut room: TestRoom) -> Self {
        let Opened { data_dir, database, recovery, environment, durability, keys, .. } =
            open(scratch.path(), Environment::default()).unwrap();
        let log = (recovery.log, recovery.next_record);
        let rooms = recovery.rooms;
        let database =
            Database::new(environment, database, data_dir, keys, durability, log, &rooms).unwrap();
        let commits = Metrics::new().commits();
        let queue = CommitQueue::new(Clock::start(), 1, commits, Duration::ZERO);
        room.journal = Journal::new(1, queue.epochs.present(), Arc::clone(&queue), waker());
        if let Some(found) = rooms.into_iter().next() {
            room.persisted = found.persisted;
        }
        Self { scratch, database, queue, room }
    }

    fn batch(&self) -> [Batch; 1] {
        [Arc::clone(&self.room.journal).take()]
    }

    fn commit(&mut self) {
        let (batch, now) = (self.batch(), self.queue.instant());
        self.database.commit(&batch, now).unwrap();
    }

    /// Commits what goes into the database, and is killed then.
    fn commit_half(mut self) -> Self {
        let (batch, now) = (self.batch(), self.queue.instant());
        self.database.change(&batch, now).unwrap();
        let killed = self.scratch.killed();
        Self::open(killed, self.room)
    }
}

#[tokio::test]
async fn a_result_counts_once_though_the_server_is_killed_before_its_last_entry() {
    let mut halves = Halves::new();
    halves.room.join("Anna");
    let (end, _) = halves.room.race();
    halves.commit();
    halves.room.journal.append(&end, Some(halves.room.record(1, None)));
    let mut halves = halves.commit_half();
    let result = || halves.scratch.archive().latest(9).unwrap();
    assert_eq!(result().len(), 1);
    // The heat goes on, as no client was told of its end.
    assert!(halves.room.persisted.race.result().is_none());
    let (entry, _) = halves.room.apply_unrecorded(Event::GiveUp { by: PlayerId(1) });
    halves.room.journal.append(&entry, Some(halves.room.record(2, Some(vec![7]))));
    halves.commit();
    let finished = halves.scratch.archive().latest(9).unwrap();
    assert_eq!(finished.len(), 1);
    assert!(finished[0].id.ends_with("0002"), "{finished:?}");
    let halves = Halves::open(halves.scratch.killed(), halves.room);
    assert!(halves.room.persisted.race.result().is_some());
}

#[tokio::test]
async fn a_checkpoint_needs_no_record_of_its_group() {
    let mut halves = Halves::new();
    halves.room.join("Anna");
    halves.commit();
    // An entry that the checkpoint replaces, and one after it.
    halves.room.join("Ben");
    let both = halves.room.checkpoint();
    halves.room.journal.checkpoint(both.clone());
    halves.room.join("Cleo");
    let mut halves = halves.commit_half();
    assert_eq!(halves.room.checkpoint(), both);
    halves.room.join("Dora");
    halves.commit();
    let now = halves.room.checkpoint();
    let halves = Halves::open(halves.scratch.killed(), halves.room);
    assert_eq!(halves.room.checkpoint(), now);
}

#[tokio::test]
async fn segments_that_no_room_needs_are_used_again() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    for round in 0..40 {
        // No group fits into the rest of a segment, and some into none.
        let entries = vec![7; SEGMENT_BYTES as usize * if round == 20 { 3 } else { 1 } / 2];
        let seq = room.journal.append(&entries, None);
        room.settled(seq).await;
        let seq = room.journal.checkpoint(room.checkpoint());
        room.settled(seq).await;
    }
    let written = store.stats().written;
    assert!(written < 40 * 2 * SEGMENT_BYTES, "{written}");
    assert!(scratch.segments().len() <= 3, "{:?}", scratch.segments());
    room.join("Anna");
    let seq = room.join("Ben");
    room.settled(seq).await;
    let found = scratch.killed().open().unwrap().1;
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), room.checkpoint());
    assert!(!found[0].is_damaged);
}

#[tokio::test]
async fn a_small_group_is_one_block_and_one_sync() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    for number in 0..100 {
        let before = store.stats();
        let seq = room.join(&format!("Number {number}"));
        room.settled(seq).await;
        let after = store.stats();
        let cost = (after.written - before.written, after.syncs - before.syncs);
        assert_eq!(cost, (4_096, 1), "{number}");
    }
}

#[tokio::test]
async fn the_journal_of_another_database_is_set_aside() {
    let (scratch, store, _rooms) = three_rooms().await;
    store.close();
    drop(store);
    fs::remove_file(scratch.database()).unwrap();
    let before = scratch.segments().pop().unwrap();
    let bytes = fs::read(&before).unwrap();
    let (store, found) = scratch.open().unwrap();
    assert!(found.is_empty());
    let name = before.file_name().unwrap().to_str().unwrap();
    assert_eq!(fs::read(before.with_file_name(format!("aside-{name}"))).unwrap(), bytes);
    let mut room = TestRoom::open(&store, "GHJK");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let found = scratch.killed().open().unwrap().1;
    assert_eq!(codes(&found), ["GHJK"]);
    assert_eq!(names(&found[0]), ["Anna"]);
}

#[tokio::test]
async fn a_segment_of_which_nothing_is_left_is_missed() {
    let scratch = Scratch::new();
    let (id, mut log) = begin_log(&scratch, Durability::Power);
    let clocks = (ServerInstant(0), UnixMillis(0));
    let large = vec![7; SEGMENT_BYTES as usize / 2];
    // Each has a segment of its own.
    for number in 1..4 {
        log.append(number, clocks, &large, 1, true).unwrap();
    }
    fs::write(&scratch.segments()[0], vec![0; SEGMENT_BYTES as usize]).unwrap();
    let scan = crate::store::journal_log::scan(scratch.path(), id, |_| {}).unwrap();
    let missing: Vec<_> = scan.missing.into_iter().map(|missing| missing.numbers).collect();
    assert_eq!(missing, [1..=1]);
}

#[tokio::test]
async fn a_copy_of_a_segment_under_another_name_is_left_alone() {
    let (scratch, store, _rooms) = three_rooms().await;
    store.close();
    drop(store);
    let segment = scratch.segments().pop().unwrap();
    let copies = ["journal-bad", "journal-1", "journal-00000000000000AB"]
        .map(|name| segment.with_file_name(name));
    let bytes = fs::read(&segment).unwrap();
    for copy in &copies {
        fs::write(copy, &bytes).unwrap();
    }
    let found = scratch.open().unwrap().1;
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|room| !room.is_damaged));
    assert!(copies.iter().all(|copy| fs::read(copy).unwrap() == bytes));
}

/// Begins the log of a new database.
fn begin_log(scratch: &Scratch, durability: Durability) -> (LogId, JournalLog) {
    let opened = open(scratch.path(), Environment::default()).unwrap();
    let LogEnd { id, .. } = opened.recovery.log;
    let end = LogEnd { id, last: 0, segments: Vec::new() };
    (id, JournalLog::begin(scratch.path(), durability, end, 1, 1).unwrap())
}

#[tokio::test]
async fn with_durability_crash_only_results_wait_for_the_disk() {
    let scratch = Scratch::new();
    let (_, mut log) = begin_log(&scratch, Durability::Crash);
    let clocks = (ServerInstant(0), UnixMillis(0));
    assert_eq!(log.append(1, clocks, b"a move", 1, false).unwrap().syncs, 0);
    assert_eq!(log.append(2, clocks, b"the last move", 1, true).unwrap().syncs, 1);
    assert_eq!(scratch.records(), [1, 2]);
}

#[tokio::test]
async fn with_durability_crash_a_kill_loses_nothing_and_the_disk_follows() {
    let scratch = Scratch::new();
    let opened = open(scratch.path(), Environment::default()).unwrap();
    let commits = Metrics::new().commits();
    let opened = opened.with_durability(Durability::Crash);
    let store = opened.start(Clock::start(), commits).unwrap().0;
    let mut room = TestRoom::open(&store, "KQZT");
    let seq = room.join("Anna");
    room.settled(seq).await;
    let synced = store.stats().syncs;
    let seq = room.join("Ben");
    room.settled(seq).await;
    let found = scratch.killed().open().unwrap().1;
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), room.checkpoint());
    while store.stats().syncs == synced {
        tokio::task::yield_now().await;
    }
    store.close();
    assert_eq!(scratch.open().unwrap().1.len(), 1);
}

/// Returns how a test changes the log that SQLite leaves.
fn change_wal(scratch: &Scratch, change: impl FnOnce(&mut Vec<u8>)) {
    let path = scratch.path().join("gridrace.db-wal");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn damage_in_the_database_s_log_is_told_apart_from_a_torn_end() {
    let scratch = Scratch::new();
    let store = scratch.store();
    // Each room is a transaction.
    for code in ["BCDF", "KQZT", "MNPQ"] {
        let mut room = TestRoom::open(&store, code);
        let seq = room.join("Anna");
        room.settled(seq).await;
    }
    type Damage = fn(&mut Vec<u8>);
    let damages: [(Damage, bool); 6] = [
        (|_| {}, false),
        // The last transaction was perhaps being written.
        (|log| log.truncate(log.len() - 100), false),
        (|log| *log.last_mut().unwrap() ^= 1, false),
        (|log| log[32 + FRAME + 2_000] ^= 1, true),
        (|log| log[32 + FRAME + 20] ^= 1, true),
        // The header's version: SQLite reads no frame then.
        (|log| log[7] ^= 1, true),
    ];
    for (number, (damage, is_damaged)) in damages.into_iter().enumerate() {
        let killed = scratch.killed();
        change_wal(&killed, damage);
        let before = fs::read(killed.path().join("gridrace.db-wal")).unwrap();
        let copy = killed.path().join("aside-gridrace.db-wal");
        match killed.open() {
            Ok((_store, found)) => {
                assert!(found.iter().all(|room| room.is_damaged == is_damaged), "{number}");
                assert!(is_damaged || found.len() >= 2, "{number}");
            }
            // The damaged transactions made the tables.
            Err(error) => assert!(is_damaged, "{number}: {error}"),
        }
        assert_eq!(fs::read(copy).ok(), is_damaged.then_some(before), "{number}");
    }
}

#[tokio::test]
async fn each_lost_block_of_the_database_s_log_is_noticed_but_for_the_last_transaction_s() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let read = |scratch: &Scratch| fs::read(scratch.path().join("gridrace.db-wal")).unwrap();
    let mut before_last = 0;
    for code in ["BCDF", "KQZT", "MNPQ"] {
        before_last = read(&scratch).len();
        let mut room = TestRoom::open(&store, code);
        let seq = room.join("Anna");
        room.settled(seq).await;
    }
    let whole = read(&scratch);
    for begin in (0..whole.len()).step_by(BLOCK) {
        let block = begin..whole.len().min(begin + BLOCK);
        let killed = scratch.killed();
        change_wal(&killed, |log| log[block.clone()].fill(0));
        let damaged = read(&killed);
        let is_lost = damaged[..before_last] != whole[..before_last];
        assert!(is_lost || begin > before_last - BLOCK);
        let opened = killed.open();
        let copy = killed.path().join("aside-gridrace.db-wal");
        assert!(fs::read(copy).ok() == is_lost.then_some(damaged), "{block:?}");
        // Otherwise the damaged transactions made the tables.
        if let Ok((_store, found)) = opened {
            assert!(found.iter().all(|room| room.is_damaged == is_lost), "{block:?}");
            assert!(is_lost || found.len() >= 2, "{block:?}");
        }
    }
}

#[tokio::test]
async fn frames_from_before_a_restart_of_the_database_s_log_are_no_damage() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut rooms = ["BCDF", "KQZT"].map(|code| TestRoom::open(&store, code));
    for room in &mut rooms {
        let seq = room.join("Anna");
        room.settled(seq).await;
    }
    let path = scratch.path().join("gridrace.db-wal");
    let length = fs::metadata(&path).unwrap().len();
    // The next transaction overwrites the log from its start.
    scratch.connect().query_row("PRAGMA wal_checkpoint(RESTART)", (), |_| Ok(())).unwrap();
    let seq = rooms[0].journal.checkpoint(rooms[0].checkpoint());
    rooms[0].settled(seq).await;
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    // Of its first frame nothing was written, as at a power cut.
    let torn = scratch.killed();
    change_wal(&torn, |log| log[32..32 + FRAME].fill(0));
    for killed in [scratch.killed(), torn] {
        let found = killed.open().unwrap().1;
        assert_eq!(codes(&found), ["BCDF", "KQZT"]);
        assert!(found.iter().all(|room| !room.is_damaged));
        assert!(!killed.path().join("aside-gridrace.db-wal").exists());
    }
}

#[tokio::test]
async fn a_change_of_segments_that_fails_keeps_the_records_before_it() {
    let scratch = Scratch::new();
    let (id, mut log) = begin_log(&scratch, Durability::Power);
    let clocks = (ServerInstant(0), UnixMillis(0));
    log.append(1, clocks, b"needed", 1, true).unwrap();
    // A folder stands where the next segment is written.
    let obstacle = scratch.path().join("journal.new");
    fs::create_dir(&obstacle).unwrap();
    let large = vec![7; SEGMENT_BYTES as usize];
    for number in 2..4 {
        assert!(log.append(number, clocks, &large, 1, true).is_err());
        let end = log.end(id).unwrap();
        assert_eq!(end.segments.len(), 1);
        assert!(JournalLog::begin(scratch.path(), Durability::Power, end, number + 1, 1).is_err());
    }
    fs::remove_dir(&obstacle).unwrap();
    let end = log.end(id).unwrap();
    let mut log = JournalLog::begin(scratch.path(), Durability::Power, end, 4, 1).unwrap();
    log.append(4, clocks, b"after it", 1, true).unwrap();
    log.append(5, clocks, &large, 1, true).unwrap();
    assert_eq!(scratch.records(), [1, 4, 5]);
}
