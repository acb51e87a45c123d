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

use crate::grid::{Cell, Direction};
use crate::hint::{Budget, Unsolved};
use crate::slide::Board;
use crate::slide::parity::is_solvable;
use crate::slide::solve::automaton::{Automaton, State, WAYS};
use crate::slide::solve::tables::{Change, Grade, Lens, Standing, Table, Tables};
use crate::slide::solve::{Solution, manhattan};
use std::cmp::Ordering;
use std::sync::Arc;

/// The largest board that is searched, in cells.
const MAX_CELLS: usize = 128;

/// Finds a shortest solution.
///
/// ```
/// use gridrace_shared::hint::Budget;
/// use gridrace_shared::slide::{Board, solve::{optimal, tables::Tables}};
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
    Deepening::new(board, tables)?
        .search(budget)
        .ok_or(Unsolved::OverBudget)
}

/// A search for a shortest solution that can be interrupted and taken up again.
#[derive(Debug, Clone)]
pub struct Deepening {
    board: Board,
    tables: Vec<Arc<Table>>,
    /// For boards that no table is for.
    automaton: Option<Automaton>,
    /// Every solution has at least so many moves.
    limit: u32,
    nodes: u64,
    /// Where the search was interrupted: the moves from the board to there.
    path: Vec<u8>,
}

