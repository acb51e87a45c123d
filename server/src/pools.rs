//! Where the heats' slow work is done, and where they are kept.

use crate::bot::Thinkers;
use crate::drawers::Drawers;
use crate::hints::HintPool;
use crate::metrics::Metrics;
use crate::raters::Raters;
use crate::shards::Shards;
use crate::shelf::Shelf;
use crate::store::Store;
use crate::tables::TableStore;
use std::sync::Arc;

/// Handles on everything that works for the heats.
#[derive(Debug, Clone)]
pub struct Pools {
    /// What the solvers have at hand.
    pub shelf: Shelf,
    /// For the boards themselves.
    pub drawers: Drawers,
    /// For hints.
    pub hints: HintPool,
    /// For what a heat's board needs.
    pub raters: Raters,
    /// For the server's bots.
    pub thinkers: Thinkers,
    /// What is counted.
    pub metrics: Metrics,
    /// Where heats are kept; none where they end with the server.
    pub(crate) store: Option<Arc<Store>>,
    /// Where they live.
    pub(crate) shards: Arc<Shards>,
}

impl Pools {
    /// Starts all of them. Must be called inside a tokio runtime.
    #[must_use]
    pub(crate) fn start(tables: TableStore, metrics: Metrics, shards: Shards) -> Self {
        let shelf = Shelf::of(tables);
        let hints = HintPool::start(shelf.clone(), metrics.clone());
        Self {
            drawers: Drawers::start(),
            raters: Raters::start(shelf.clone(), hints.clone()),
            thinkers: Thinkers::of_this_machine(shelf.clone()),
            hints,
            shelf,
            metrics,
            store: None,
            shards: Arc::new(shards),
        }
    }
}
