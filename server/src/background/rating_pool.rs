//! The board ratings: one worker, behind the hints, and throttled while heats run.

use crate::background::cpu_throttle::CpuThrottle;
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
    throttle: CpuThrottle,
}

impl RatingPool {
    /// Starts the worker, which waits while the hint pool is busy. Must be called inside a tokio
    /// runtime.
    pub(crate) fn start(
        environment: &Environment,
        tables: SolverTables,
        hints: HintPool,
        throttle: CpuThrottle,
    ) -> Self {
        let worker = RatingWorker { tables, hints, throttle };
        Self::new(environment, "ratings", worker, 1, QUEUE, WATCHDOG_DELAY)
    }
}

impl Worker for RatingWorker {
    type Job = RatingJob;
    type Output = Option<MoveBounds>;

    fn run(&self, request: &RatingJob, report_progress: &(dyn Fn() + Sync)) -> Option<MoveBounds> {
        let RatingJob { spec, board, is_wanted } = request;
        if !is_wanted() {
            return None;
        }
        let work = self.throttle.begin_work();
        let wants_tables = || {
            report_progress();
            true
        };
        self.tables.wait_for(spec, &|| {
            work.pause(&wants_tables);
        });
        let is_still_wanted = || {
            report_progress();
            is_wanted()
        };
        let go_on = || {
            report_progress();
            work.idle(|| self.hints.wait_until_idle(MAX_HINTS_WAIT));
            work.pause(&is_still_wanted)
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
    use crate::background::cpu_throttle::tests::{SLICE, SimulatedMachine};
    use crate::platform::clock::Clock;
    use gridrace_tables::TableStore;

    fn worker(store: &TableStore, throttle: CpuThrottle) -> RatingWorker {
        let tables = SolverTables::new(store.clone());
        let hints = HintPool::start(&Environment::default(), tables.clone(), Clock::start());
        RatingWorker { tables, hints, throttle }
    }

    fn job(is_wanted: impl Fn() -> bool + Send + Sync + 'static) -> RatingJob {
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        let board = spec.board(&"friday".parse().unwrap());
        RatingJob { spec, board, is_wanted: Box::new(is_wanted) }
    }

    /// Returns the rating of a board, and whether its tables were built.
    fn rate_while(
        is_wanted: impl Fn() -> bool + Send + Sync + 'static,
    ) -> (Option<MoveBounds>, bool) {
        let store = TableStore::default();
        let throttle = CpuThrottle::new(&Environment::default(), Clock::start());
        let rating = worker(&store, throttle).run(&job(is_wanted), &|| ());
        (rating, store.snapshot().iter().count() > 0)
    }

    #[tokio::test]
    async fn a_rating_that_is_not_wanted_costs_nothing() {
        let (rating, built) = rate_while(|| true);
        assert!(rating.is_some() && built);
        assert_eq!(rate_while(|| false), (None, false));
    }

    #[tokio::test]
    async fn ratings_and_their_tables_use_a_twentieth_of_a_core_while_a_heat_runs() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let worker = worker(&TableStore::default(), throttle.clone());
        let heat = throttle.start_heat();
        // The first builds the tables.
        for _ in 0..10 {
            assert!(worker.run(&job(|| true), &|| ()).is_some());
        }
        let times = machine.times();
        assert!(times.waits > 0);
        // The look at the beginning of a job is no work of it, and the last slice isn't paid for yet.
        let used = times.used - SLICE * 11;
        assert!(used * 100 <= times.now * 5, "{used:?} of {:?}", times.now);
        drop(heat);
        assert!(worker.run(&job(|| true), &|| ()).is_some());
        assert_eq!(machine.times().waits, times.waits);
    }

    #[tokio::test]
    async fn tables_that_hints_want_are_built_without_a_pause() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let _heat = throttle.start_heat();
        let worker = worker(&TableStore::default(), throttle.clone());
        let spec = job(|| true).spec;
        worker.tables.prepare(&spec);
        let work = throttle.begin_work();
        worker.tables.wait_for(&spec, &|| {
            work.pause(&|| true);
        });
        assert_eq!(machine.times().waits, 0);
    }
}
