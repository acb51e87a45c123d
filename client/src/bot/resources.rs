//! The solver resources that the bots of one program share.

use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::plan::SolverResources;
use gridrace_tables::TableStore;
use std::num::NonZero;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The solvers' tables, and as many permits to think as the machine has cores, so that a
/// thousand bots don't take a thousand threads at GO. A clone is a handle on the same.
#[derive(Debug, Clone)]
pub struct BotResources {
    tables: TableStore,
    permits: Arc<Semaphore>,
}

impl BotResources {
    pub fn new(tables: TableStore) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self { tables, permits: Arc::new(Semaphore::new(cores)) }
    }

    /// Requests the tables for a puzzle, and doesn't wait for them.
    pub(super) fn prepare(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            self.tables.request(tables);
        }
    }

    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so there always is one.
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// Returns the solvers with the tables that are ready.
    pub(super) fn solvers(&self) -> SolverResources {
        SolverResources::with_tables(self.tables.snapshot())
    }
}
