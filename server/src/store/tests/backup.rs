//! Backups, and what restoring one does with the data before it.

use super::*;
use crate::store::{BackupError, RestoreError, backup, restore};
use gridrace_shared::heat::identity::Key;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The data of a server, and a backup of it: with one finished heat and with Anna, who is in KQZT.
struct BackedUp {
    scratch: Scratch,
    store: Arc<Store>,
    room: TestRoom,
    /// Where the backup is.
    path: PathBuf,
    parent: TempDir,
}

impl BackedUp {
    async fn new() -> Self {
        let scratch = Scratch::new();
        let store = scratch.store();
        let operator = Key::from_bytes([7; 32]).to_text();
        fs::write(scratch.path().join("operator.key"), operator).unwrap();
        let mut room = TestRoom::open(&store, "KQZT");
        room.join("Anna");
        let (end, _) = room.race();
        room.journal.append(&end, Some(room.record(1, Some(vec![7]))));
        let seq = room.journal.checkpoint(room.checkpoint());
        room.settled(seq).await;
        let parent = TempDir::new().unwrap();
        let path = parent.path().join("friday");
        let content = backup(scratch.path(), &path).unwrap();
        let bytes = fs::metadata(path.join("gridrace.db")).unwrap().len();
        assert_eq!((content.heats, content.tournaments, content.bytes), (1, 0, bytes));
        Self { scratch, store, room, path, parent }
    }

    /// Stops the server; returns its data.
    fn stop(self) -> (Scratch, PathBuf, TempDir) {
        self.store.close();
        (self.scratch, self.path, self.parent)
    }
}

