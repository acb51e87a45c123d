//! The search for a solution: which solver, with which tables, for how long.

use crate::cli::args::solve::{MetricChoice, SolveArgs, SolverChoice};
use crate::cli::signals::{ExitOnSignal, Interrupt};
use crate::commands::progress_bar::Bar;
use crate::commands::tables::{bring, loaded, warn};
use crate::net::clock::Clock;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::solve::tables::{TableGrade, TableSpec, Tables};
use gridrace_shared::puzzle::slide::solve::{
    AnytimeSearch, Enumeration, Extent, GoalTransform, IdaStar, Improvement, MtmSearch,
    NextSolution, Quality, ShortestSearch, Solution, StageMoves, constructive_by_stages, solve,
};
use gridrace_shared::solver::budget::{Budget, Unsolved};
use gridrace_shared::util::grid::{Direction, Size};
use gridrace_tables::{Cache, TableStore};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// The most cells of a board for which a shortest solution is looked for unasked.
pub const OPTIMAL_CELLS: usize = 16;
/// The most cells of a board for which a short solution is looked for unasked.
const NEAR_CELLS: usize = 256;
/// The work of the near solver where nothing else is said, in nodes: about a second.
const NEAR_BUDGET: u64 = 10_000_000;
/// The work for a shortest solution that wasn't asked for, in nodes: some seconds, which one
/// board of 2×8 in twenty exceeds.
const UNASKED_BUDGET: u64 = 100_000_000;
/// The work between two looks at the clock, in nodes: milliseconds for either solver.
const NEAR_SLICE: u64 = 20_000;
const OPTIMAL_SLICE: u64 = 200_000;

pub struct Searches<'a> {
    args: &'a SolveArgs,
    goal: Option<Board>,
    /// For a goal other than the board in order.
    transform: Option<GoalTransform>,
    store: TableStore,
    prepared: RefCell<BTreeSet<Size>>,
    interrupt: Interrupt,
}

/// A solution, and what it took.
pub struct FoundSolution {
    pub solution: Solution,
    /// The proven lower bound on the moves of every solution, in the metric that was asked for.
    pub at_least: u32,
    /// The nodes of all searches for it.
    pub nodes: u64,
    pub solver: &'static str,
    /// How long the search took, tables aside.
    pub time: Duration,
    /// No solution has fewer moves of the metric that was asked for.
    pub optimal: bool,
    pub interrupted: bool,
    /// The stages of a person's method, if it was asked for.
    pub stages: Vec<StageMoves>,
}

impl FoundSolution {
    fn new(solution: Solution, solver: &'static str) -> Self {
        Self {
            at_least: solution.at_least(),
            nodes: solution.nodes(),
            optimal: solution.is_optimal(),
            solution,
            solver,
            time: Duration::ZERO,
            interrupted: false,
            stages: Vec::new(),
        }
    }

    /// A solution with the fewest multi-tile moves.
    fn fewest_slides(solution: Solution) -> Self {
        let (at_least, optimal) = (solution.count().acts, true);
        Self { at_least, optimal, ..Self::new(solution, name(Quality::Optimal)) }
    }

    /// Adds what an earlier search for a shortest solution has proven and used.
    fn after(mut self, proof: &ShortestSearch) -> Self {
        self.at_least = self.at_least.max(proof.at_least());
        self.optimal = self.at_least == self.solution.len();
        self.nodes = self.nodes.saturating_add(proof.nodes());
        self
    }
}

/// The most solutions that are listed, as `--count` says too.
pub const MOST_SOLUTIONS: usize = 10_000;

/// Several solutions, the shortest first.
pub struct FoundSolutions {
    pub solutions: Vec<Solution>,
    pub end: ListEnd,
    /// The proven lower bound on the moves of the solutions that are left.
    pub at_least: u32,
    pub nodes: u64,
    /// How long the search took, tables aside.
    pub time: Duration,
}

/// Why a list of solutions ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListEnd {
    /// There are no more of those that were asked for.
    Complete,
    /// As many as were asked for.
    Enough,
    /// More than [`MOST_SOLUTIONS`].
    TooMany,
    OverBudget,
    Interrupted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    Unsolvable,
    /// The fewest multi-tile moves aren't looked for on boards of that many cells.
    TooLarge,
    OverBudget {
        /// The proven lower bound on the moves of a solution, in the metric that was asked for.
        at_least: u32,
    },
    /// Ctrl-C came first.
    Interrupted {
        /// The proven lower bound on the moves of a solution, in the metric that was asked for.
        at_least: u32,
    },
}

