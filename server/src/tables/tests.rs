//! The store over directories that are whole, damaged, shared, read-only and absent.

use super::*;
use gridrace_shared::puzzle::tables::LAYOUT_VERSION;
use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory of this test's own; dropped, it is gone.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("gridrace-tables-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::remove_dir_all(&path).ok(); // of a process that had the same number
        Self(path)
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

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok(); // a test that kept nothing has none
    }
}

fn spec() -> TableSpec {
    "2x3-default".parse().unwrap()
}

fn get(store: &TableStore) -> Obtained {
    store.get(spec(), NonZero::<usize>::MIN, &|_| {})
}

/// Gets a table that must have been built, and returns the fault of the file before.
fn rebuilt(store: &TableStore) -> Option<FileError> {
    match get(store).origin {
        Origin::Built { instead_of, unkept: None } => instead_of,
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
fn a_file_that_differs_in_any_way_is_found_and_built_anew() {
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
    // Half-written: as long as it should be, but the rest never reached the disk.
    assert!(matches!(spoil(&|bytes| bytes[64..].fill(0xa5)), Some(FileError::Damaged)));
    assert!(matches!(spoil(&|bytes| bytes.push(0)), Some(FileError::Length { .. })));
    assert!(rebuilt_is_none_after(|| fs::remove_file(&path).unwrap(), &scratch));
}

fn rebuilt_is_none_after(act: impl FnOnce(), scratch: &Scratch) -> bool {
    act();
    rebuilt(&scratch.store()).is_none()
}

/// Writes a header's checksum anew after a change, as whoever wrote that header would have.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let own = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&own.to_le_bytes());
    bytes
}

#[test]
fn a_file_of_another_version_or_table_is_found_and_built_anew() {
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
    // The same version, but not the patterns that it has here.
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
            // A store each, as if each were a process.
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
fn what_a_builder_left_who_was_ended_is_swept_away() {
    let scratch = Scratch::new();
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(scratch.file("1-0.part"), "half").unwrap();
    fs::write(scratch.file("lock"), "").unwrap();
    assert_eq!(scratch.parts(), 1);
    assert!(rebuilt(&scratch.store()).is_none());
    assert_eq!(scratch.parts(), 0);
}

#[test]
fn without_a_directory_tables_stand_in_memory() {
    let store = TableStore::default();
    assert!(rebuilt(&store).is_none());
    assert!(matches!(get(&store).origin, Origin::Memory));
    let lost = TableStore::new(Cache::Unknown);
    let Origin::Built { unkept, .. } = get(&lost).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(unkept, Some(CacheError::Unknown)));
    assert!(matches!(lost.cache().files(), Err(CacheError::Unknown)));
}

#[test]
fn where_nothing_can_be_written_tables_stand_in_memory() {
    let scratch = Scratch::new();
    // Not even the superuser makes a directory where a file is.
    fs::write(&scratch.0, "in the way").unwrap();
    let store = scratch.store();
    let Origin::Built { unkept, .. } = get(&store).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(unkept, Some(CacheError::Directory { .. })));
    assert!(matches!(get(&store).origin, Origin::Memory));
    fs::remove_file(&scratch.0).unwrap();
}

#[test]
fn where_a_table_can_t_take_its_place_it_stands_in_memory_and_leaves_nothing() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.file("table")).unwrap();
    fs::write(scratch.file("table").join("in the way"), "").unwrap();
    let Origin::Built { unkept, .. } = get(&scratch.store()).origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(unkept, Some(CacheError::Directory { .. })));
    assert_eq!(scratch.parts(), 0);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    for ending in ["table", "lock"] {
        let scratch = Scratch::new();
        fs::create_dir_all(&scratch.0).unwrap();
        let mut mkfifo = std::process::Command::new("mkfifo");
        let made = mkfifo.arg(scratch.file(ending)).status().unwrap();
        assert!(made.success());
        let store = scratch.store();
        let Origin::Built { instead_of, unkept } = get(&store).origin else {
            panic!("there was nothing to load");
        };
        match ending {
            // A file takes its place.
            "table" => {
                assert!(matches!(instead_of, Some(FileError::NoFile)));
                assert!(unkept.is_none(), "{unkept:?}");
                assert!(matches!(get(&scratch.store()).origin, Origin::Cache));
            }
            _ => assert!(matches!(unkept, Some(CacheError::Directory { .. }))),
        }
    }
}

/// Takes the lock on the table as another program would, which then does nothing more.
fn stuck(scratch: &Scratch) -> fs::File {
    fs::create_dir_all(&scratch.0).unwrap();
    let lock = fs::File::create(scratch.file("lock")).unwrap();
    lock.try_lock().unwrap();
    lock
}

#[test]
fn where_another_program_is_stuck_tables_stand_in_memory() {
    let scratch = Scratch::new();
    let _lock = stuck(&scratch);
    let patience = cache::Patience { default: 2, large: u32::MAX };
    let store = TableStore::with(Cache::At(scratch.0.clone()), patience);
    let looks = AtomicU32::new(0);
    let obtained = store.get(spec(), NonZero::<usize>::MIN, &|stage| {
        if stage == Stage::Waiting {
            looks.fetch_add(1, Ordering::Relaxed);
        }
    });
    let Origin::Built { unkept, .. } = obtained.origin else {
        panic!("there was nothing to load");
    };
    assert!(matches!(unkept, Some(CacheError::Locked)), "{unkept:?}");
    assert_eq!(looks.into_inner(), 2);
    assert!(!scratch.file("table").exists());
    assert!(matches!(get(&store).origin, Origin::Memory));
}

#[test]
fn who_waits_for_another_program_holds_up_no_other_table() {
    let scratch = Scratch::new();
    let lock = stuck(&scratch);
    let store = scratch.store();
    let (waits, waiting) = std::sync::mpsc::channel();
    let stands = || store.snapshot().iter().any(|table| table.spec() == spec());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            store.get(spec(), NonZero::<usize>::MIN, &move |stage| {
                if stage == Stage::Waiting {
                    waits.send(()).ok(); // after the first time nobody listens
                }
            })
        });
        waiting.recv().unwrap();
        let other = "2x2-default".parse().unwrap();
        let other = store.get(other, NonZero::<usize>::MIN, &|_| {});
        assert!(matches!(other.origin, Origin::Built { unkept: None, .. }));
        assert!(!stands(), "the other table came only after the wait");
        drop(lock);
        let obtained = waiter.join().unwrap();
        assert!(matches!(obtained.origin, Origin::Built { unkept: None, .. }));
    });
    assert!(stands());
}

#[test]
fn what_is_requested_stands_after_a_while() {
    let scratch = Scratch::new();
    let store = scratch.store();
    store.request(spec());
    store.request(spec());
    // Whoever wants it now waits for whoever is at it.
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

    assert_eq!(cache.remove(&|this| this == spec()).unwrap().len(), 2);
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
fn a_map_outlives_its_file_and_shows_what_it_showed() {
    let scratch = Scratch::new();
    fs::create_dir_all(&scratch.0).unwrap();
    let path = scratch.0.join("mapped");
    fs::write(&path, "a header, then the bytes").unwrap();
    let file = fs::File::open(&path).unwrap();
    let map = mapped::Mapped::new(&file, 10, 14).unwrap();
    assert_eq!(map.as_ref(), b"then the bytes");
    let other = scratch.0.join("other");
    fs::write(&other, "x").unwrap();
    fs::rename(&other, &path).unwrap();
    fs::remove_file(&path).unwrap();
    drop(file);
    assert_eq!(map.as_ref(), b"then the bytes");
}
