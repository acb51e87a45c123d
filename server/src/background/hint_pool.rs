//! The hint solvers: a few workers behind a bounded queue.

use crate::background::idle_pool::{IdlePool, Worker};
use crate::background::solver_tables::SolverTables;
use crate::platform;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use gridrace_shared::puzzle::{Board, HintStyle};
use gridrace_shared::solver::budget::{NodesUsed, Unsolved};
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::solver::plan::HintAnswer;
use std::time::Duration;

/// Jobs that may wait: what the workers answer within a few seconds.
const QUEUE: usize = 64;
/// How long the workers may make no progress before the watchdog does their work: some hints of
/// the worst boards.
const WATCHDOG_DELAY: Duration = Duration::from_secs(1);

/// A request to the solver.
#[derive(Debug)]
pub(crate) struct HintJob {
    pub(crate) board: Board,
    /// The board before the player's last move.
    pub(crate) before: Option<Board>,
    pub(crate) style: HintStyle,
    pub(crate) known: SolutionKnowledge,
}

/// The solver's result, and its cost.
#[derive(Debug)]
pub(crate) struct SolvedHint {
    pub(crate) answer: Result<HintAnswer, Unsolved>,
    pub(crate) thought: Duration,
    pub(crate) nodes: NodesUsed,
}

/// A handle on the pool, which ends with the last handle.
pub(crate) type HintPool = IdlePool<HintWorker>;

pub(crate) struct HintWorker {
    tables: SolverTables,
    clock: Clock,
}

impl HintPool {
    /// Starts a worker for each core but one. Races go first: a hint may take a moment longer, a
    /// move may not. Must be called inside a tokio runtime.
    pub(crate) fn start(environment: &Environment, tables: SolverTables, clock: Clock) -> Self {
        let cores = platform::cores();
        let workers = cores.saturating_sub(1).max(1);
        let worker = HintWorker { tables, clock };
        Self::new(environment, "hints", worker, workers, QUEUE, WATCHDOG_DELAY)
    }
}

impl Worker for HintWorker {
    type Job = HintJob;
    type Output = SolvedHint;

    fn run(&self, request: &HintJob, _: &(dyn Fn() + Sync)) -> SolvedHint {
        let HintJob { board, before, style, known } = request;
        let (began, mut nodes) = (self.clock.now(), NodesUsed::default());
        let solvers = self.tables.solvers();
        let before = before.as_ref();
        let answer = HintAnswer::find(board, before, *style, known, &solvers, &mut nodes);
        let thought = Duration::from_micros(self.clock.now().0 - began.0);
        SolvedHint { answer, thought, nodes }
    }
}
