//! Where the heats' slow work is done, and where they are kept.

use crate::background::board_pool::Drawers;
use crate::background::hint_pool::HintPool;
use crate::background::rating_pool::Raters;
use crate::background::solver_tables::Shelf;
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
    pub shelf: Shelf,
    /// For the boards themselves.
    pub drawers: Drawers,
    /// For hints.
    pub hints: HintPool,
    /// For what a heat's board needs.
    pub raters: Raters,
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
    pub(crate) fn start(tables: TableStore, metrics: Metrics, shards: Shards) -> Self {
        let shelf = Shelf::of(tables);
        let hints = HintPool::start(shelf.clone(), metrics.clone());
        Self {
            drawers: Drawers::start(),
            raters: Raters::start(shelf.clone(), hints.clone()),
            think_permits: ThinkPermits::for_this_machine(shelf.clone()),
            hints,
            shelf,
            metrics,
            store: None,
            shards: Arc::new(shards),
        }
    }
}
