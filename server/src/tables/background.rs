//! Tables that somebody will want: each gets a thread, and the threads take turns.

use super::{Store, held};
use crate::background::idle_pool::set_low_priority;
use gridrace_shared::puzzle::tables::{Grade, TableSpec};
use std::num::NonZero;
use std::sync::Arc;
use tracing::{info, warn};

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
    // Not as far as solvers: hints and ratings wait for it, and it is built once a machine.
    set_low_priority();
    // The store has it from here on, and the log what was amiss.
    drop(store.get(spec, NonZero::<usize>::MIN, &|_| {}));
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