/// Returns the files of the database and of the journal in a folder.
fn data(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), file.path()))
        .filter(|(name, _)| name.starts_with("gridrace.db") || name.starts_with("journal-"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Checks that a server continues from the backup.
async fn assert_restored(scratch: &Scratch) {
    let (store, found) = scratch.open().unwrap();
    assert_eq!(codes(&found), ["KQZT"]);
    assert_eq!(found[0].persisted.race.roster().members.len(), 1);
    assert_eq!(scratch.archive().latest(9).unwrap().len(), 1);
    let mut room = TestRoom::open(&store, "BCDF");
    let seq = room.join("Dora");
    room.settled(seq).await;
    store.close();
    assert_eq!(codes(&scratch.open().unwrap().1), ["KQZT", "BCDF"]);
}

#[tokio::test]
async fn a_backup_of_a_running_server_is_restored_and_a_server_continues_from_it() {
    let mut backed_up = BackedUp::new().await;
    assert_eq!(mode(&backed_up.path), 0o700);
    for name in ["gridrace.db", "server.key", "operator.key"] {
        assert_eq!(mode(&backed_up.path.join(name)), 0o600, "{name}");
    }
    assert_eq!(fs::read_dir(&backed_up.path).unwrap().count(), 3);
    // The server has noticed nothing, and keeps others out.
    let seq = backed_up.room.join("Ben");
    backed_up.room.settled(seq).await;
    assert!(!backed_up.room.journal.is_lost());
    let refused = restore(&backed_up.path, backed_up.scratch.path());
    assert!(matches!(refused, Err(RestoreError::Unchanged(StoreError::InUse(_)))), "{refused:?}");
    let (scratch, path, parent) = backed_up.stop();
    let before = data(scratch.path());
    let restored = restore(&path, scratch.path()).unwrap();
    let replaced = scratch.path().join("replaced-1");
    assert_eq!((restored.content.heats, restored.replaced), (1, Some(replaced.clone())));
    assert_eq!(restored.other_keys, [""; 0]);
    assert_eq!(data(&replaced), before);
    assert_restored(&scratch).await;
    assert_eq!(data(&replaced), before);
    // In a new folder there is nothing to replace, and there are no keys.
    let other = Scratch::new();
    assert_eq!(restore(&path, other.path()).unwrap().replaced, None);
    for name in ["server.key", "operator.key"] {
        let [copy, key] = [&other, &scratch].map(|of| of.path().join(name));
        let [copied, text] = [&copy, &key].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(copied.trim_end(), text.trim_end(), "{name}");
        assert_eq!(mode(&copy), 0o600, "{name}");
    }
    assert_restored(&other).await;
    // A server's own key stays.
    let third = Scratch::new();
    third.store().close();
    let key = fs::read(third.path().join("server.key")).unwrap();
    assert_eq!(restore(&path, third.path()).unwrap().other_keys, ["server.key"]);
    assert_eq!(fs::read(third.path().join("server.key")).unwrap(), key);
    drop(parent);
}

#[tokio::test]
async fn a_backup_of_a_killed_server_has_its_log_and_leaves_it() {
    let backed_up = BackedUp::new().await;
    let killed = backed_up.scratch.killed();
    let before = data(killed.path());
    assert!(!before["gridrace.db-wal"].is_empty());
    let content = backup(killed.path(), &backed_up.parent.path().join("killed")).unwrap();
    assert_eq!(content.heats, 1);
    let mut after = data(killed.path());
    // Which page is where in the log is found anew.
    after.insert("gridrace.db-shm".to_owned(), before["gridrace.db-shm"].clone());
    assert!(after == before);
}

#[tokio::test]
async fn a_backup_is_whole_or_not_there() {
    let (scratch, path, parent) = BackedUp::new().await.stop();
    let before = data(&path);
    assert!(matches!(backup(scratch.path(), &path), Err(BackupError::Exists(_))));
    assert_eq!(data(&path), before);
    let nowhere = TempDir::new().unwrap();
    let next = parent.path().join("saturday");
    let refused = backup(nowhere.path(), &next);
    assert!(matches!(refused, Err(BackupError::Store(StoreError::NoDatabase(_)))), "{refused:?}");
    // The keys are copied after the database.
    fs::write(scratch.path().join("operator.key"), "none").unwrap();
    let failed = backup(scratch.path(), &next);
    assert!(matches!(failed, Err(BackupError::Store(StoreError::NoKey(_)))), "{failed:?}");
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    fs::create_dir(parent.path().join("saturday.unfinished")).unwrap();
    assert!(matches!(backup(scratch.path(), &next), Err(BackupError::Unfinished(_))));
}

#[tokio::test]
async fn what_is_no_backup_is_refused_before_anything_changes() {
    let (scratch, path, _parent) = BackedUp::new().await.stop();
    let before = data(scratch.path());
    let database = path.join("gridrace.db");
    let sql = |sql: &str| Connection::open(&database).unwrap().execute_batch(sql).unwrap();
    let assert_refused = |why: &str| {
        let error = restore(&path, scratch.path()).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(path.to_str().unwrap()), "{error}");
        assert!(error.ends_with("; the data is as it was"), "{error}");
        assert_eq!(data(scratch.path()), before, "{error}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), before.len() + 3, "{error}");
    };
    sql("PRAGMA user_version = 99");
    assert_refused("the database has layout 99, and this program knows up to ");
    sql("PRAGMA application_id = 7");
    assert_refused("the database belongs to another program");
    fs::write(&database, "no database at all, although it has its name").unwrap();
    assert_refused("the database is damaged: ");
    fs::write(&database, "").unwrap();
    assert_refused("the database is damaged: it is empty");
    fs::remove_file(&database).unwrap();
    assert_refused("there is no database gridrace.db in ");
}

#[tokio::test]
async fn no_server_starts_on_a_restore_that_was_killed_and_the_next_one_completes_it() {
    let backed_up = BackedUp::new().await;
    let before = data(backed_up.scratch.killed().path());
    for moved in 0..=before.len() {
        let scratch = backed_up.scratch.killed();
        let replacing = scratch.path().join("replacing");
        fs::create_dir(&replacing).unwrap();
        for name in before.keys().rev().take(moved) {
            fs::rename(scratch.path().join(name), replacing.join(name)).unwrap();
        }
        assert!(matches!(scratch.open(), Err(StoreError::Restoring(_))), "{moved}");
        restore(&backed_up.path, scratch.path()).unwrap();
        assert!(data(&scratch.path().join("replaced-1")) == before, "{moved}");
        assert_restored(&scratch).await;
    }
    // It was killed before its last step, so what is there is a whole backup, too.
    let scratch = backed_up.scratch.killed();
    restore(&backed_up.path, scratch.path()).unwrap();
    let [first, second] = ["replaced-1", "replaced-2"].map(|name| scratch.path().join(name));
    fs::rename(&first, scratch.path().join("replacing")).unwrap();
    assert!(matches!(scratch.open(), Err(StoreError::Restoring(_))));
    assert_eq!(restore(&backed_up.path, scratch.path()).unwrap().replaced, Some(second));
    assert!(data(&first) == before);
    assert_restored(&scratch).await;
}
