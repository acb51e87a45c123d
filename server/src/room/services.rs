//! The services that all rooms share.

use crate::background::board_pool::BoardPool;
use crate::background::hint_pool::HintPool;
use crate::background::rating_pool::RatingPool;
use crate::background::solver_tables::SolverTables;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::shards::Shards;
use crate::race::HeatEvent;
use crate::room::house_bot::ThinkPermits;
use crate::store::Store;
use crate::telemetry::metrics::Metrics;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_tables::TableStore;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Events that a subscriber may lag behind before it misses some: a second of a busy server.
const HEAT_EVENT_BUFFER: usize = 1_024;

/// Something that happened in a room's heat.
#[derive(Debug, Clone)]
#[cfg_attr(not(test), expect(dead_code, reason = "tournaments will subscribe"))]
pub struct RoomEvent {
    pub room: RoomCode,
    pub event: Arc<HeatEvent>,
}

/// Handles on the worker pools, the store, the metrics and the shards.
#[derive(Debug, Clone)]
pub struct Services {
    /// The machine, or a simulation of one.
    pub(crate) environment: Environment,
    pub shelf: SolverTables,
    pub drawers: BoardPool,
    pub hints: HintPool,
    pub raters: RatingPool,
    /// Bounds how many house bots think at once.
    pub think_permits: ThinkPermits,
    pub metrics: Metrics,
    /// What happens in heats, once it is durable.
    pub heat_events: broadcast::Sender<RoomEvent>,
    /// Records the rooms; nothing if they end with the server.
    pub(crate) store: Option<Arc<Store>>,
    /// The runtimes in which rooms live.
    pub(crate) shards: Arc<Shards>,
}

impl Services {
    /// Starts the pools. Must be called inside a tokio runtime.
    pub(crate) fn start(
        environment: Environment,
        clock: Clock,
        tables: TableStore,
        metrics: Metrics,
        shards: Shards,
    ) -> Self {
        let shelf = SolverTables::new(tables);
        let hints = HintPool::start(&environment, shelf.clone(), clock);
        Self {
            drawers: BoardPool::start(&environment),
            raters: RatingPool::start(&environment, shelf.clone(), hints.clone()),
            think_permits: ThinkPermits::for_this_machine(environment.clone(), shelf.clone()),
            environment,
            hints,
            shelf,
            metrics,
            heat_events: broadcast::Sender::new(HEAT_EVENT_BUFFER),
            store: None,
            shards: Arc::new(shards),
        }
    }
}
