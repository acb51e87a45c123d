//! The store on directories that are whole, damaged, shared, read-only and absent.

use super::*;
use gridrace_shared::puzzle::tables::LAYOUT_VERSION;
use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// A path of this test's own, which doesn't exist yet; dropped, it is gone.
struct Scratch(PathBuf, #[expect(dead_code, reason = "removed when it is dropped")] TempDir);

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self(directory.path().join("tables"), directory)
    }

    fn store(&self) -> TableStore {
        TableStore::new(Cache::At(self.0.clone()))
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.0.join(format!("{}.v{LAYOUT_VERSION}.{ending}", spec()))
    }

    fn parts(&self) -> usize {
        let files = Cache::At(self.0.clone()).files().unwrap();
        files.iter().filter(|file| file.role == FileRole::Part).count()
    }
}

fn spec() -> TableSpec {
    "2x3-default".parse().unwrap()
}

fn get(store: &TableStore) -> Obtained {
    store.get(spec(), NonZero::<usize>::MIN, &|_| {})
}

/// Gets a table that must be built, and returns why its file was rejected.
fn rebuilt(store: &TableStore) -> Option<FileError> {
    match get(store).origin {
        Origin::Built { rejected, uncached: None } => rejected,
        other @ (Origin::Memory | Origin::Cache | Origin::Built { .. }) => panic!("{other:?}"),
    }
}

#[test]
fn a_table_is_built_once_and_then_loaded() {
    let scratch = Scratch::new();
    let built = get(&scratch.store());
    assert!(matches!(built.origin, Origin::Built { .. }));
    let store = scratch.store();
    let loaded = get(&store);
    assert!(matches!(loaded.origin, Origin::Cache));
    assert_eq!(built.table.payload(), loaded.table.payload());
    assert!(matches!(get(&store).origin, Origin::Memory));
    assert_eq!(store.snapshot().iter().count(), 1);
}

#[test]
fn a_damaged_file_is_rejected_and_built_again() {
    let scratch = Scratch::new();
    get(&scratch.store());
    let path = scratch.file("table");
    let good = fs::read(&path).unwrap();
    let last = good.len() - 1;
    let spoil = |spoil: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        spoil(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let fault = rebuilt(&scratch.store());
        assert_eq!(fs::read(&path).unwrap(), good);
        fault
    };
    assert!(matches!(spoil(&|bytes| bytes[last] ^= 1), Some(FileError::Damaged)));
    assert!(matches!(spoil(&|bytes| bytes[64] ^= 0x80), Some(FileError::Damaged)));
    for byte in 0..64 {
        let fault = spoil(&|bytes| bytes[byte] ^= 1);
        assert!(matches!(fault, Some(FileError::Foreign)), "byte {byte}");
    }
    for keep in [0, 1, 63] {
        let fault = spoil(&|bytes| bytes.truncate(keep));
        assert!(matches!(fault, Some(FileError::Foreign)), "{keep} bytes");
    }
    for keep in [64, last] {
        let fault = spoil(&|bytes| bytes.truncate(keep));
        assert!(matches!(fault, Some(FileError::Length { .. })), "{keep} bytes");
    }
    // As long as it should be, but the payload never reached the disk.
    assert!(matches!(spoil(&|bytes| bytes[64..].fill(0xa5)), Some(FileError::Damaged)));
    assert!(matches!(spoil(&|bytes| bytes.push(0)), Some(FileError::Length { .. })));
    assert!(rebuilt_is_none_after(|| fs::remove_file(&path).unwrap(), &scratch));
}

fn rebuilt_is_none_after(act: impl FnOnce(), scratch: &Scratch) -> bool {
    act();
    rebuilt(&scratch.store()).is_none()
}

/// Updates the checksum of a changed header.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let own = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&own.to_le_bytes());
    bytes
}

#[test]
fn a_file_of_another_version_or_table_is_rejected_and_built_again() {
    let scratch = Scratch::new();
    get(&scratch.store());
    let path = scratch.file("table");
    let good = fs::read(&path).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        fs::write(&path, signed(bytes)).unwrap();
        rebuilt(&scratch.store())
    };
    assert!(matches!(with(8, 200), Some(FileError::OtherVersion)));
    assert!(matches!(with(12, 200), Some(FileError::OtherVersion)));
    // The same version, but other patterns.
    assert!(matches!(with(52, !good[52]), Some(FileError::OtherVersion)));
    let other = with(16, b'3');
    assert!(matches!(other, Some(FileError::OtherTable(name)) if name == "3x3-default"));
    assert!(matches!(with(47, 1), Some(FileError::Length { .. })));
}

