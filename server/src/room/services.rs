//! Where the heats' slow work is done, and where they are kept.

use crate::background::board_pool::BoardPool;
use crate::background::hint_pool::HintPool;
use crate::background::rating_pool::RatingPool;
use crate::background::solver_tables::SolverTables;
use crate::platform::clock::Clock;
use crate::platform::shards::Shards;
use crate::room::house_bot::ThinkPermits;
use crate::store::Store;
use crate::tables::TableStore;
use crate::telemetry::metrics::Metrics;
use std::sync::Arc;

/// Handles on everything that works for the heats.
#[derive(Debug, Clone)]
pub struct Services {
    /// What the solvers have at hand.
    pub shelf: SolverTables,
    /// For the boards themselves.
    pub drawers: BoardPool,
    /// For hints.
    pub hints: HintPool,
    /// For what a heat's board needs.
    pub raters: RatingPool,
    /// For the server's bots.
    pub think_permits: ThinkPermits,
    /// What is counted.
    pub metrics: Metrics,
    /// Where heats are kept; none where they end with the server.
    pub(crate) store: Option<Arc<Store>>,
    /// Where they live.
    pub(crate) shards: Arc<Shards>,
}

impl Services {
    /// Starts all of them. Must be called inside a tokio runtime.
    #[must_use]
    pub(crate) fn start(
        clock: Clock,
        tables: TableStore,
        metrics: Metrics,
        shards: Shards,
    ) -> Self {
        let shelf = SolverTables::new(tables);
        let hints = HintPool::start(shelf.clone(), clock);
        Self {
            drawers: BoardPool::start(),
            raters: RatingPool::start(shelf.clone(), hints.clone()),
            think_permits: ThinkPermits::for_this_machine(shelf.clone()),
            hints,
            shelf,
            metrics,
            store: None,
            shards: Arc::new(shards),
        }
    }
}