impl From<Unsolved> for NotFound {
    fn from(unsolved: Unsolved) -> Self {
        match unsolved {
            Unsolved::Unsolvable => Self::Unsolvable,
            Unsolved::OverBudget => Self::OverBudget { at_least: 0 },
        }
    }
}

impl<'a> Searches<'a> {
    /// Gets ready for what the command line asks for; without a goal every board is to be
    /// put in order.
    pub fn new(args: &'a SolveArgs, goal: Option<Board>) -> Self {
        let cache = Cache::choose(args.cache_dir.as_deref());
        let other = goal.as_ref().filter(|goal| !goal.is_solved());
        Self {
            args,
            transform: other.map(GoalTransform::new),
            goal,
            store: TableStore::new(cache),
            prepared: RefCell::default(),
            interrupt: Interrupt::listen(),
        }
    }

    pub const fn goal(&self) -> Option<&Board> {
        self.goal.as_ref()
    }

    pub fn solve(&self, board: &Board) -> Result<FoundSolution, NotFound> {
        if self.goal.as_ref().is_some_and(|goal| goal.size() != board.size()) {
            return Err(NotFound::Unsolvable);
        }
        if self.args.solver == SolverChoice::Human {
            return self.human(board);
        }
        let quality = self.quality(board.size());
        if self.args.metric == MetricChoice::Mtm && is_too_large_for_mtm(board.size()) {
            return Err(NotFound::TooLarge);
        }
        let (start, walk) = self.transformed(board)?;
        if quality != Quality::Quick || self.args.large {
            self.prepare(board.size());
        }
        let clock = Clock::start();
        let unasked = self.args.solver == SolverChoice::Auto;
        let found = match (self.args.metric, quality) {
            (MetricChoice::Mtm, _) => {
                let search = MtmSearch::towards(&start, walk, &self.store.snapshot())?;
                let search = ShortestSearch::MultiTile(search);
                FoundSolution::fewest_slides(self.restore(self.shortest(search)?))
            }
            (MetricChoice::Stm, Quality::Quick) => {
                FoundSolution::new(self.restore_with_walk(self.quick(&start)?), name(quality))
            }
            (MetricChoice::Stm, Quality::Optimal) if unasked => {
                self.optimal_or_near(&start, walk, &clock)?
            }
            (MetricChoice::Stm, Quality::Optimal) => {
                let search = IdaStar::towards(&start, walk, &self.store.snapshot())?;
                let search = ShortestSearch::SingleTile(search);
                FoundSolution::new(self.restore(self.shortest(search)?), name(quality))
            }
            (MetricChoice::Stm, Quality::Near) => {
                let section = self.begin_unpolled()?;
                let search = AnytimeSearch::new(&start, &self.store.snapshot())?;
                drop(section);
                let budget = match (self.args.budget, self.args.time) {
                    (Some(budget), _) => budget,
                    (None, Some(_)) => u64::MAX,
                    (None, None) => NEAR_BUDGET,
                };
                self.near(search, budget, &clock)
            }
        };
        Ok(FoundSolution { time: clock.elapsed(), ..found })
    }

    /// Lists all shortest solutions, or as many as `--count` says.
    pub fn list_solutions(&self, board: &Board) -> Result<FoundSolutions, Unsolved> {
        let (start, walk) = self.transformed(board)?;
        self.prepare(board.size());
        let clock = Clock::start();
        let extent = if self.args.all { Extent::Shortest } else { Extent::All };
        let tables = self.store.snapshot();
        let search = match self.args.metric {
            MetricChoice::Stm => {
                ShortestSearch::SingleTile(IdaStar::towards(&start, walk, &tables)?)
            }
            MetricChoice::Mtm => {
                ShortestSearch::MultiTile(MtmSearch::towards(&start, walk, &tables)?)
            }
        };
        let mut search = Enumeration::new(search, extent);
        let wanted = self.args.count.map(usize::from);
        let budget = self.args.budget.unwrap_or(u64::MAX);
        let mut solutions = Vec::new();
        let bar = Bar::new();
        let end = loop {
            if wanted == Some(solutions.len()) {
                break ListEnd::Enough;
            }
            if self.interrupted() {
                break ListEnd::Interrupted;
            }
            let left = budget.saturating_sub(search.nodes());
            match search.advance(Budget(left.min(OPTIMAL_SLICE))) {
                NextSolution::Found(_) if solutions.len() == MOST_SOLUTIONS => {
                    break ListEnd::TooMany;
                }
                NextSolution::Found(solution) => solutions.push(self.restore(solution)),
                NextSolution::Finished => break ListEnd::Complete,
                NextSolution::OverBudget if left <= OPTIMAL_SLICE => {
                    break ListEnd::OverBudget;
                }
                NextSolution::OverBudget => {}
            }
            bar.show(|elapsed| listing(solutions.len(), &search, elapsed));
        };
        let (at_least, nodes) = (search.at_least(), search.nodes());
        Ok(FoundSolutions { solutions, end, at_least, nodes, time: clock.elapsed() })
    }

