//! Databases of every older layout, with something in each of their tables.

use super::*;
use crate::race::journal::VERSION;
use crate::store::{journal_row, schema};
use gridrace_shared::heat::ids::PlayerId;
use rusqlite::params;
use std::fs;

/// The names of heats that are over, in the layouts that came first.
const OVER: &str = "KQZT-20261121-3f9c";

/// A heat whose journal says that Anna and Ben have come; as the store keeps it.
struct Written {
    checkpoint: Vec<u8>,
    entries: Vec<u8>,
    now: Vec<u8>,
}

fn heat() -> Written {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut heat = Heat::begin(&store, "KQZT");
    let checkpoint = heat.bytes();
    let mut entries = Vec::new();
    for (id, name) in [(1, "Anna"), (2, "Ben")] {
        let (entry, _) = heat.happens(Event::Join {
            id: PlayerId(id),
            newcomer: Newcomer::person(name.parse().unwrap()),
            token: Rng::default().token().hash(),
        });
        entries.extend(entry);
    }
    Written { checkpoint, entries, now: heat.bytes() }
}

/// Makes a database of a layout, with something in each of its tables.
fn older(scratch: &Scratch, layout: usize, heat: &Written) {
    fs::create_dir_all(scratch.path()).unwrap();
    let database = Connection::open(scratch.database()).unwrap();
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
    database.execute(sql, params![VERSION, heat.checkpoint]).unwrap();
    // A row that the heat's checkpoint has outlived, and its own.
    for (row, entries) in [(3, &b"no journal at all"[..]), (4, &heat.entries)] {
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
}

fn count(scratch: &Scratch, table: &str) -> i64 {
    let database = Connection::open(scratch.database()).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    database.query_row(&sql, (), |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn whatever_is_in_an_older_database_is_there_once_it_is_up_to_date() {
    let written = heat();
    for layout in 1..=schema::MIGRATIONS.len() {
        let scratch = Scratch::new();
        older(&scratch, layout, &written);
        let opened = open(scratch.path(), Environment::default()).unwrap();
        assert!(opened.clock >= ServerInstant(77_000_000));
        drop(opened);
        let (store, found) = scratch.open().unwrap();
        assert_eq!(found.len(), 1, "layout {layout}");
        assert_eq!(checkpoint(&found[0].persisted).unwrap(), written.now);
        let archive = scratch.archive();
        assert_eq!(archive.replay(OVER).unwrap(), Some(vec![7]));
        let anna = Fingerprint::try_from("ab".repeat(16)).unwrap();
        let results = archive.results_of(&anna, 9).unwrap();
        assert_eq!(results.len(), usize::from(layout >= 2), "layout {layout}");
        assert_eq!(count(&scratch, "aside"), 1);
        // And it goes on as any other.
        let mut later = Heat::begin(&store, "GHJK");
        assert!(later.log.id > 9, "no number is used again");
        later.joins("Cleo");
        let finished = later.races();
        later.ends(finished);
        store.close();
        assert_eq!(archive.latest(9).unwrap().len(), 2);
        let version: i32 = Connection::open(scratch.database())
            .unwrap()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version as usize, schema::MIGRATIONS.len());
    }
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_older_layout_as_it_was() {
    let written = heat();
    let scratch = Scratch::new();
    older(&scratch, 1, &written);
    // Somebody has made a table of the name that the next step takes.
    Connection::open(scratch.database())
        .unwrap()
        .execute_batch("CREATE TABLE results (other)")
        .unwrap();
    let error = scratch.open().err().unwrap();
    assert!(matches!(error, StoreError::Database(_)), "{error}");
    let database = Connection::open(scratch.database()).unwrap();
    let version: i32 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 1);
    for (table, rows) in [("heats", 1), ("journal", 2), ("finished", 1), ("aside", 1)] {
        assert_eq!(count(&scratch, table), rows, "{table}");
    }
}

#[tokio::test]
async fn journals_of_another_version_of_the_race_are_set_aside_byte_for_byte() {
    let written = heat();
    let scratch = Scratch::new();
    older(&scratch, schema::MIGRATIONS.len(), &written);
    Connection::open(scratch.database())
        .unwrap()
        .execute("UPDATE heats SET version = 2", ())
        .unwrap();
    let (store, found) = scratch.open().unwrap();
    assert!(found.is_empty());
    store.close();
    let database = Connection::open(scratch.database()).unwrap();
    let (checkpoint, entries, why): (Vec<u8>, Vec<u8>, String) = database
        .query_row(
            "SELECT checkpoint, entries, why FROM aside WHERE code = 'KQZT' AND version = 2",
            (),
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .unwrap();
    assert_eq!((checkpoint, entries), (written.checkpoint, written.entries));
    assert!(why.starts_with("version 2 of the journal is not readable"), "{why}");
    // What was set aside before is there as well, and heats that are over.
    assert_eq!(count(&scratch, "aside"), 2);
    assert_eq!(scratch.archive().replay(OVER).unwrap(), Some(vec![7]));
}

#[test]
fn what_is_committed_is_on_the_disk_before_anybody_is_told() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path()).unwrap();
    fs::write(scratch.database(), "").unwrap();
    let database = schema::open(&scratch.database(), true).unwrap();
    let says = |name| {
        let value = database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.unwrap()
    };
    // FULL, as SQLite numbers it; less syncs no log, and power may take what was acknowledged.
    assert_eq!(says("synchronous"), 2);
    let mode: String = database.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    assert_eq!(says("foreign_keys"), 1);
}
