//! Shortest solutions by IDA* (Korf 1985) with pattern databases.
//!
//! The bound of a board is its Manhattan distance plus the largest excess of any partition of the
//! tiles. A move changes one pattern of each partition; the partitions are looked up in order
//! until one exceeds the limit.
//!
//! The bound and the limit have the same parity, so each iteration raises the limit by two. Taking
//! the minimum over the blank's regions makes the bound inconsistent: a child's bound may be three
//! above its parent's. The child's bound less the move then holds for the parent and may prune all
//! siblings (bidirectional pathmax: Felner, Zahavi, Schaeffer and Holte 2005).

mod ida_iteration;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::optimal::ida_iteration::Iteration;
pub(super) use crate::puzzle::slide::solve::optimal::ida_iteration::IterationStatus;
use crate::puzzle::slide::solve::pruning_automaton::Automaton;
use crate::puzzle::slide::solve::solution::Solution;
use crate::puzzle::slide::solve::tables::{PartitionLookup, Table, Tables};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::Direction;
use std::sync::Arc;

/// The largest board that is searched, in cells.
const MAX_CELLS: usize = 128;

/// Finds a shortest solution.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::{optimal, tables::Tables}};
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let solution = optimal(&board, Budget(10_000_000), &Tables::none())?;
/// assert_eq!((solution.len(), solution.is_optimal()), (31, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] for an unsolvable board, [`Unsolved::OverBudget`] when the budget is
/// spent, and for boards of more than 128 cells.
pub fn optimal(board: &Board, budget: Budget, tables: &Tables) -> Result<Solution, Unsolved> {
    IdaStar::new(board, tables)?.search(budget).ok_or(Unsolved::OverBudget)
}

/// A resumable search for a shortest solution.
#[derive(Debug, Clone)]
pub struct IdaStar {
    board: Board,
    table: Option<Arc<Table>>,
    /// For sizes without a table.
    automaton: Option<Automaton>,
    /// A lower bound on the moves of every solution.
    limit: u32,
    nodes: u64,
    /// The path to the point of interruption.
    path: Vec<u8>,
    /// The goal: the standard one, or a board a short walk of the blank away from it.
    goal: Board,
    walk: u32,
}

impl IdaStar {
    /// Creates a search.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for an unsolvable board, [`Unsolved::OverBudget`] for one of more
    /// than 128 cells.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        Self::towards(board, &[], tables)
    }

    /// Creates a search for the board to which a walk leads from the standard goal. A table's
    /// bound for the standard goal less the walk is a bound for this one.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn towards(board: &Board, walk: &[Direction], tables: &Tables) -> Result<Self, Unsolved> {
        if !is_solvable(board) {
            return Err(Unsolved::Unsolvable);
        }
        let size = board.size();
        if size.cells() > MAX_CELLS {
            return Err(Unsolved::OverBudget);
        }
        let table = tables.best(size).cloned();
        let excess = table.iter().flat_map(|table| {
            let views = table.views(size).into_iter();
            views.map(|view| view.lookup(table.payload()).evaluate(board).sum)
        });
        let bound = board.manhattan_distance() + 2 * u32::from(excess.max().unwrap_or(0));
        let mut goal = Board::solved(size);
        for &way in walk {
            goal.step(way);
        }
        let walk = walk.len() as u32;
        // A bound below the walk's length leaves only its parity.
        let limit = bound.checked_sub(walk).unwrap_or((walk + bound) % 2);
        Ok(Self {
            board: board.clone(),
            automaton: table.is_none().then(|| Automaton::new(size)),
            table,
            limit,
            nodes: 0,
            path: Vec::new(),
            goal,
            walk,
        })
    }

    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the lower bound on the moves of every solution.
    pub const fn at_least(&self) -> u32 {
        self.limit
    }

    /// Returns the nodes so far: boards whose bound was looked up.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Continues for at most `budget` nodes; returns `None` when they do not suffice.
    pub fn search(&mut self, budget: Budget) -> Option<Solution> {
        (self.advance(budget, u32::MAX) == IterationStatus::Found).then(|| {
            let moves = path_moves(&std::mem::take(&mut self.path));
            Solution::new(moves, self.limit, self.nodes)
        })
    }

    /// Searches all paths in place of the first ones to each board, except those that take a move
    /// back.
    pub(super) fn keep_all_paths(&mut self) {
        self.automaton = Some(Automaton::of_reversals(self.board.size()));
    }

    /// Returns the solution that was found last, and continues behind it with the next search.
    pub(super) fn pass_solution(&mut self) -> Vec<Direction> {
        let moves = path_moves(&self.path);
        if let Some(last) = self.path.last_mut() {
            *last += 1;
        }
        moves
    }

    /// Continues for at most `budget` nodes. [`IterationStatus::Nothing`] says that no solution is
    /// left that has at most `longest` moves.
    pub(super) fn advance(&mut self, budget: Budget, longest: u32) -> IterationStatus {
        let table = self.table.clone();
        let views: Vec<PartitionLookup<'_>> = table
            .iter()
            .flat_map(|table| {
                let views = table.views(self.board.size()).into_iter();
                views.map(|lookup| lookup.lookup(table.payload()))
            })
            .collect();
        match views.as_slice() {
            [] => self.run::<0>([], budget, longest),
            &[a] => self.run([a], budget, longest),
            &[a, b] => self.run([a, b], budget, longest),
            &[a, b, c, d] => self.run([a, b, c, d], budget, longest),
            // No table has three views or more than four; any subset gives a bound.
            &[a, ..] => self.run([a], budget, longest),
        }
    }

    fn run<const V: usize>(
        &mut self,
        views: [PartitionLookup<'_>; V],
        budget: Budget,
        longest: u32,
    ) -> IterationStatus {
        let own = self.automaton.take();
        let of_table = self.table.as_ref().and_then(|table| table.automaton(self.board.size()));
        let Some(automaton) = own.as_ref().or(of_table) else {
            return IterationStatus::Interrupted;
        };
        let path = std::mem::take(&mut self.path);
        let mut iteration = Iteration::new(&self.board, &self.goal, views, automaton, path);
        iteration.walk = self.walk as i32;
        let blank = usize::from(self.board.blank().0);
        let distance = self.board.manhattan_distance() as i32;
        let node_limit = self.nodes.saturating_add(budget.0);
        iteration.nodes = self.nodes;
        iteration.node_limit = node_limit;
        let outcome = loop {
            let state = automaton.start(self.board.blank());
            let left = (self.limit + self.walk) as i32;
            let outcome = iteration.search(blank, 0, left, distance, state);
            if outcome != IterationStatus::Nothing || self.limit.saturating_add(2) > longest {
                break outcome;
            }
            self.limit += 2;
        };
        self.nodes = iteration.nodes;
        self.path = iteration.path;
        self.automaton = own;
        outcome
    }
}

fn path_moves(path: &[u8]) -> Vec<Direction> {
    path.iter().map(|&way| Direction::ALL[usize::from(way)]).collect()
}
