//! The table store: pattern databases that are built once, cached as files, and shared by all
//! solvers of a program.
//!
//! A file is used only after its header, length and checksum have been checked; a table whose
//! file fails a check is built again. Files are written beside their place and renamed, and a
//! lock makes two programs that want the same table build it once. Without a usable directory
//! tables stay in memory.

mod cache;
mod file;
mod mapping;
#[cfg(test)]
mod tests;

pub use cache::{CACHE_VARIABLE, Cache, CacheError, CacheFile, FileRole, parse_file_name};
pub use file::{FileError, HEADER, check_header};

use cache::{Lock, Patience};
use gridrace_shared::puzzle::tables::{BuildProgress, Table, TableGrade, TableSpec, Tables, build};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::{debug, info, warn};

/// All tables of a program. Clones share them.
#[derive(Debug, Clone)]
pub struct TableStore(Arc<Store>);

#[derive(Debug)]
struct Store {
    cache: Cache,
    loaded: Mutex<Tables>,
    patience: Patience,
    /// For each table, the lock of the thread that loads it, builds it, or waits for another
    /// program to build it.
    table_locks: Mutex<BTreeMap<TableSpec, Arc<Mutex<()>>>>,
    /// Held by the thread that builds: one at a time, to bound memory and cores.
    building: Mutex<()>,
    /// The tables ever requested in the background.
    requested: Mutex<BTreeSet<TableSpec>>,
    /// Whether the log already says that tables can't be cached.
    warned: AtomicBool,
}

/// A table and its origin.
#[derive(Debug)]
pub struct Obtained {
    pub table: Arc<Table>,
    pub origin: Origin,
}

/// Where a table came from.
#[derive(Debug)]
pub enum Origin {
    Memory,
    Cache,
    Built {
        /// Why its file was not used, if there is one.
        rejected: Option<FileError>,
        uncached: Option<CacheError>,
    },
}

/// What the store does for a caller that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildStage {
    /// It waits for another program that builds the same table.
    Waiting,
    Building(BuildProgress),
    Writing,
}

impl Default for TableStore {
    fn default() -> Self {
        Self::new(Cache::Off)
    }
}

impl TableStore {
    pub fn new(cache: Cache) -> Self {
        Self::with(cache, Patience::default())
    }

    fn with(cache: Cache, patience: Patience) -> Self {
        Self(Arc::new(Store {
            cache,
            loaded: Mutex::default(),
            patience,
            table_locks: Mutex::default(),
            building: Mutex::default(),
            requested: Mutex::default(),
            warned: AtomicBool::new(false),
        }))
    }

    pub fn cache(&self) -> &Cache {
        &self.0.cache
    }

    pub fn snapshot(&self) -> Tables {
        lock(&self.0.loaded).clone()
    }

    /// Requests a table, which a background thread of low priority loads or builds. With a default
    /// table it loads the large one of its size, if that is cached. Further requests for the same
    /// table do nothing.
    pub fn request(&self, spec: TableSpec) {
        if !lock(&self.0.requested).insert(spec) {
            return;
        }
        let store = self.clone();
        let thread = std::thread::Builder::new().name("tables".to_owned());
        // At most as many threads as tables: some twenty, all but one of them waiting.
        if let Err(error) = thread.spawn(move || store.load_in_background(spec)) {
            warn!(%error, table = %spec, "failed to start a thread for a table");
            lock(&self.0.requested).remove(&spec);
        }
    }

    /// Returns whether a table was ever requested in the background.
    pub fn is_requested(&self, spec: TableSpec) -> bool {
        lock(&self.0.requested).contains(&spec)
    }

    /// Loads or builds a table.
    ///
    /// `watch` is called often meanwhile, by any of the threads.
    pub fn get(
        &self,
        spec: TableSpec,
        threads: NonZero<usize>,
        watch: &(dyn Fn(BuildStage) + Sync),
    ) -> Obtained {
        let in_memory = || {
            let (table, origin) = (self.loaded(spec)?, Origin::Memory);
            Some(Obtained { table, origin })
        };
        if let Some(obtained) = in_memory() {
            return obtained;
        }
        let table_lock = self.table_lock(spec);
        let _guard = lock(&table_lock);
        // Another thread may have loaded it meanwhile.
        if let Some(obtained) = in_memory() {
            return obtained;
        }
        let (table, origin) = self.load_or_build(spec, threads, watch);
        self.report(spec, &origin);
        let table = self.insert(table);
        Obtained { table, origin }
    }

    /// Loads a table that is in memory or cached, without building it. An error says that its file
    /// fails a check.
    pub fn load(&self, spec: TableSpec) -> Result<Option<Arc<Table>>, FileError> {
        let table_lock = self.table_lock(spec);
        let _guard = lock(&table_lock);
        if let Some(table) = self.loaded(spec) {
            return Ok(Some(table));
        }
        let Ok(Some(directory)) = self.0.cache.directory() else {
            return Ok(None);
        };
        Ok(cache::load(directory, spec)?.map(|table| self.insert(table)))
    }

