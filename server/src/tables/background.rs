//! Tables that somebody will want: each gets a thread, and the threads take turns.

use super::{Store, held};
use crate::simulated;
use gridrace_shared::puzzle::tables::{Grade, TableSpec};
use std::cell::Cell;
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
    step_back();
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

/// Lets everybody else go first on a thread that does such work again and again.
pub(crate) fn step_back_once() {
    thread_local! {
        static IS_BACK: Cell<bool> = const { Cell::new(false) };
    }
    // A simulation has one thread for everything.
    if !simulated::is_on() && !IS_BACK.replace(true) {
        step_back();
    }
}

/// Lets everybody else go first, on Linux. A nice thread isn't enough: it keeps the core for the
/// milliseconds of its turn, and a move comes upon it three times, where it is heard, written
/// down and answered. One that takes what is left makes room at once.
pub(crate) fn step_back() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy::Idle, ThreadPriority, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        let (own, least) = (thread_native_id(), ThreadPriority::Min);
        let idle = ThreadSchedulePolicy::Normal(Idle);
        // Refused, it builds as fast as the others play.
        set_thread_priority_and_policy(own, least, idle).ok();
    }
}
