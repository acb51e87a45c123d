//! Shortest solutions, by iterative-deepening A* (Korf 1985) on pattern databases.
//!
//! The bound of a board is its Manhattan distance and the largest excess that a partition
//! of the tiles has over it. A move changes one pattern of each partition; the partitions
//! are looked up one after the other, until one says that the limit is out of reach.
//!
//! Bound and limit always differ by an even number, so each iteration's limit is the one
//! before and two more. The least over the blank's regions makes the bound inconsistent: a
//! child's may be three above its parent's. What a child knows then holds for its parent,
//! less the move between them, and may end the whole family (pathmax in both directions:
//! Felner, Zahavi, Schaeffer and Holte 2005).

mod ida_iteration;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::optimal::ida_iteration::{Iteration, IterationStatus};
use crate::puzzle::slide::solve::pruning_automaton::Automaton;
use crate::puzzle::slide::solve::tables::{PartitionLookup, Table, Tables};
use crate::puzzle::slide::solve::{Solution, manhattan};
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
/// [`Unsolved::Unsolvable`] for a board of the wrong class, [`Unsolved::OverBudget`] where
/// the budget is spent first, and for boards of more than 128 cells.
pub fn optimal(board: &Board, budget: Budget, tables: &Tables) -> Result<Solution, Unsolved> {
    IdaStar::new(board, tables)?.search(budget).ok_or(Unsolved::OverBudget)
}

/// A search for a shortest solution that can be interrupted and taken up resume_depth.
#[derive(Debug, Clone)]
pub struct IdaStar {
    board: Board,
    table: Option<Arc<Table>>,
    /// For boards that no table is for.
    automaton: Option<Automaton>,
    /// Every solution has at least so many moves.
    limit: u32,
    nodes: u64,
    /// Where the search was interrupted: the moves from the board to there.
    path: Vec<u8>,
    /// Where to: the standard goal, or a board a short walk of the blank away from it.
    goal: Board,
    /// How long that walk is.
    walk: u32,
}

impl IdaStar {
    /// Makes a search that has not begun.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for a board of the wrong class, [`Unsolved::OverBudget`] for
    /// one of more than 128 cells.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        Self::towards(board, &[], tables)
    }

    /// Makes a search for the board to which a walk leads from the standard goal. What a
    /// table says of the standard goal, less the walk, bounds the moves to this one.
    pub(super) fn towards(
        board: &Board,
        walk: &[Direction],
        tables: &Tables,
    ) -> Result<Self, Unsolved> {
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
            views.map(|lookup| lookup.evaluate(board, table.payload()).sum())
        });
        let bound = manhattan(board) + 2 * u32::from(excess.max().unwrap_or(0));
        let mut goal = Board::solved(size).map_err(|_| Unsolved::OverBudget)?;
        for &way in walk {
            goal.step(way);
        }
        let walk = walk.len() as u32;
        // Below the walk's length there may be nothing left of the bound but its parity.
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

    /// Returns the board to be solved.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns how many moves every solution has at least, as far as is known.
    #[must_use]
    pub const fn at_least(&self) -> u32 {
        self.limit
    }

    /// Returns the nodes so far: boards whose bound was looked up.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches on, for at most so many nodes more; nothing where that was not enough.
    pub fn search(&mut self, budget: Budget) -> Option<Solution> {
        let table = self.table.clone();
        let views: Vec<PartitionLookup<'_>> = table
            .iter()
            .flat_map(|table| {
                let views = table.views(self.board.size()).into_iter();
                views.map(|lookup| lookup.lookup(table.payload()))
            })
            .collect();
        match views.as_slice() {
            [] => self.run::<0>([], budget),
            &[a] => self.run([a], budget),
            &[a, b] => self.run([a, b], budget),
            &[a, b, c, d] => self.run([a, b, c, d], budget),
            // No table has three views, or more than four; any bound is a bound.
            &[a, ..] => self.run([a], budget),
        }
    }

    fn run<const V: usize>(
        &mut self,
        views: [PartitionLookup<'_>; V],
        budget: Budget,
    ) -> Option<Solution> {
        let own = self.automaton.take();
        let automaton = own.as_ref().or_else(|| {
            let table = self.table.as_ref()?;
            Some(table.automaton(self.board.size()))
        })?;
        let path = std::mem::take(&mut self.path);
        let mut iteration = Iteration::new(&self.board, &self.goal, views, automaton, path);
        iteration.walk = self.walk as i32;
        let blank = usize::from(self.board.blank().0);
        let distance = manhattan(&self.board) as i32;
        let node_limit = self.nodes.saturating_add(budget.0);
        iteration.nodes = self.nodes;
        iteration.node_limit = node_limit;
        let outcome = loop {
            let state = automaton.start(self.board.blank());
            let left = (self.limit + self.walk) as i32;
            let outcome = iteration.search(blank, 0, left, distance, state);
            if outcome != IterationStatus::Nothing {
                break outcome;
            }
            self.limit += 2;
        };
        self.nodes = iteration.nodes;
        self.path = iteration.path;
        self.automaton = own;
        (outcome == IterationStatus::Found).then(|| {
            let path = std::mem::take(&mut self.path);
            let moves: Vec<Direction> =
                path.iter().map(|&way| Direction::ALL[usize::from(way)]).collect();
            Solution::new(moves, self.limit, self.nodes)
        })
    }
}