#[test]
fn builders_at_the_same_time_get_the_same_table_and_leave_one_file() {
    const BUILDERS: usize = 8;
    let scratch = Scratch::new();
    let barrier = Barrier::new(BUILDERS);
    let built = std::thread::scope(|scope| {
        let build = || {
            // A store each, like a process each.
            let store = scratch.store();
            barrier.wait();
            matches!(get(&store).origin, Origin::Built { .. })
        };
        let builders: Vec<_> = (0..BUILDERS).map(|_| scope.spawn(build)).collect();
        let built = builders.into_iter().map(|builder| builder.join().unwrap());
        built.filter(|&built| built).count()
    });
    assert_eq!(built, 1, "the lock lets one build, the others load");
    assert!(matches!(get(&scratch.store()).origin, Origin::Cache));
    assert_eq!(scratch.parts(), 0);
}

#[test]
fn partial_files_of_killed_builders_are_removed() {
    let scratch = Scratch::new();
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(scratch.file("1-0.part"), "half").unwrap();
    fs::write(scratch.file("lock"), "").unwrap();
    assert_eq!(scratch.parts(), 1);
    assert!(rebuilt(&scratch.store()).is_none());
    assert_eq!(scratch.parts(), 0);
}

#[test]
fn without_a_directory_tables_stay_in_memory() {
    let store = TableStore::default();
    assert!(rebuilt(&store).is_none());
    assert!(matches!(get(&store).origin, Origin::Memory));
    let lost = TableStore::new(Cache::Unknown);
    let Origin::Built { uncached, .. } = get(&lost).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(uncached, Some(CacheError::Unknown)));
    assert!(matches!(lost.cache().files(), Err(CacheError::Unknown)));
}

#[test]
fn without_permission_to_write_tables_stay_in_memory() {
    let scratch = Scratch::new();
    // Not even root can create a directory in place of a file.
    fs::write(&scratch.0, "in the way").unwrap();
    let store = scratch.store();
    let Origin::Built { uncached, .. } = get(&store).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(uncached, Some(CacheError::Directory { .. })));
    assert!(matches!(get(&store).origin, Origin::Memory));
    fs::remove_file(&scratch.0).unwrap();
}

#[test]
fn a_table_whose_file_can_t_be_renamed_stays_in_memory_and_leaves_no_file() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.file("table")).unwrap();
    fs::write(scratch.file("table").join("in the way"), "").unwrap();
    let Origin::Built { uncached, .. } = get(&scratch.store()).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(uncached, Some(CacheError::Directory { .. })));
    assert_eq!(scratch.parts(), 0);
}

#[cfg(unix)]
#[test]
fn a_pipe_instead_of_a_file_does_not_block() {
    for ending in ["table", "lock"] {
        let scratch = Scratch::new();
        fs::create_dir_all(&scratch.0).unwrap();
        let mut mkfifo = std::process::Command::new("mkfifo");
        let made = mkfifo.arg(scratch.file(ending)).status().unwrap();
        assert!(made.success());
        let store = scratch.store();
        let Origin::Built { rejected, uncached } = get(&store).origin else {
            panic!("there was nothing to load");
        };
        match ending {
            // A file takes its place.
            "table" => {
                assert!(matches!(rejected, Some(FileError::NoFile)));
                assert!(uncached.is_none(), "{uncached:?}");
                assert!(matches!(get(&scratch.store()).origin, Origin::Cache));
            }
            _ => assert!(matches!(uncached, Some(CacheError::Directory { .. }))),
        }
    }
}

/// Takes the lock on the table as a stuck program would.
fn stuck(scratch: &Scratch) -> fs::File {
    fs::create_dir_all(&scratch.0).unwrap();
    let lock = fs::File::create(scratch.file("lock")).unwrap();
    lock.try_lock().unwrap();
    lock
}

