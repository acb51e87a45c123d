//! Databases of every older layout, with something in each of their tables.

use super::*;
use crate::race::journal::VERSION;
use crate::store::journal_log::{JournalLog, LogEnd};
use crate::store::journal_record::LogId;
use crate::store::tournaments::SavedTournament;
use crate::store::{journal_row, schema};
use rusqlite::params;
use std::fs;

/// The id of a finished heat.
const OVER: &str = "KQZT-20261121-3f9c";

/// A room that Anna and Ben have joined, as the store records it.
struct Written {
    checkpoint: Vec<u8>,
    entries: Vec<u8>,
    now: Vec<u8>,
}

fn written() -> Written {
    let scratch = Scratch::new();
    let mut room = TestRoom::open(&scratch.store(), "KQZT");
    let checkpoint = room.checkpoint();
    let mut entries = Vec::new();
    for (id, name) in [(1, "Anna"), (2, "Ben")] {
        let newcomer = Newcomer::person(name.parse().unwrap());
        let token = Rng::default().token().hash();
        entries.extend(room.apply_unrecorded(Event::Join { id: PlayerId(id), newcomer, token }).0);
    }
    Written { checkpoint, entries, now: room.checkpoint() }
}

/// Makes a database of a layout, with something in each of its tables.
fn make_older(scratch: &Scratch, layout: usize, room: &Written) {
    fs::create_dir_all(scratch.path()).unwrap();
    let database = scratch.connect();
    for step in &schema::MIGRATIONS[..layout] {
        database.execute_batch(step).unwrap();
    }
    database
        .execute_batch(&format!(
            "PRAGMA application_id = 0x47524944; PRAGMA user_version = {layout};
             INSERT INTO server (one, clock, wall) VALUES (1, 77000000, 1795219200000);
             INSERT INTO aside (id, code, version, wall, why, checkpoint, entries)
                 VALUES (9, 'BCDF', 1, 5, 'as it was', x'0102', x'03');
             INSERT INTO finished (id, code, number, ended, puzzle, options, result, replay)
                 VALUES ('{OVER}', 'KQZT', 1, 5, 'slide:4x4', '{{}}', '{{}}', x'07');",
        ))
        .unwrap();
    let sql = "INSERT INTO heats (id, code, version, standing, checkpoint, since)
        VALUES (3, 'KQZT', ?1, NULL, ?2, 4)";
    database.execute(sql, params![VERSION, room.checkpoint]).unwrap();
    let has_log = layout >= usize::try_from(schema::LOG_LAYOUT).unwrap();
    let mut log = has_log.then(|| {
        let id = database.query_row("SELECT id FROM log", (), |row| row.get::<_, i64>(0)).unwrap();
        let none = LogEnd { id: LogId(id as u64), last: 0, segments: Vec::new() };
        JournalLog::begin(scratch.path(), Durability::Power, none, 3, 3).unwrap()
    });
    // A row from before the checkpoint, and one with the entries since.
    for (row, entries) in [(3, &b"no journal at all"[..]), (4, &room.entries)] {
        if let Some(log) = &mut log {
            let mut group = Vec::new();
            let before = row - 1;
            journal_row::append(&mut group, 3, &journal_row::chain(before, entries));
            let clocks = (ServerInstant(0), UnixMillis(0));
            log.append(row, clocks, &group, 3, false).unwrap();
            continue;
        }
        let mut group = Vec::new();
        journal_row::append(&mut group, 3, entries);
        let sql = "INSERT INTO journal (part, entries) VALUES (?1, ?2)";
        database.execute(sql, params![row, group]).unwrap();
    }
    if layout >= 2 {
        let sql = "INSERT INTO results
                (finished, player, name, kind, fingerprint, place, time, moves, hints, penalty)
            VALUES (?1, 1, 'Anna', 'human', ?2, 1, 9000, 50, 0, 0)";
        let fingerprint = "ab".repeat(16);
        database.execute(sql, params![OVER, fingerprint]).unwrap();
    }
    if layout >= 6 {
        let saved = SavedTournament { pin: None, ..tournaments::saved() };
        let saved = serde_json::to_string(&saved).unwrap();
        let sql =
            "INSERT INTO tournaments (name, opened, ended, saved) VALUES ('friday', 1, 2, ?1)";
        database.execute(sql, [saved]).unwrap();
    }
}

fn count(scratch: &Scratch, table: &str) -> i64 {
    scratch.number(&format!("SELECT count(*) FROM {table}"))
}

