//! What the bots of one program think with.

use gridrace_server::tables::TableStore;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::plan::SolverResources;
use std::num::NonZero;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The solvers' tables, and as many places to think as the machine has cores, so that a
/// thousand bots don't want a thousand threads at GO. A clone is a handle on the same.
#[derive(Debug, Clone)]
pub struct Aids {
    tables: TableStore,
    places: Arc<Semaphore>,
}

impl Aids {
    /// Takes the tables.
    #[must_use]
    pub fn of(tables: TableStore) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let places = Arc::new(Semaphore::new(cores));
        Self { tables, places }
    }

    /// Sees to it that what a puzzle's solvers use stands soon, and doesn't wait for it.
    pub(super) fn prepare(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            self.tables.request(tables);
        }
    }

    /// Waits for a place to think; it is free again when it is dropped.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        // Nobody closes it, so there always is one.
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Returns what stands now.
    pub(super) fn solvers(&self) -> SolverResources {
        SolverResources::with_tables(self.tables.snapshot())
    }
}