    pub fn interrupted(&self) -> bool {
        self.interrupt.is_requested()
    }

    /// Begins work that doesn't poll: until the guard is dropped, a signal ends the program at once.
    pub fn exit_on_signal(&self) -> ExitOnSignal<'_> {
        self.interrupt.exit_on_signal()
    }

    /// Begins a search that doesn't poll. Fails if Ctrl-C came before.
    fn begin_unpolled(&self) -> Result<ExitOnSignal<'_>, NotFound> {
        let section = self.exit_on_signal();
        if self.interrupted() { Err(NotFound::Interrupted { at_least: 0 }) } else { Ok(section) }
    }

    /// Says which tables are at hand, by name.
    pub fn tables(&self) -> Vec<String> {
        let tables = self.store.snapshot();
        tables.iter().map(|table| table.spec().to_string()).collect()
    }

    fn quality(&self, size: Size) -> Quality {
        if self.args.metric == MetricChoice::Mtm {
            return Quality::Optimal;
        }
        match (self.args.solver, size.cells()) {
            (SolverChoice::Quick | SolverChoice::Human, _) => Quality::Quick,
            (SolverChoice::Near, _) => Quality::Near,
            (SolverChoice::Optimal, _) => Quality::Optimal,
            (SolverChoice::Auto, _) if self.args.time.is_some() => Quality::Near,
            (SolverChoice::Auto, ..=OPTIMAL_CELLS) => Quality::Optimal,
            (SolverChoice::Auto, ..=NEAR_CELLS) => Quality::Near,
            (SolverChoice::Auto, _) => Quality::Quick,
        }
    }

    /// Brings the tables for a size and the metric, once: large ones where they are kept or asked
    /// for, else default ones.
    fn prepare(&self, size: Size) {
        if !self.prepared.borrow_mut().insert(size) {
            return;
        }
        let _section = self.exit_on_signal();
        let spec = |grade| TableSpec::new(size, grade);
        if self.args.metric == MetricChoice::Mtm {
            if let Ok(table) = spec(TableGrade::Mtm) {
                bring(&self.store, table);
            }
            return;
        }
        match spec(TableGrade::Large) {
            Ok(large) if self.args.large => return bring(&self.store, large),
            Ok(large) if loaded(&self.store, large) => return,
            Err(none) if self.args.large => warn(&none.to_string()),
            Ok(_) | Err(_) => {}
        }
        if let Ok(default) = spec(TableGrade::Default) {
            bring(&self.store, default);
        }
    }

    fn human(&self, board: &Board) -> Result<FoundSolution, NotFound> {
        let clock = Clock::start();
        let budget = Budget(self.args.budget.unwrap_or(u64::MAX));
        let _section = self.begin_unpolled()?;
        let (solution, stages) = constructive_by_stages(board, budget)?;
        let time = clock.elapsed();
        Ok(FoundSolution { time, stages, ..FoundSolution::new(solution, "human") })
    }

    fn quick(&self, board: &Board) -> Result<Solution, NotFound> {
        let budget = Budget(self.args.budget.unwrap_or(u64::MAX));
        let _section = self.begin_unpolled()?;
        let solved = solve(board, Quality::Quick, budget, &Tables::none());
        Ok(solved?)
    }

    /// Returns the board as the searches take it, and the walk from the standard goal to theirs.
    fn transformed(&self, board: &Board) -> Result<(Board, &[Direction]), Unsolved> {
        match &self.transform {
            Some(transform) => Ok((transform.transform_board(board)?, transform.walk())),
            None => Ok((board.clone(), &[])),
        }
    }

    fn restore(&self, solution: Solution) -> Solution {
        match &self.transform {
            Some(transform) => transform.restore(&solution),
            None => solution,
        }
    }

    fn restore_with_walk(&self, solution: Solution) -> Solution {
        match &self.transform {
            Some(transform) => transform.restore_with_walk(&solution),
            None => solution,
        }
    }

    /// Looks for a shortest solution until there is one or the budget is spent.
    fn shortest(&self, mut search: ShortestSearch) -> Result<Solution, NotFound> {
        let budget = self.args.budget.unwrap_or(u64::MAX);
        let solution = self.deepen(&mut search, budget);
        let at_least = search.at_least();
        solution.ok_or(match self.interrupted() {
            true => NotFound::Interrupted { at_least },
            false => NotFound::OverBudget { at_least },
        })
    }

    /// Looks for a shortest solution; if that takes more than half of the budget or Ctrl-C is pressed,
    /// answers with the best that is found otherwise.
    fn optimal_or_near(
        &self,
        start: &Board,
        walk: &[Direction],
        clock: &Clock,
    ) -> Result<FoundSolution, NotFound> {
        let tables = self.store.snapshot();
        let mut search = ShortestSearch::SingleTile(IdaStar::towards(start, walk, &tables)?);
        let for_proof = self.args.budget.map_or(UNASKED_BUDGET, |budget| budget / 2);
        if let Some(solution) = self.deepen(&mut search, for_proof) {
            return Ok(FoundSolution::new(self.restore(solution), name(Quality::Optimal)));
        }
        let spent = search.nodes();
        let left = self.args.budget.map_or(NEAR_BUDGET, |budget| budget.saturating_sub(spent));
        // The near solver goes on with a proof for the standard goal only.
        Ok(match (search, walk) {
            (ShortestSearch::SingleTile(search), []) => {
                let search = AnytimeSearch::from_proof(search, &tables)?;
                self.near(search, spent.saturating_add(left), clock)
            }
            (search, _) => {
                self.near(AnytimeSearch::new(start, &tables)?, left, clock).after(&search)
            }
        })
    }

    /// Searches on for a shortest solution, within a budget and until Ctrl-C is pressed.
    fn deepen(&self, search: &mut ShortestSearch, budget: u64) -> Option<Solution> {
        let mut left = budget;
        let bar = Bar::new();
        while left > 0 {
            let slice = left.min(OPTIMAL_SLICE);
            if let Some(solution) = search.search(Budget(slice)) {
                return Some(solution);
            }
            if self.interrupted() {
                return None;
            }
            left -= slice;
            bar.show(|elapsed| deepening(search, elapsed));
        }
        None
    }

    /// Searches until the time is over, the search has spent `budget` nodes with those of its proof, or
    /// Ctrl-C is pressed.
    fn near(&self, mut search: AnytimeSearch, budget: u64, clock: &Clock) -> FoundSolution {
        let time = self.args.time;
        let bar = Bar::new();
        let mut left = budget.saturating_sub(search.best().nodes());
        let mut interrupted = false;
        while left > 0 && time.is_none_or(|time| clock.elapsed() < time) {
            interrupted = self.interrupted();
            if interrupted {
                break;
            }
            let slice = left.min(NEAR_SLICE);
            if search.improve(Budget(slice)) == Improvement::Finished {
                break;
            }
            left -= slice;
            bar.show(|elapsed| searching(search.best(), elapsed));
        }
        let solution = self.restore_with_walk(search.into_best());
        FoundSolution { interrupted, ..FoundSolution::new(solution, name(Quality::Near)) }
    }
}

