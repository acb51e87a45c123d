//! The table store: pattern databases that are built once, kept in a cache directory, and
//! shared by everything in the program.
//!
//! A file is believed only after its header, length and checksum have been checked; any
//! other is built anew. Files come into being whole, by renaming; a lock makes two programs
//! that want the same table build it once. Without a usable directory everything works in
//! memory.

mod background;
mod cache;
mod file;
mod mapped;
#[cfg(test)]
mod tests;

pub use cache::{CACHE_VARIABLE, Cache, CacheError, CacheFile, FileRole};
pub use file::{FileError, HEADER, check_header};

pub(crate) use cache::read_name;
use cache::{Lock, Patience};
use gridrace_shared::puzzle::tables::{Grade, Progress, Table, TableSpec, Tables, build};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::{debug, info, warn};

/// All tables of the program. A clone is another handle on the same ones.
#[derive(Debug, Clone)]
pub struct TableStore(Arc<Store>);

#[derive(Debug)]
struct Store {
    cache: Cache,
    standing: Mutex<Tables>,
    /// How long to wait for another program.
    patience: Patience,
    /// For each table, what is held by who loads or builds it, or waits for another program
    /// to build it.
    turns: Mutex<BTreeMap<TableSpec, Arc<Mutex<()>>>>,
    /// Held by who builds: one at a time, so that memory and cores are enough.
    building: Mutex<()>,
    /// What was ever asked for in the background, so that nothing is built twice.
    asked: Mutex<BTreeSet<TableSpec>>,
    /// The log has it that tables can't be kept.
    said_unkept: AtomicBool,
}

/// A table, and what it took to get it.
#[derive(Debug)]
pub struct Obtained {
    /// The table.
    pub table: Arc<Table>,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a table came from.
#[derive(Debug)]
pub enum Origin {
    /// It stood already.
    Memory,
    /// It was kept.
    Cache,
    /// It was built.
    Built {
        /// Why the file that was kept isn't believed, where there was one.
        instead_of: Option<FileError>,
        /// Why it can't be kept, where it can't.
        unkept: Option<CacheError>,
    },
}

/// What the store is at, for whoever waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Another program builds this very table.
    Waiting,
    /// It is being built here.
    Building(Progress),
    /// It is on its way to the disk.
    Keeping,
}

impl Default for TableStore {
    /// Makes a store that keeps nothing on disk.
    fn default() -> Self {
        Self::new(Cache::Off)
    }
}

impl TableStore {
    /// Makes a store that keeps its tables in a cache.
    #[must_use]
    pub fn new(cache: Cache) -> Self {
        Self::with(cache, Patience::default())
    }

    fn with(cache: Cache, patience: Patience) -> Self {
        Self(Arc::new(Store {
            cache,
            standing: Mutex::default(),
            patience,
            turns: Mutex::default(),
            building: Mutex::default(),
            asked: Mutex::default(),
            said_unkept: AtomicBool::new(false),
        }))
    }

    /// Returns where the tables are kept.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.0.cache
    }

    /// Returns the tables that stand now.
    #[must_use]
    pub fn snapshot(&self) -> Tables {
        held(&self.0.standing).clone()
    }

    /// Asks for a table, which stands sooner or later: it is loaded or built in the
    /// background, on one core and at a low priority. With a default one comes the large
    /// one of its size, where that is kept. Asking again costs nothing.
    pub fn request(&self, spec: TableSpec) {
        background::request(&self.0, spec);
    }

    /// Loads or builds a table, and returns when it stands.
    ///
    /// `watch` is called often while it takes long, by any of the threads.
    #[must_use]
    pub fn get(
        &self,
        spec: TableSpec,
        threads: NonZero<usize>,
        watch: &(dyn Fn(Stage) + Sync),
    ) -> Obtained {
        self.0.get(spec, threads, watch)
    }

    /// Loads a table that stands or is kept, and builds none.
    ///
    /// # Errors
    /// [`FileError`] where the file that is kept isn't believed.
    pub fn load(&self, spec: TableSpec) -> Result<Option<Arc<Table>>, FileError> {
        self.0.load(spec)
    }
}