impl Deepening {
    /// Makes a search that has not begun.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for a board of the wrong class, [`Unsolved::OverBudget`] for
    /// one of more than 128 cells.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        if !is_solvable(board) {
            return Err(Unsolved::Unsolvable);
        }
        let size = board.size();
        if size.cells() > MAX_CELLS {
            return Err(Unsolved::OverBudget);
        }
        let of_grade = |grade| tables.of(size, grade).cloned();
        let tables: Vec<_> = [Grade::Default, Grade::Large]
            .into_iter()
            .filter_map(of_grade)
            .collect();
        let excess = tables
            .iter()
            .flat_map(|table| table.views(size).into_iter().zip(std::iter::repeat(table)))
            .map(|(view, table)| view.stand(board, table.payload()).sum());
        let limit = manhattan(board) + 2 * u32::from(excess.max().unwrap_or(0));
        Ok(Self {
            board: board.clone(),
            automaton: tables.is_empty().then(|| Automaton::new(size)),
            tables,
            limit,
            nodes: 0,
            path: Vec::new(),
        })
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
        let tables = self.tables.clone();
        let size = self.board.size();
        // The small tables come first: what they prune needs no look into the large ones.
        let views: Vec<Lens<'_>> = tables
            .iter()
            .flat_map(|table| {
                let views = table.views(size).into_iter();
                views.map(|view| view.lens(table.payload()))
            })
            .collect();
        match views.as_slice() {
            [] => self.deepen::<0>([], budget),
            &[a] => self.deepen([a], budget),
            &[a, b] => self.deepen([a, b], budget),
            &[a, b, c, d] => self.deepen([a, b, c, d], budget),
            &[a, b, c, d, e, f] => self.deepen([a, b, c, d, e, f], budget),
            &[a, ..] => self.deepen([a], budget),
        }
    }

    fn deepen<const V: usize>(&mut self, views: [Lens<'_>; V], budget: Budget) -> Option<Solution> {
        let own = self.automaton.take();
        let automaton = own.as_ref().or_else(|| {
            let table = self.tables.first()?;
            Some(table.automaton(self.board.size()))
        })?;
        let mut dive = Dive::new(
            &self.board,
            views,
            automaton,
            std::mem::take(&mut self.path),
        );
        let blank = usize::from(self.board.blank().0);
        let distance = manhattan(&self.board) as i32;
        let last = self.nodes.saturating_add(budget.0);
        dive.nodes = self.nodes;
        dive.last = last;
        let outcome = loop {
            let state = automaton.start(self.board.blank());
            let outcome = dive.below(blank, 0, self.limit as i32, distance, state);
            if outcome != Outcome::Nothing {
                break outcome;
            }
            self.limit += 2;
        };
        self.nodes = dive.nodes;
        self.path = dive.path;
        self.automaton = own;
        (outcome == Outcome::Found).then(|| {
            let path = std::mem::take(&mut self.path);
            let moves: Vec<Direction> = path.iter().map(|&way| WAYS[usize::from(way)]).collect();
            Solution::new(moves, self.limit, self.nodes)
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Found,
    Nothing,
    Interrupted,
}

/// One stretch of search, depth first.
struct Dive<'a, const V: usize> {
    views: [Lens<'a>; V],
    standings: [Standing; V],
    automaton: &'a Automaton,
    tiles: Vec<u8>,
    /// For each cell and way, the cell of the tile that would travel that way.
    beside: Vec<[u8; 4]>,
    /// For each tile and cell, the Manhattan distance from home.
    distances: Vec<u8>,
    path: Vec<u8>,
    /// How long the path to where an interrupted search goes on is, until it is there.
    again: usize,
    nodes: u64,
    last: u64,
}

impl<'a, const V: usize> Dive<'a, V> {
    fn new(board: &Board, views: [Lens<'a>; V], automaton: &'a Automaton, path: Vec<u8>) -> Self {
        let size = board.size();
        let cells = 0..size.cells() as u16;
        let beside = |cell| {
            WAYS.map(|way| {
                let from = size.neighbour(Cell(cell), way.opposite());
                from.map_or(0, |from| from.0 as u8)
            })
        };
        let distance = |tile| {
            let away = move |cell| size.distance(Cell(cell), board.home(tile)) as u8;
            cells.clone().map(away)
        };
        Self {
            standings: views.map(|view| view.stand(board)),
            views,
            automaton,
            tiles: board.tiles().iter().map(|&tile| tile as u8).collect(),
            beside: cells.clone().map(beside).collect(),
            distances: cells.clone().flat_map(distance).collect(),
            again: path.len(),
            path,
            nodes: 0,
            last: 0,
        }
    }

    /// Searches below a board for a solution of exactly `left` moves; `distance` is its
    /// Manhattan distance. Leaves the path to where it found one or was interrupted.
    fn below(
        &mut self,
        blank: usize,
        depth: usize,
        left: i32,
        distance: i32,
        state: State,
    ) -> Outcome {
        if left == 0 {
            // As far as `left` and the distance differ by an even number, this is home.
            return Outcome::Found;
        }
        let first = match (depth + 1).cmp(&self.again) {
            Ordering::Less => usize::from(self.path[depth]),
            Ordering::Equal => {
                self.again = 0;
                usize::from(self.path[depth])
            }
            Ordering::Greater => 0,
        };
        for way in first..4 {
            let Some(state) = self.automaton.after(state, way) else {
                continue;
            };
            if self.again == 0 {
                if self.nodes == self.last {
                    self.path.truncate(depth);
                    self.path.push(way as u8);
                    return Outcome::Interrupted;
                }
                self.nodes += 1;
            }
            let from = usize::from(self.beside[blank][way]);
            let tile = usize::from(self.tiles[from]);
            let away = tile * self.tiles.len();
            let nearer =
                i32::from(self.distances[away + from]) - i32::from(self.distances[away + blank]);
            let distance = distance - nearer;
            if distance > left - 1 {
                continue;
            }
            let slack = (left - 1 - distance) / 2;
            let mut changes = [Change::default(); V];
            let mut worst = 0;
            for ((change, standing), view) in
                changes.iter_mut().zip(&self.standings).zip(&self.views)
            {
                *change = view.look(standing, tile, from, blank);
                worst = i32::from(change.sum());
                if worst > slack {
                    break;
                }
            }
            if worst > slack {
                if worst > slack + 1 {
                    return Outcome::Nothing;
                }
                continue;
            }
            for (change, standing) in changes.iter_mut().zip(&mut self.standings) {
                *change = standing.replace(*change);
            }
            self.tiles[blank] = tile as u8;
            self.tiles[from] = 0;
            if self.path.len() <= depth {
                self.path.push(way as u8);
            } else {
                self.path[depth] = way as u8;
            }
            let outcome = self.below(from, depth + 1, left - 1, distance, state);
            if outcome != Outcome::Nothing {
                return outcome;
            }
            self.tiles[from] = tile as u8;
            self.tiles[blank] = 0;
            for (change, standing) in changes.iter().zip(&mut self.standings) {
                standing.replace(*change);
            }
        }
        Outcome::Nothing
    }
}
