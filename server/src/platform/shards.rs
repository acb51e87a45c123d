//! Where heats live: on threads with a runtime each, or all of them where the server runs.
//!
//! What belongs to one heat runs on one thread: its deadlines, its bots and the connections of
//! its members. So a move wakes nobody on another core, and nobody waits for a heat's lock. The
//! door has the server's own runtime, and whoever has no seat stays with it: a crowd that shakes
//! hands, or worse, is in no heat's way.

use std::io;
use std::sync::Arc;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, oneshot};

/// The threads, which end with this.
#[derive(Debug, Default)]
pub(crate) struct Shards(Vec<Shard>);

#[derive(Debug)]
struct Shard {
    home: Home,
    /// Dropped at its end.
    _end: oneshot::Sender<()>,
}

/// A runtime in which heats live, or the door's; of each shard's as many handles as heats live
/// there.
#[derive(Debug, Clone)]
pub(crate) struct Home(Arc<Handle>);

/// What wakes a heat's own task, and where that runs.
#[derive(Debug)]
pub(crate) struct Bell {
    wake: Notify,
    home: Home,
}

impl Shards {
    /// Starts so many threads; without any, heats live wherever they are opened.
    ///
    /// # Errors
    /// The system has no threads to give.
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        let start = |number| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let home = Home(Arc::new(runtime.handle().clone()));
            let (end, ended) = oneshot::channel::<()>();
            std::thread::Builder::new()
                .name(format!("shard {number}"))
                .spawn(move || runtime.block_on(ended).ok())?;
            Ok(Shard { home, _end: end })
        };
        (0..count).map(start).collect::<io::Result<_>>().map(Self)
    }

    /// Returns the home for one more heat: where the fewest live. Must be called inside a tokio
    /// runtime.
    pub(crate) fn home(&self) -> Home {
        let homes = self.0.iter().map(|shard| &shard.home);
        let least_busy = homes.min_by_key(|home| Arc::strong_count(&home.0));
        least_busy.map_or_else(Home::here, Home::clone)
    }
}

impl Home {
    fn here() -> Self {
        Self(Arc::new(Handle::current()))
    }

    /// Says whether it is the runtime in which this is called.
    pub(crate) fn is_here(&self) -> bool {
        self.is(&Handle::current())
    }

    /// Says whether another handle leads to the same.
    pub(crate) fn is_that(&self, other: &Self) -> bool {
        self.is(&other.0)
    }

    fn is(&self, other: &Handle) -> bool {
        self.0.id() == other.id()
    }

    /// Runs a task there.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(task);
    }
}

impl Bell {
    /// Hangs a bell in a heat's home.
    pub(crate) fn new(home: Home) -> Arc<Self> {
        let wake = Notify::new();
        Arc::new(Self { wake, home })
    }

    /// Returns where the heat lives.
    pub(crate) const fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn ring(&self) {
        self.wake.notify_one();
    }

    /// Waits until it is rung. Safe to cancel.
    pub(crate) async fn rung(&self) {
        self.wake.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_threads_heats_live_here() {
        assert!(Shards::default().home().is_here());
    }

    #[tokio::test]
    async fn heats_go_where_the_fewest_live() {
        let shards = Shards::start(2).unwrap();
        let (one, other) = (shards.home(), shards.home());
        assert!(!one.is_that(&other) && !one.is_here());
        drop(one);
        let third = shards.home();
        assert!(!third.is_that(&other));
        let (told, there) = oneshot::channel();
        let home = third.clone();
        third.spawn(async move { told.send(home.is_here()).unwrap() });
        assert!(there.await.unwrap());
    }
}