    fn load_or_build(
        &self,
        spec: TableSpec,
        threads: NonZero<usize>,
        watch: &(dyn Fn(BuildStage) + Sync),
    ) -> (Table, Origin) {
        let build = || {
            let _guard = lock(&self.0.building);
            build(spec, &on_threads(threads), &|done| watch(BuildStage::Building(done)))
        };
        let built = |rejected, uncached| Origin::Built { rejected, uncached };
        let directory = match self.0.cache.directory() {
            Ok(Some(directory)) => directory,
            Ok(None) => return (build(), built(None, None)),
            Err(error) => return (build(), built(None, Some(error))),
        };
        if let Ok(Some(table)) = cache::load(directory, spec) {
            return (table, Origin::Cache);
        }
        let waiting = || watch(BuildStage::Waiting);
        let file_lock = match cache::lock(directory, spec, self.0.patience, &waiting) {
            Ok(file_lock) => file_lock,
            Err(error) => return (build(), built(None, Some(error))),
        };
        // The program that had the lock before may have built it.
        let rejected = match cache::load(directory, spec) {
            Ok(Some(table)) => return (table, Origin::Cache),
            Ok(None) => None,
            Err(error) => Some(error),
        };
        let table = build();
        watch(BuildStage::Writing);
        let (table, uncached) = write_file(directory, table, file_lock.as_ref());
        (table, built(rejected, uncached))
    }

    fn report(&self, spec: TableSpec, origin: &Origin) {
        match origin {
            Origin::Memory | Origin::Cache => debug!(table = %spec, "table loaded"),
            Origin::Built { rejected, uncached } => {
                if let Some(error) = rejected {
                    warn!(table = %spec, %error, "table file rejected; building it again");
                }
                // Logged once: the next table would fail in the same way.
                if let Some(error) = uncached
                    && !self.0.warned.swap(true, Ordering::Relaxed)
                {
                    warn!(%error, "tables can't be cached");
                }
                info!(table = %spec, "table built");
            }
        }
    }

    fn table_lock(&self, spec: TableSpec) -> Arc<Mutex<()>> {
        Arc::clone(lock(&self.0.table_locks).entry(spec).or_default())
    }

    fn loaded(&self, spec: TableSpec) -> Option<Arc<Table>> {
        let loaded = lock(&self.0.loaded);
        loaded.iter().find(|table| table.spec() == spec).cloned()
    }

    fn insert(&self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        let mut loaded = lock(&self.0.loaded);
        *loaded = loaded.with(Arc::clone(&table));
        table
    }

    fn load_in_background(&self, spec: TableSpec) {
        // Not idle priority: hints and ratings wait for the table, and it is built once a machine.
        set_low_priority();
        // The store holds the table from here on, and has logged any error.
        drop(self.get(spec, NonZero::<usize>::MIN, &|_| {}));
        if let Ok(large) = TableSpec::new(spec.size(), TableGrade::Large)
            && large != spec
        {
            match self.load(large) {
                Ok(Some(_)) => info!(table = %large, "large table loaded"),
                Ok(None) => {}
                Err(error) => warn!(table = %large, %error, "large table file rejected"),
            }
        }
    }
}

/// Writes a table's file, and returns the table with the error, if any. A large table or one for
/// multi-tile moves is returned as a map of its file, so that the system can reclaim the memory.
fn write_file(
    directory: &Path,
    table: Table,
    file_lock: Option<&Lock>,
) -> (Table, Option<CacheError>) {
    if let Err(error) = cache::write(directory, &table, file_lock) {
        return (table, Some(error));
    }
    match table.spec().grade() {
        TableGrade::Default => (table, None),
        // A file that can't be read back is found again the next time.
        TableGrade::Large | TableGrade::Mtm => match cache::load(directory, table.spec()) {
            Ok(Some(mapped)) => (mapped, None),
            Ok(None) | Err(_) => (table, None),
        },
    }
}

/// Runs work on this many threads, the caller's included.
fn on_threads(threads: NonZero<usize>) -> impl Fn(&(dyn Fn() + Sync)) {
    move |work| {
        std::thread::scope(|scope| {
            for _ in 1..threads.get() {
                // If a thread can't be started, fewer do the same work.
                std::thread::Builder::new().spawn_scoped(scope, work).ok();
            }
            work();
        });
    }
}

/// Takes a lock, poisoned or not: no code panics between two changes under one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lowers the priority of this thread, on Linux: there, each thread has its own niceness.
fn set_low_priority() {
    #[cfg(target_os = "linux")]
    {
        /// That of a batch job by custom.
        const NICENESS: i32 = 10;
        rustix::process::nice(NICENESS).ok(); // refused, the thread keeps its priority
    }
}