fn layout_of(scratch: &Scratch) -> usize {
    usize::try_from(scratch.number("PRAGMA user_version")).unwrap()
}

#[tokio::test]
async fn a_migration_keeps_all_rows_of_an_older_layout() {
    let written = written();
    for layout in 1..=schema::MIGRATIONS.len() {
        let scratch = Scratch::new();
        make_older(&scratch, layout, &written);
        let opened = open(scratch.path(), Environment::default()).unwrap();
        assert!(opened.recovery.clock >= ServerInstant(77_000_000));
        drop(opened);
        let (store, found) = scratch.open().unwrap();
        assert_eq!(found.len(), 1, "layout {layout}");
        assert_eq!(checkpoint(&found[0].persisted).unwrap(), written.now);
        let archive = scratch.archive();
        assert_eq!(archive.replay(OVER).unwrap(), Some(vec![7]));
        let anna = Fingerprint::try_from("ab".repeat(16)).unwrap();
        let results = archive.results_of(&anna, 9).unwrap();
        assert_eq!(results.len(), usize::from(layout >= 2), "layout {layout}");
        let past = archive.past_tournaments(None, 9, |_, _| false).unwrap().rows;
        assert_eq!(past.len(), usize::from(layout >= 6), "layout {layout}");
        assert_eq!(count(&scratch, "aside"), 1);
        let mut later = TestRoom::open(&store, "GHJK");
        assert!(later.journal.id > 9, "no number is used again");
        later.join("Cleo");
        let (end, _) = later.race();
        later.journal.append(&end, Some(later.record(0, None)));
        store.close();
        assert_eq!(archive.latest(9).unwrap().len(), 2);
        assert_eq!(layout_of(&scratch), schema::MIGRATIONS.len());
    }
}

#[tokio::test]
async fn a_failed_migration_leaves_the_older_layout() {
    let written = written();
    let scratch = Scratch::new();
    make_older(&scratch, 1, &written);
    // The next migration creates a table of this name.
    scratch.connect().execute_batch("CREATE TABLE results (other)").unwrap();
    let error = scratch.open().err().unwrap().to_string();
    assert!(error.contains("database error: "), "{error}");
    assert_eq!(layout_of(&scratch), 1);
    for (table, rows) in [("heats", 1), ("journal", 2), ("finished", 1), ("aside", 1)] {
        assert_eq!(count(&scratch, table), rows, "{table}");
    }
}

#[tokio::test]
async fn a_journal_that_was_moved_by_a_failed_migration_is_moved_again() {
    let written = written();
    let scratch = Scratch::new();
    make_older(&scratch, 4, &written);
    scratch.connect().execute_batch("CREATE TABLE log (other)").unwrap();
    assert!(scratch.open().is_err());
    assert_eq!((layout_of(&scratch), count(&scratch, "journal")), (4, 2));
    scratch.connect().execute_batch("DROP TABLE log").unwrap();
    let (_store, found) = scratch.open().unwrap();
    assert_eq!(found.len(), 1);
    assert!(!found[0].is_damaged);
    assert_eq!(checkpoint(&found[0].persisted).unwrap(), written.now);
}

#[tokio::test]
async fn journals_of_another_version_of_the_race_are_set_aside_byte_for_byte() {
    let written = written();
    let scratch = Scratch::new();
    make_older(&scratch, schema::MIGRATIONS.len(), &written);
    scratch.connect().execute("UPDATE heats SET version = 2", ()).unwrap();
    let (store, found) = scratch.open().unwrap();
    assert!(found.is_empty());
    store.close();
    let (checkpoint, entries, why): (Vec<u8>, Vec<u8>, String) = scratch
        .connect()
        .query_row(
            "SELECT checkpoint, entries, why FROM aside WHERE code = 'KQZT' AND version = 2",
            (),
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .unwrap();
    assert_eq!((checkpoint, entries), (written.checkpoint, written.entries));
    assert!(why.starts_with("version 2 of the journal is not readable"), "{why}");
    assert_eq!(count(&scratch, "aside"), 2);
    assert_eq!(scratch.archive().replay(OVER).unwrap(), Some(vec![7]));
}

#[test]
fn a_commit_survives_a_power_cut() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path()).unwrap();
    fs::write(scratch.database(), "").unwrap();
    let database = schema::open(&scratch.database(), true).unwrap();
    let says = |name| {
        let value = database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.unwrap()
    };
    // FULL, as SQLite numbers it: anything less syncs no log.
    assert_eq!(says("synchronous"), 2);
    let mode: String = database.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    assert_eq!(says("foreign_keys"), 1);
}
