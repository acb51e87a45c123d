//! The board ratings: one worker, behind the hints.

use crate::background::hint_pool::HintPool;
use crate::background::idle_pool::{IdlePool, Worker};
use crate::background::solver_tables::SolverTables;
use crate::platform::environment::Environment;
use gridrace_shared::puzzle::{Board, MoveBounds, PuzzleSpec};
use gridrace_shared::solver::rating::rate;
use std::time::Duration;
use tracing::debug;

/// Jobs that may wait: half as many as there may be rooms, half a megabyte.
const QUEUE: usize = 2_048;
/// How long the worker may make no progress before the watchdog does its work. A rating is read
/// after the race, so it may be late.
const WATCHDOG_DELAY: Duration = Duration::from_secs(10);
/// How long a step of a rating waits for the hints at most: ratings make progress even while hints
/// are asked for without a pause.
const MAX_HINTS_WAIT: Duration = Duration::from_secs(1);

pub(crate) struct RatingJob {
    pub(crate) spec: PuzzleSpec,
    pub(crate) board: Board,
    /// Whether the answer is still wanted. Asked before and during the work.
    pub(crate) is_wanted: Box<dyn Fn() -> bool + Send + Sync>,
}

/// A handle on the pool, which ends with the last handle. The output is nothing if the board has no
/// rating, or it is no longer wanted.
pub(crate) type RatingPool = IdlePool<RatingWorker>;

pub(crate) struct RatingWorker {
    tables: SolverTables,
    hints: HintPool,
}

impl RatingPool {
    /// Starts the worker, which waits while the hint pool is busy. Must be called inside a tokio
    /// runtime.
    pub(crate) fn start(environment: &Environment, tables: SolverTables, hints: HintPool) -> Self {
        let worker = RatingWorker { tables, hints };
        Self::new(environment, "ratings", worker, 1, QUEUE, WATCHDOG_DELAY)
    }
}

impl Worker for RatingWorker {
    type Job = RatingJob;
    type Output = Option<MoveBounds>;

    fn run(&self, request: &RatingJob, report_progress: &dyn Fn()) -> Option<MoveBounds> {
        let RatingJob { spec, board, is_wanted } = request;
        if !is_wanted() {
            return None;
        }
        self.tables.wait_for(spec);
        let go_on = || {
            report_progress();
            self.hints.wait_until_idle(MAX_HINTS_WAIT);
            report_progress();
            is_wanted()
        };
        if !go_on() {
            return None;
        }
        match rate(board, &self.tables.solvers(), &go_on) {
            Ok(best) => best,
            Err(error) => {
                debug!(%spec, %error, "board has no rating");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::clock::Clock;
    use gridrace_tables::TableStore;

    /// Returns the rating of a board, and whether its tables were built.
    fn rate_while(
        is_wanted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> (Option<MoveBounds>, bool) {
        let store = TableStore::default();
        let tables = SolverTables::new(store.clone());
        let hints = HintPool::start(&Environment::default(), tables.clone(), Clock::start());
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        let board = spec.board(&"friday".parse().unwrap());
        let request = RatingJob { spec, board, is_wanted: Box::new(is_wanted) };
        let rating = RatingWorker { tables, hints }.run(&request, &|| ());
        (rating, store.snapshot().iter().count() > 0)
    }

    #[tokio::test]
    async fn a_rating_that_is_not_wanted_costs_nothing() {
        let (rating, built) = rate_while(|| true);
        assert!(rating.is_some() && built);
        assert_eq!(rate_while(|| false), (None, false));
    }
}
