//! The services that all rooms share.

use crate::background::board_pool::BoardPool;
use crate::background::board_stock::BoardStock;
use crate::background::cpu_throttle::CpuThrottle;
use crate::background::hint_pool::HintPool;
use crate::background::rating_pool::RatingPool;
use crate::background::solver_tables::SolverTables;
use crate::metrics::Metrics;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use crate::platform::shards::{Shards, TaskWaker};
use crate::race::{HeatSecret, TableReport};
use crate::room::house_bot::ThinkPermits;
use crate::store::Store;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::util::seed::Seed;
use gridrace_tables::TableStore;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc};

/// What tables tell the tournaments, in order and without loss: a few reports for each table and
/// board.
#[derive(Debug, Clone)]
pub(crate) struct TableReports {
    sender: mpsc::UnboundedSender<TableReport>,
    receiver: Arc<Mutex<Option<mpsc::UnboundedReceiver<TableReport>>>>,
}

impl TableReports {
    fn new() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { sender, receiver: Arc::new(Mutex::new(Some(receiver))) }
    }

    pub(super) fn send(&self, report: TableReport) {
        // The server that reads them may be shutting down.
        self.sender.send(report).ok();
    }

    /// Returns the reports, to the first who asks.
    pub(crate) fn take_receiver(&self) -> Option<mpsc::UnboundedReceiver<TableReport>> {
        lock(&self.receiver).take()
    }
}

/// Handles on the worker pools, the store, the metrics and the shards.
#[derive(Debug, Clone)]
pub struct Services {
    pub(crate) environment: Environment,
    pub(crate) clock: Clock,
    pub tables: SolverTables,
    pub boards: BoardPool,
    pub hints: HintPool,
    pub ratings: RatingPool,
    /// Counts the heats that run, beside which ratings are throttled.
    pub(crate) throttle: CpuThrottle,
    /// Bounds how many house bots think at once.
    pub think_permits: ThinkPermits,
    pub metrics: Metrics,
    /// What happens at tables, once it is durable.
    pub(crate) table_reports: TableReports,
    /// Records the rooms; nothing if they end with the server.
    pub(crate) store: Option<Arc<Store>>,
    /// The runtimes in which rooms live.
    pub(crate) shards: Arc<Shards>,
    pub(crate) reaper_queue: Arc<ReaperQueue>,
    /// The keys of the server's operators.
    pub(crate) operators: Arc<BTreeSet<Fingerprint>>,
}

impl Services {
    /// Starts the pools; `draws_ahead` says whether an idle server draws large boards ahead. Must be
    /// called inside a tokio runtime.
    pub(crate) fn start(
        environment: Environment,
        clock: Clock,
        tables: TableStore,
        metrics: Metrics,
        shards: Shards,
        draws_ahead: bool,
    ) -> Self {
        let tables = SolverTables::new(tables);
        let hints = HintPool::start(&environment, tables.clone(), clock);
        let throttle = CpuThrottle::new(&environment, clock);
        let stock = if draws_ahead {
            BoardStock::start(environment.rng.clone(), throttle.clone())
        } else {
            BoardStock::empty()
        };
        let (rated, waits_for) = (tables.clone(), hints.clone());
        Self {
            boards: BoardPool::start(&environment, stock),
            ratings: RatingPool::start(&environment, rated, waits_for, throttle.clone()),
            think_permits: ThinkPermits::for_this_machine(environment.clone(), tables.clone()),
            environment,
            clock,
            hints,
            tables,
            throttle,
            metrics,
            table_reports: TableReports::new(),
            store: None,
            shards: Arc::new(shards),
            reaper_queue: Arc::default(),
            operators: Arc::default(),
        }
    }

    /// Starts the pools of a test's server, without a store, shards and a simulation.
    #[cfg(test)]
    pub(crate) fn for_test() -> Self {
        let (environment, tables) = (Environment::default(), TableStore::default());
        Self::start(environment, Clock::start(), tables, Metrics::new(), Shards::none(), false)
    }

    /// Draws the secret of a heat for a client at this address. Unless the host set a seed, the
    /// board of the secret may be drawn already.
    pub(crate) fn draw_secret(
        &self,
        spec: &PuzzleSpec,
        seed: Option<Seed>,
        from: Option<IpAddr>,
    ) -> HeatSecret {
        let rng = &self.environment.rng;
        let ahead = || self.boards.stock().take_seed(spec, from, self.clock.now());
        match seed.is_none().then(ahead).flatten() {
            Some(ahead) => rng.secret_of(ahead, SeedOrigin::Drawn).into(),
            None => rng.secret(seed).into(),
        }
    }
}

/// The rooms whose last connected member has left, queued until the hub checks whether to close
/// them. Each has its waker, so that it isn't mistaken for a later room of the same code.
#[derive(Debug, Default)]
pub struct ReaperQueue {
    rooms: Mutex<BTreeMap<RoomCode, Arc<TaskWaker>>>,
    wake: Notify,
}

impl ReaperQueue {
    /// Adds a room. May be called under its lock.
    pub fn push(&self, code: RoomCode, waker: &Arc<TaskWaker>) {
        lock(&self.rooms).insert(code, Arc::clone(waker));
        self.wake.notify_one();
    }

    /// Waits until rooms are queued, and takes all of them.
    pub async fn next(&self) -> BTreeMap<RoomCode, Arc<TaskWaker>> {
        self.wake.notified().await;
        std::mem::take(&mut *lock(&self.rooms))
    }
}