fn deepening(search: &ShortestSearch, elapsed: Duration) -> String {
    let (at_least, nodes) = (search.at_least(), search.nodes());
    let seconds = elapsed.as_secs_f64();
    format!("no solution below {at_least} moves, {nodes} nodes, {seconds:.1} s")
}

fn listing(count: usize, search: &Enumeration, elapsed: Duration) -> String {
    let (at_least, nodes) = (search.at_least(), search.nodes());
    let seconds = elapsed.as_secs_f64();
    format!("{count} solutions, at {at_least} moves, {nodes} nodes, {seconds:.1} s")
}

fn searching(best: &Solution, elapsed: Duration) -> String {
    let (moves, too_long) = (best.len(), best.at_most_too_long());
    let seconds = elapsed.as_secs_f64();
    format!("{moves} moves, at most {too_long} too long, {seconds:.1} s (Ctrl-C: enough)")
}

/// Says whether a board is too large for the fewest multi-tile moves; in a single row or column
/// there is at most one.
pub const fn is_too_large_for_mtm(size: Size) -> bool {
    size.cells() > OPTIMAL_CELLS && size.rows() > 1 && size.cols() > 1
}

const fn name(quality: Quality) -> &'static str {
    match quality {
        Quality::Quick => "quick",
        Quality::Near => "near",
        Quality::Optimal => "optimal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        solve: SolveArgs,
    }

    fn args(words: &[&str]) -> SolveArgs {
        Line::parse_from([&["solve"], words].concat()).solve
    }

    #[test]
    fn the_solver_is_picked_by_size_unless_it_is_named() {
        let picked = |words: &[&str], size: &str| {
            let args = args(words);
            Searches::new(&args, None).quality(size.parse().unwrap())
        };
        for (size, quality) in [
            ("3x3", Quality::Optimal),
            ("4x4", Quality::Optimal),
            ("2x8", Quality::Optimal),
            ("5x5", Quality::Near),
            ("16x16", Quality::Near),
            ("100x100", Quality::Quick),
        ] {
            assert_eq!(picked(&[], size), quality, "{size}");
            assert_eq!(picked(&["--solver", "quick"], size), Quality::Quick);
            assert_eq!(picked(&["--time", "1"], size), Quality::Near);
        }
        assert_eq!(picked(&["--solver", "optimal"], "5x5"), Quality::Optimal);
        assert_eq!(picked(&["--metric", "mtm"], "5x5"), Quality::Optimal);
    }

    #[test]
    fn a_search_that_is_interrupted_answers_with_the_best_so_far() {
        let args = args(&["--time", "1000000"]);
        let searches = Searches {
            store: TableStore::default(),
            interrupt: Interrupt::requested(),
            ..Searches::new(&args, None)
        };
        let board: Board =
            "24 23 22 21 20/19 18 17 16 15/14 13 12 11 10/9 8 7 6 5/4 3 2 1 0".parse().unwrap();
        let search = AnytimeSearch::new(&board, &Tables::none()).unwrap();
        let found = searches.near(search, u64::MAX, &Clock::start());
        assert!(found.interrupted);
        assert!(found.solution.solves(&board));
        let search = IdaStar::new(&board, &Tables::none()).unwrap();
        let search = ShortestSearch::SingleTile(search);
        assert!(matches!(
            searches.shortest(search),
            Err(NotFound::Interrupted { at_least: 100.. })
        ));
        let listed = searches.list_solutions(&board).unwrap();
        assert!(listed.end == ListEnd::Interrupted && listed.at_least >= 100);
    }

    #[test]
    fn a_search_that_doesn_t_poll_is_not_begun_after_an_interrupt() {
        let board: Board = "1 2 3/4 0 6/7 5 8".parse().unwrap();
        for solver in ["near", "quick", "human"] {
            let args = args(&["--solver", solver]);
            let searches = Searches {
                store: TableStore::default(),
                interrupt: Interrupt::requested(),
                ..Searches::new(&args, None)
            };
            let found = searches.solve(&board);
            assert!(matches!(found, Err(NotFound::Interrupted { at_least: 0 })), "{solver}");
        }
    }

    #[test]
    fn unasked_a_shortest_solution_is_not_looked_for_beyond_a_budget() {
        let args = args(&["--budget", "40000"]);
        let searches = Searches { store: TableStore::default(), ..Searches::new(&args, None) };
        let board: Board = "13 6 8 12/15 14 0 10/11 7 4 5/9 1 3 2".parse().unwrap();
        let known = IdaStar::new(&board, &Tables::none()).unwrap().at_least();
        let found = searches.optimal_or_near(&board, &[], &Clock::start()).unwrap();
        assert!(!found.optimal, "that was too little to prove anything");
        assert!(found.solution.solves(&board));
        assert!((known + 2..found.solution.len()).contains(&found.at_least));
    }

    #[test]
    fn the_near_solver_keeps_what_a_search_for_a_goal_in_no_corner_has_proven() {
        let args = args(&["--budget", "400000"]);
        let goal = "1 2 3 4/5 0 6 7/8 9 10 11/12 13 14 15".parse().unwrap();
        let searches =
            Searches { store: TableStore::default(), ..Searches::new(&args, Some(goal)) };
        let board: Board = "13 6 8 12/15 14 0 10/11 7 4 5/9 1 3 2".parse().unwrap();
        let (start, walk) = searches.transformed(&board).unwrap();
        let alone = IdaStar::towards(&start, walk, &Tables::none()).unwrap();
        let mut alone = ShortestSearch::SingleTile(alone);
        assert_eq!(searches.deepen(&mut alone, 200_000), None);
        let found = searches.optimal_or_near(&start, walk, &Clock::start()).unwrap();
        assert!(found.at_least >= alone.at_least(), "{} proven", found.at_least);
        assert!((alone.nodes() + 1..=400_000).contains(&found.nodes), "{} nodes", found.nodes);
    }
}
