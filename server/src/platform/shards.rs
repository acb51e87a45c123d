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

/// Rooms that one shard gets before the next shard gets any. A shard with more to do serves several
/// moves at each wake-up: on 16 idle cores and with a journal, 1,000 players in rooms of eight at 5
/// moves a second cost 110 us a move on 16 shards, 73 us on four and 60 us on two.
const ROOMS_PER_SHARD: usize = 64;

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

    /// Returns the runtime for one more room: the first shard with fewer than [`ROOMS_PER_SHARD`],
    /// or else the one with the fewest. Must be called inside a tokio runtime.
    pub(crate) fn assign(&self) -> RuntimeRef {
        // Each room holds a handle on its runtime, and the shard's entry here another.
        let rooms = |shard: &RuntimeRef| Arc::strong_count(&shard.load) - 1;
        self.or_current(self.threads.iter().map(|(shard, _)| shard).min_by_key(|shard| {
            let rooms = rooms(shard);
            if rooms < ROOMS_PER_SHARD { 0 } else { rooms }
        }))
    }

    /// Returns the runtime for what belongs to no room: the shard that gets rooms last. Must be
    /// called inside a tokio runtime.
    pub(crate) fn last(&self) -> RuntimeRef {
        self.or_current(self.threads.last().map(|(shard, _)| shard))
    }

    fn or_current(&self, shard: Option<&RuntimeRef>) -> RuntimeRef {
        shard.cloned().unwrap_or_else(|| RuntimeRef {
            handle: Handle::current(),
            load: Arc::clone(&self.load),
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
    async fn rooms_fill_one_shard_after_the_other_and_then_all_alike() {
        assert!(Shards::none().assign().is_current());
        let shards = Shards::start(3, true).unwrap();
        let mut rooms: Vec<_> = (0..3 * ROOMS_PER_SHARD).map(|_| shards.assign()).collect();
        for shard in rooms.chunks(ROOMS_PER_SHARD) {
            assert!(shard.iter().all(|room| room.is_same(&shard[0])));
        }
        assert!(!rooms[0].is_same(&rooms[ROOMS_PER_SHARD]));
        assert!(shards.last().is_same(rooms.last().unwrap()));
        drop(rooms.remove(ROOMS_PER_SHARD));
        let next = shards.assign();
        assert!(next.is_same(&rooms[ROOMS_PER_SHARD]));
        rooms.push(next);
        let more: Vec<_> = (0..3).map(|_| shards.assign()).collect();
        assert!(
            more.iter().all(|room| more.iter().filter(|other| room.is_same(other)).count() == 1)
        );
        let (told, there) = oneshot::channel();
        let shard = more[1].clone();
        more[1].spawn(async move { told.send(shard.is_current()).unwrap() });
        assert!(there.await.unwrap());
    }
}
