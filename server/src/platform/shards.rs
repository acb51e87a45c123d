//! Shards: single-threaded runtimes, each with the rooms that live there.
//!
//! All that belongs to one room runs on one thread: its deadlines, its house bots and the
//! connections of its members. So a move wakes no other core, and rarely waits for a room's lock.
//! Connections without a seat stay in the server's own runtime, so that handshakes and floods
//! delay no room.

use crate::platform::cpu_time::CpuTime;
use crate::platform::load_shedding::LoadShedding;
use std::io;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, oneshot};

/// The threads, which end with this value.
#[derive(Debug)]
pub(crate) struct Shards {
    threads: Vec<(RuntimeRef, oneshot::Sender<()>)>,
    /// The load of the runtime in which rooms live without shards.
    load: Arc<LoadShedding>,
}

#[derive(Debug, Clone)]
pub(crate) struct RuntimeRef {
    handle: Handle,
    load: Arc<LoadShedding>,
}

/// Wakes the task of a room or of the tournaments, and knows its runtime.
#[derive(Debug)]
pub(crate) struct TaskWaker {
    wake: Notify,
    runtime: RuntimeRef,
}

impl Shards {
    /// Starts this many threads; with none, rooms live in the runtime that opens them.
    pub(crate) fn start(count: usize, sheds_load: bool) -> io::Result<Self> {
        let load =
            |read_cpu: fn() -> CpuTime| Arc::new(LoadShedding::new(sheds_load.then_some(read_cpu)));
        let start = |number| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let load = load(CpuTime::of_thread);
            let shard = RuntimeRef { handle: runtime.handle().clone(), load };
            let (end, ended) = oneshot::channel::<()>();
            std::thread::Builder::new()
                .name(format!("shard {number}"))
                .spawn(move || runtime.block_on(ended).ok())?;
            Ok((shard, end))
        };
        let threads = (0..count).map(start).collect::<io::Result<_>>()?;
        Ok(Self { threads, load: load(CpuTime::of_process) })
    }

    /// No threads, and a processor without an idle moment by any clock.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static USED: AtomicU64 = AtomicU64::new(0);
        let saturated = || {
            let used = std::time::Duration::from_secs(USED.fetch_add(3_600, Ordering::Relaxed));
            CpuTime { thread: Some(used), process: used }
        };
        Self { threads: Vec::new(), load: Arc::new(LoadShedding::new(Some(saturated))) }
    }

    /// Returns the runtime for one more room: the shard with the fewest. Must be called inside a
    /// tokio runtime.
    pub(crate) fn assign(&self) -> RuntimeRef {
        let shards = self.threads.iter().map(|(shard, _)| shard);
        // Each room holds a handle on its runtime.
        shards.min_by_key(|shard| Arc::strong_count(&shard.load)).cloned().unwrap_or_else(|| {
            RuntimeRef { handle: Handle::current(), load: Arc::clone(&self.load) }
        })
    }
}

impl RuntimeRef {
    pub(crate) fn is_current(&self) -> bool {
        self.handle.id() == Handle::current().id()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.handle.id() == other.handle.id()
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(task);
    }

    pub(crate) fn load(&self) -> &LoadShedding {
        &self.load
    }
}

impl TaskWaker {
    pub(crate) fn new(runtime: RuntimeRef) -> Arc<Self> {
        Arc::new(Self { wake: Notify::new(), runtime })
    }

    pub(crate) const fn runtime(&self) -> &RuntimeRef {
        &self.runtime
    }

    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits for the next wake-up. Safe to cancel.
    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rooms_go_to_the_shard_with_the_fewest() {
        assert!(Shards::none().assign().is_current());
        let shards = Shards::start(2, true).unwrap();
        let (one, other) = (shards.assign(), shards.assign());
        assert!(!one.is_same(&other) && !one.is_current());
        drop(one);
        let third = shards.assign();
        assert!(!third.is_same(&other));
        let (told, there) = oneshot::channel();
        let shard = third.clone();
        third.spawn(async move { told.send(shard.is_current()).unwrap() });
        assert!(there.await.unwrap());
    }
}
