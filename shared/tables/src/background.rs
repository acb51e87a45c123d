//! Requested tables: each gets a thread, and one thread builds at a time.

use super::{Store, lock};
use gridrace_shared::puzzle::tables::{Grade, TableSpec};
use std::num::NonZero;
use std::sync::Arc;
use tracing::{info, warn};

/// Starts a thread for a table that was not requested before. There are at most as many threads as
/// tables: some twenty, all but one of them waiting.
pub(super) fn request(store: &Arc<Store>, spec: TableSpec) {
    if !lock(&store.requested).insert(spec) {
        return;
    }
    let shared = Arc::clone(store);
    let thread = std::thread::Builder::new().name("tables".to_owned());
    if let Err(error) = thread.spawn(move || load_or_build(&shared, spec)) {
        warn!(%error, table = %spec, "failed to start a thread for a table");
        lock(&store.requested).remove(&spec);
    }
}

fn load_or_build(store: &Store, spec: TableSpec) {
    // Not idle priority: hints and ratings wait for the table, and it is built once a machine.
    set_low_priority();
    // The store holds the table from here on, and has logged any error.
    drop(store.get(spec, NonZero::<usize>::MIN, &|_| {}));
    if let Ok(large) = TableSpec::new(spec.size(), Grade::Large)
        && large != spec
    {
        match store.load(large) {
            Ok(Some(_)) => info!(table = %large, "large table loaded"),
            Ok(None) => {}
            Err(error) => warn!(table = %large, %error, "large table file rejected"),
        }
    }
}

/// Lowers the priority of this thread, on Linux: there, each thread has a niceness of its own.
fn set_low_priority() {
    #[cfg(target_os = "linux")]
    {
        /// That of a batch job by custom.
        const NICENESS: i32 = 10;
        rustix::process::nice(NICENESS).ok(); // refused, the thread keeps its priority
    }
}
