//! Folders and databases that the store refuses, and leaves unchanged.

use crate::platform::environment::Environment;
use crate::store::fixture::Scratch;
use crate::store::{Archive, StoreError, open, schema};
use gridrace_shared::heat::identity::Fingerprint;
use rusqlite::config::DbConfig;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn the_folder_and_its_files_are_private() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(scratch.path()), 0o700);
    let files: Vec<_> =
        fs::read_dir(scratch.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 2);
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
    drop(store);
}

#[test]
fn a_folder_has_one_server() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert!(matches!(scratch.open(), Err(StoreError::InUse(_))));
    drop(store);
    assert!(scratch.open().is_ok());
}

#[test]
fn a_path_that_is_no_folder_or_is_not_writable_is_refused() {
    let scratch = Scratch::new();
    fs::write(scratch.path(), "a file").unwrap();
    assert!(matches!(scratch.open(), Err(StoreError::NoFolder(_))));
    assert_eq!(fs::read(scratch.path()).unwrap(), b"a file");
    assert!(matches!(
        open(&scratch.path().join("below"), Environment::default()),
        Err(StoreError::NoFolder(_))
    ));
    fs::remove_file(scratch.path()).unwrap();
    fs::create_dir_all(scratch.database()).unwrap();
    assert!(matches!(scratch.open(), Err(StoreError::IsFolder(_))));
    // Not even root can write here.
    let nowhere = open(Path::new("/proc/self/gridrace"), Environment::default()).err().unwrap();
    assert!(
        matches!(nowhere, StoreError::Permission { .. } | StoreError::Folder { .. }),
        "{nowhere}"
    );
    let error = std::io::ErrorKind::PermissionDenied.into();
    assert!(matches!(StoreError::of_file(scratch.path(), error), StoreError::Permission { .. }));
}

#[test]
fn results_of_an_older_database_are_in_order() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path()).unwrap();
    let older = scratch.connect();
    for step in &schema::MIGRATIONS[..2] {
        older.execute_batch(step).unwrap();
    }
    let anna = Fingerprint::try_from("ab".repeat(16)).unwrap();
    for (id, ended) in [("first", 5), ("third", 7), ("second", 6)] {
        let finished =
            "INSERT INTO finished VALUES (?1, 'KQZT', 1, ?2, 'slide:4x4', '{}', '{}', NULL)";
        older.execute(finished, (id, ended)).unwrap();
        // A name that is no longer admitted.
        let result =
            "INSERT INTO results VALUES (?1, 1, 'Ann\u{3b1}', 'human', ?2, 1, NULL, 0, 0, 0)";
        older.execute(result, (id, anna.to_string())).unwrap();
    }
    older.execute_batch("PRAGMA application_id = 0x47524944; PRAGMA user_version = 2;").unwrap();
    drop(older);
    let _store = scratch.store();
    let heats = |most| {
        let results = scratch.archive().results_of(&anna, most).unwrap();
        results.into_iter().map(|result| result.heat).collect::<Vec<_>>()
    };
    assert_eq!(heats(9), ["third", "second", "first"]);
    assert_eq!(heats(2), ["third", "second"]);
}

#[test]
fn a_newer_database_is_refused() {
    let scratch = Scratch::new();
    scratch.change("PRAGMA user_version = 99");
    scratch.assert_refused("the database has layout 99, and this program knows up to ");
}

#[test]
fn the_log_beside_a_newer_database_is_left() {
    let scratch = Scratch::new();
    scratch.change("");
    let newer = scratch.connect();
    newer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let log = scratch.path().join("gridrace.db-wal");
    let before = fs::read(&log).unwrap();
    assert!(!before.is_empty());
    scratch.assert_refused("the database has layout 99");
    assert_eq!(fs::read(&log).unwrap(), before);
}

#[test]
fn reading_the_archive_changes_no_file() {
    let scratch = Scratch::new();
    scratch.change("");
    let names = || {
        let files = fs::read_dir(scratch.path()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let closed = names();
    assert_eq!(scratch.archive().latest(9).unwrap(), []);
    assert_eq!(names(), closed);
    let killed = {
        let store = scratch.store();
        let killed = scratch.killed();
        store.close();
        killed
    };
    let log = killed.path().join("gridrace.db-wal");
    let before = (fs::read(killed.database()).unwrap(), fs::read(&log).unwrap());
    assert_eq!(killed.archive().latest(9).unwrap(), []);
    let after = (fs::read(killed.database()).unwrap(), fs::read(&log).unwrap());
    assert_eq!(after, before);
}

#[test]
fn the_archive_of_a_closed_database_is_read_where_no_file_can_be_created() {
    let scratch = Scratch::new();
    scratch.change("INSERT INTO finished VALUES ('KQZT-20261121-3f9c', 'KQZT', 1, 5, 'slide:4x4', '{}', '{}', x'07', 1)");
    let folder = scratch.path().with_file_name("100% of it?");
    fs::rename(scratch.path(), &folder).unwrap();
    // Not even root can create a file there.
    for name in ["gridrace.db-wal", "gridrace.db-shm"] {
        std::os::unix::fs::symlink("/proc/self/nowhere", folder.join(name)).unwrap();
    }
    let listed = Archive::at(&folder).latest(9).unwrap();
    assert_eq!(listed.len(), 1);
    // What a server left beside it can't be read.
    fs::remove_file(folder.join("gridrace.db-shm")).unwrap();
    fs::create_dir(folder.join("gridrace.db-shm")).unwrap();
    let error = Archive::at(&folder).latest(9).unwrap_err();
    assert!(matches!(error, StoreError::Of { .. }), "{error}");
}

#[test]
fn a_locked_database_is_refused() {
    let scratch = Scratch::new();
    scratch.change("");
    let other = scratch.connect();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    scratch.assert_refused("another program locks the database");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert!(scratch.open().is_ok());
}

#[test]
fn a_database_of_another_program_is_refused() {
    for sql in ["PRAGMA application_id = 7", "CREATE TABLE theirs (one)"] {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.path()).unwrap();
        scratch.connect().execute_batch(sql).unwrap();
        scratch.assert_refused("the database belongs to another program");
    }
}

#[test]
fn an_empty_file_is_a_new_database_only_where_none_has_been() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path()).unwrap();
    fs::write(scratch.database(), "").unwrap();
    drop(scratch.open().unwrap());
    fs::write(scratch.database(), "").unwrap();
    scratch.assert_refused("the database is damaged: it is empty; restore a backup");
    fs::remove_file(scratch.database()).unwrap();
    assert!(scratch.open().is_ok());
}

#[test]
fn a_damaged_database_is_refused() {
    let scratch = Scratch::new();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO finished SELECT 'heat ' || i, 'KQZT', 1, i, 'slide:4x4', '{}', '{}', zeroblob(900), i FROM n";
    scratch.change(many);
    let whole = fs::read(scratch.database()).unwrap();
    let length = whole.len();
    let foreign = [0x5a; 9_000];
    let mut overwritten = whole.clone();
    overwritten[4_096..8_192].fill(0x5a);
    let truncated = [length / 2, length - 4_096, 100].map(|length| &whole[..length]);
    for bytes in [&foreign[..], &overwritten].into_iter().chain(truncated) {
        fs::write(scratch.database(), bytes).unwrap();
        scratch.assert_refused("the database is damaged: ");
    }
}
