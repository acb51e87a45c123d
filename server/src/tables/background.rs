//! Tables that somebody will want: each gets a thread, and the threads take turns.

use super::{Obtained, Origin, Stage, Store, held};
use gridrace_shared::puzzle::tables::{Grade, TableSpec};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tracing::{debug, info, warn};

/// Sees to it that a table stands sooner or later. There are no more threads than tables:
/// some twenty, all but one of them waiting.
pub(super) fn request(store: &Arc<Store>, spec: TableSpec) {
    if !held(&store.asked).insert(spec) {
        return;
    }
    let here = Arc::clone(store);
    let thread = std::thread::Builder::new().name("tables".to_owned());
    if let Err(error) = thread.spawn(move || bring(&here, spec)) {
        warn!(%error, "there is no thread to build tables");
        held(&store.asked).remove(&spec);
    }
}

fn bring(store: &Store, spec: TableSpec) {
    step_back();
    let ignored = |_: Stage| {};
    let Obtained { origin, .. } = store.get(spec, NonZero::<usize>::MIN, &ignored);
    report(store, spec, &origin);
    if let Ok(large) = TableSpec::new(spec.size(), Grade::Large)
        && large != spec
    {
        match store.load(large) {
            Ok(Some(_)) => info!(table = %large, "large tables stand"),
            Ok(None) => {}
            Err(fault) => warn!(table = %large, %fault, "the large tables are not believed"),
        }
    }
}

fn report(store: &Store, spec: TableSpec, origin: &Origin) {
    match origin {
        Origin::Memory | Origin::Cache => debug!(table = %spec, ?origin, "tables stand"),
        Origin::Built { instead_of, unkept } => {
            if let Some(fault) = instead_of {
                warn!(table = %spec, %fault, "the file of tables was not believed");
            }
            // Said once: the next table won't fare better.
            if let Some(error) = unkept
                && !store.said_unkept.swap(true, Ordering::Relaxed)
            {
                warn!(%error, "tables are not kept");
            }
            info!(table = %spec, "tables built");
        }
    }
}

/// Lets everybody else go first: on Linux each thread has a niceness of its own.
pub(crate) fn step_back() {
    #[cfg(target_os = "linux")]
    {
        /// As much as a batch job takes by custom.
        const NICENESS: i32 = 10;
        // Refused, it builds as fast as the others play.
        rustix::process::nice(NICENESS).ok();
    }
}
