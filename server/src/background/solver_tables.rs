//! What the solvers of all heats have at hand.

use crate::tables::TableStore;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::hint::Solvers;
use std::num::NonZero;

/// A handle on what the solvers use; a clone is one on the same.
#[derive(Debug, Clone)]
pub struct Shelf(TableStore);

impl Shelf {
    /// Takes the tables.
    #[must_use]
    pub const fn of(tables: TableStore) -> Self {
        Self(tables)
    }

    /// Sees to it that what a puzzle's solvers use stands soon, and doesn't wait for it.
    pub fn prepare(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            self.0.request(tables);
        }
    }

    /// Waits until what a puzzle's solvers use stands: where it has to be made, for about a
    /// second of a core (5×5: two or three). For threads of their own.
    pub fn wait_for(&self, spec: &PuzzleSpec) {
        if let Some(tables) = spec.tables() {
            // The snapshot has it from here on.
            drop(self.0.get(tables, NonZero::<usize>::MIN, &|_| {}));
        }
    }

    /// Returns what stands now.
    #[must_use]
    pub fn solvers(&self) -> Solvers {
        Solvers::with_tables(self.0.snapshot())
    }
}
