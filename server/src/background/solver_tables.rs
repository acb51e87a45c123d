//! The tables that the solvers of all rooms share.

use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::plan::SolverResources;
use gridrace_tables::TableStore;
use std::num::NonZero;

/// A handle on the tables; clones share them.
#[derive(Debug, Clone)]
pub struct SolverTables(TableStore);

impl SolverTables {
    pub const fn new(tables: TableStore) -> Self {
        Self(tables)
    }

    /// Requests the tables of a puzzle's solvers, without waiting for them.
    pub fn prepare(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            self.0.request(tables);
        }
    }

    /// Blocks until the tables of a puzzle's solvers are there. Building them takes about a
    /// second of a core (5×5: two or three); `pause` is called often meanwhile, unless hints or
    /// bots want the same tables.
    pub fn wait_for(&self, spec: &PuzzleSpec, pause: &(dyn Fn() + Sync)) {
        if let Some(tables) = spec.tables() {
            let watch = |_| {
                if !self.0.is_requested(tables) {
                    pause();
                }
            };
            // `solvers` has them from here on.
            drop(self.0.get(tables, NonZero::<usize>::MIN, &watch));
        }
    }

    pub fn solvers(&self) -> SolverResources {
        SolverResources::with_tables(self.0.snapshot())
    }
}