#[test]
fn a_stuck_program_leaves_tables_in_memory() {
    let scratch = Scratch::new();
    let _lock = stuck(&scratch);
    let patience = cache::Patience { default: 2, large: u32::MAX };
    let store = TableStore::with(Cache::At(scratch.0.clone()), patience);
    let looks = AtomicU32::new(0);
    let obtained = store.get(spec(), NonZero::<usize>::MIN, &|stage| {
        if stage == BuildStage::Waiting {
            looks.fetch_add(1, Ordering::Relaxed);
        }
    });
    let Origin::Built { uncached, .. } = obtained.origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(uncached, Some(CacheError::Locked)), "{uncached:?}");
    assert_eq!(looks.into_inner(), 2);
    assert!(!scratch.file("table").exists());
    assert!(matches!(get(&store).origin, Origin::Memory));
}

#[test]
fn waiting_for_another_program_blocks_no_other_table() {
    let scratch = Scratch::new();
    let lock = stuck(&scratch);
    let store = scratch.store();
    let (waits, waiting) = std::sync::mpsc::channel();
    let stands = || store.snapshot().iter().any(|table| table.spec() == spec());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            store.get(spec(), NonZero::<usize>::MIN, &move |stage| {
                if stage == BuildStage::Waiting {
                    waits.send(()).ok(); // only the first one is received
                }
            })
        });
        waiting.recv().unwrap();
        let other = "2x2-default".parse().unwrap();
        let other = store.get(other, NonZero::<usize>::MIN, &|_| {});
        assert!(matches!(other.origin, Origin::Built { uncached: None, .. }));
        assert!(!stands(), "the other table came only after the wait");
        drop(lock);
        let obtained = waiter.join().unwrap();
        assert!(matches!(obtained.origin, Origin::Built { uncached: None, .. }));
    });
    assert!(stands());
}

#[test]
fn a_requested_table_is_loaded_in_the_background() {
    let scratch = Scratch::new();
    let store = scratch.store();
    store.request(spec());
    store.request(spec());
    // Waits for the background thread.
    get(&store);
    assert_eq!(store.snapshot().iter().count(), 1);
}

#[test]
fn the_files_are_listed_checked_and_removed() {
    let scratch = Scratch::new();
    get(&scratch.store());
    let cache = Cache::At(scratch.0.clone());
    fs::write(scratch.0.join("notes.txt"), "not ours").unwrap();
    let old = scratch.0.join("4x4-large.v0.table");
    fs::write(&old, "long ago").unwrap();
    let tables: Vec<_> = cache.files().unwrap();
    let tables: Vec<_> = tables.iter().filter(|file| file.role == FileRole::Table).collect();
    let [kept, outdated] = tables[..] else {
        panic!("{tables:?}");
    };
    assert!(kept.check().is_ok());
    assert!(matches!(outdated.check(), Err(FileError::OtherVersion)));
    let mut bytes = fs::read(&kept.path).unwrap();
    bytes[64] ^= 1;
    fs::write(&kept.path, bytes).unwrap();
    assert!(matches!(kept.check(), Err(FileError::Damaged)));

    let files = cache.files().unwrap();
    let lock = files.iter().find(|file| file.role == FileRole::Lock).unwrap();
    let held = fs::File::open(&lock.path).unwrap();
    held.lock().unwrap();
    assert_eq!(cache.remove(&|this| this == spec()).unwrap().len(), 1);
    drop(held);
    assert_eq!(cache.remove(&|this| this == spec()).unwrap().len(), 1);
    assert!(old.exists());
    assert_eq!(cache.remove(&|_| true).unwrap().len(), 1);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1, "not ours");
}

#[test]
fn loading_builds_nothing() {
    let scratch = Scratch::new();
    let store = scratch.store();
    assert!(store.load(spec()).unwrap().is_none());
    assert_eq!(store.snapshot().iter().count(), 0);
    get(&scratch.store());
    assert!(store.load(spec()).unwrap().is_some());
    assert_eq!(store.snapshot().iter().count(), 1);
}

#[test]
fn a_map_outlives_its_file() {
    let scratch = Scratch::new();
    fs::create_dir_all(&scratch.0).unwrap();
    let path = scratch.0.join("mapped");
    fs::write(&path, "a header, then the bytes").unwrap();
    let file = fs::File::open(&path).unwrap();
    let map = mapping::Mapped::new(&file, 10, 14).unwrap();
    assert_eq!(map.as_ref(), b"then the bytes");
    let other = scratch.0.join("other");
    fs::write(&other, "x").unwrap();
    fs::rename(&other, &path).unwrap();
    fs::remove_file(&path).unwrap();
    drop(file);
    assert_eq!(map.as_ref(), b"then the bytes");
}