impl Store {
    fn get(
        &self,
        spec: TableSpec,
        threads: NonZero<usize>,
        watch: &(dyn Fn(Stage) + Sync),
    ) -> Obtained {
        let in_memory = || {
            let (table, origin) = (self.standing(spec)?, Origin::Memory);
            Some(Obtained { table, origin })
        };
        if let Some(obtained) = in_memory() {
            return obtained;
        }
        let turn = self.turn(spec);
        let _one_at_a_time = held(&turn);
        // Whoever was at it before may have brought it.
        if let Some(obtained) = in_memory() {
            return obtained;
        }
        let (table, origin) = self.load_or_build(spec, threads, watch);
        self.report(spec, &origin);
        let table = self.stand(table);
        Obtained { table, origin }
    }

    fn load(&self, spec: TableSpec) -> Result<Option<Arc<Table>>, FileError> {
        let turn = self.turn(spec);
        let _one_at_a_time = held(&turn);
        if let Some(table) = self.standing(spec) {
            return Ok(Some(table));
        }
        let Ok(Some(directory)) = self.cache.directory() else {
            return Ok(None);
        };
        Ok(cache::load(directory, spec)?.map(|table| self.stand(table)))
    }

    fn load_or_build(
        &self,
        spec: TableSpec,
        threads: NonZero<usize>,
        watch: &(dyn Fn(Stage) + Sync),
    ) -> (Table, Origin) {
        let anew = || {
            let _one_at_a_time = held(&self.building);
            build(spec, &crew(threads), &|done| watch(Stage::Building(done)))
        };
        let built = |instead_of, unkept| Origin::Built { instead_of, unkept };
        let directory = match self.cache.directory() {
            Ok(Some(directory)) => directory,
            Ok(None) => return (anew(), built(None, None)),
            Err(error) => return (anew(), built(None, Some(error))),
        };
        if let Ok(Some(table)) = cache::load(directory, spec) {
            return (table, Origin::Cache);
        }
        let waiting = || watch(Stage::Waiting);
        let lock = match cache::lock(directory, spec, self.patience, &waiting) {
            Ok(lock) => lock,
            Err(error) => return (anew(), built(None, Some(error))),
        };
        // Whoever had the lock before may have built it.
        let instead_of = match cache::load(directory, spec) {
            Ok(Some(table)) => return (table, Origin::Cache),
            Ok(None) => None,
            Err(fault) => Some(fault),
        };
        let table = anew();
        watch(Stage::Keeping);
        let (table, unkept) = keep(directory, table, lock.as_ref());
        (table, built(instead_of, unkept))
    }

    fn report(&self, spec: TableSpec, origin: &Origin) {
        match origin {
            Origin::Memory | Origin::Cache => debug!(table = %spec, "tables loaded"),
            Origin::Built { instead_of, unkept } => {
                if let Some(fault) = instead_of {
                    warn!(table = %spec, %fault, "the file of tables was not believed");
                }
                // Said once: the next table won't fare better.
                if let Some(error) = unkept
                    && !self.said_unkept.swap(true, Ordering::Relaxed)
                {
                    warn!(%error, "tables are not kept");
                }
                info!(table = %spec, "tables built");
            }
        }
    }

    fn turn(&self, spec: TableSpec) -> Arc<Mutex<()>> {
        Arc::clone(held(&self.turns).entry(spec).or_default())
    }

    fn standing(&self, spec: TableSpec) -> Option<Arc<Table>> {
        let standing = held(&self.standing);
        standing.iter().find(|table| table.spec() == spec).cloned()
    }

    fn stand(&self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        let mut standing = held(&self.standing);
        *standing = standing.with(Arc::clone(&table));
        table
    }
}

/// Keeps a table, and hands it back with what went wrong: a large one as its file, so that
/// its memory is the system's to reclaim.
fn keep(directory: &Path, table: Table, lock: Option<&Lock>) -> (Table, Option<CacheError>) {
    if let Err(error) = cache::keep(directory, &table, lock) {
        return (table, Some(error));
    }
    match table.spec().grade() {
        Grade::Default => (table, None),
        // What isn't on the disk as it was written will be found so the next time, too.
        Grade::Large => match cache::load(directory, table.spec()) {
            Ok(Some(mapped)) => (mapped, None),
            Ok(None) | Err(_) => (table, None),
        },
    }
}

/// Lends so many threads, the caller's own among them.
fn crew(threads: NonZero<usize>) -> impl Fn(&(dyn Fn() + Sync)) {
    move |work| {
        std::thread::scope(|scope| {
            for _ in 1..threads.get() {
                // Where the system has no thread to give, fewer do the same work.
                std::thread::Builder::new().spawn_scoped(scope, work).ok();
            }
            work();
        });
    }
}

/// Takes a lock. Nothing is half done under any of them, so one that a panic has poisoned
/// is as good as another.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
