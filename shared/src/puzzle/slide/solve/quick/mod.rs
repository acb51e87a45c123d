//! The quick solver: solves any M×N board line by line, as the constructive one does, in fewer
//! moves.
//!
//! It solves the top row or the left column next, whichever has its tiles nearer, from both ends,
//! the nearer tile first, and its last pair in the cheaper order. A beam search moves each tile
//! and weighs the cost of its route against the effect on all other tiles: half of the moves that
//! bring a tile home are moves of the tiles beside its route, and these may as well be useful. The
//! work per move is bounded, so the time is proportional to the moves.

mod carry_search;
mod route_cost;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::constructive::{constructive, restore};
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction, Size};
use carry_search::{CarrySearch, CarryTask, SEARCH_NODES};
use route_cost::{Position, TileWeights};

/// The number of moves that are played of a search's result.
const MOVES_PER_SEARCH: usize = 12;
/// The weight of the route cost when no path pays by itself.
const STUCK_ROUTE_WEIGHT: i32 = 6;
/// A region of this many rows and columns is left to the constructive solver.
const CONSTRUCTIVE_SIDE: usize = 3;

/// Solves a board of any size.
///
/// The searches end when half of the budget is spent; the rest is solved by [`constructive()`],
/// one node per move.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::quick};
/// let board: Board = "5 3 1/0 2 4".parse()?;
/// assert!(quick(&board, Budget(1_000))?.solves(&board));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] for an unsolvable board, [`Unsolved::OverBudget`] when the budget is
/// below what the constructive solver needs.
pub fn quick(board: &Board, budget: Budget) -> Result<Solution, Unsolved> {
    let size = board.size();
    if size.rows() == 1 || size.cols() == 1 {
        return constructive(board, budget);
    }
    if !is_solvable(board) {
        return Err(Unsolved::Unsolvable);
    }
    let mut solver = QuickSolver {
        carrier: TileCarrier::new(board.clone(), budget),
        search: CarrySearch::default(),
        searches: 5 * size.rows().max(size.cols()) * size.cells() / MOVES_PER_SEARCH,
        tiles: TileWeights::new(size, Cell(0), &[]),
    };
    solver.restore_lines(size)?;
    restore(&mut solver.carrier, size)?;
    Ok(solver.carrier.solution(board))
}

struct QuickSolver {
    carrier: TileCarrier,
    search: CarrySearch,
    /// The remaining searches: enough for Parberry's 5n³ moves, three times the maximum measured.
    searches: usize,
    tiles: TileWeights,
}

/// A row or column, and the direction from it into the region.
struct BoardLine {
    cells: Vec<Cell>,
    inward: Direction,
}

impl QuickSolver {
    fn restore_lines(&mut self, size: Size) -> Result<(), Unsolved> {
        let (mut top, mut left) = (0, 0);
        while size.rows() - top > CONSTRUCTIVE_SIDE || size.cols() - left > CONSTRUCTIVE_SIDE {
            let corner = size.cell(top, left);
            let line = self.next_line(size, corner);
            match line.inward {
                Direction::Down | Direction::Up => top += 1,
                Direction::Left | Direction::Right => left += 1,
            }
            self.tiles = TileWeights::new(size, corner, &line.cells);
            self.restore_line(size, &line)?;
        }
        Ok(())
    }

    /// Picks the top row or the left column of the region: of a nearly square region the one with
    /// its tiles nearer, else the shorter one.
    fn next_line(&self, size: Size, corner: Cell) -> BoardLine {
        let (top, left) = (size.row_of(corner), size.col_of(corner));
        let (rows, cols) = (size.rows() - top, size.cols() - left);
        let row = BoardLine {
            cells: (left..size.cols()).map(|col| size.cell(top, col)).collect(),
            inward: Direction::Down,
        };
        let col = BoardLine {
            cells: (top..size.rows()).map(|row| size.cell(row, left)).collect(),
            inward: Direction::Right,
        };
        let away = |line: &BoardLine| -> usize {
            let away = |&home: &Cell| size.distance(self.carrier.cell_of(home), home);
            line.cells.iter().map(away).sum()
        };
        let by_row = match rows.abs_diff(cols) {
            // Compares the means, cross-multiplied by the lines' lengths.
            0 | 1 if rows.min(cols) >= CONSTRUCTIVE_SIDE => away(&row) * rows <= away(&col) * cols,
            _ => rows > cols,
        };
        if by_row { row } else { col }
    }

    fn restore_line(&mut self, size: Size, line: &BoardLine) -> Result<(), Unsolved> {
        let mut rest = &line.cells[..];
        while let [first, between @ .., last] = rest {
            if between.is_empty() {
                return self.restore_pair(size, [*first, *last], line.inward);
            }
            let next =
                if self.carry_cost(size, *first, *first) <= self.carry_cost(size, *last, *last) {
                    rest = &rest[1..];
                    *first
                } else {
                    rest = &rest[..rest.len() - 1];
                    *last
                };
            self.carry(size, next, next)?;
            self.carrier.lock(next);
        }
        Ok(())
    }

    /// Solves the last two tiles of a line: one is parked at the other's home, the other behind
    /// it, then both are rotated in.
    fn restore_pair(
        &mut self,
        size: Size,
        homes: [Cell; 2],
        inward: Direction,
    ) -> Result<(), Unsolved> {
        let behind = |cell: Cell| size.neighbour(cell, inward).ok_or(Unsolved::Unsolvable);
        let next = [behind(homes[0])?, behind(homes[1])?];
        let third = [behind(next[0])?, behind(next[1])?];
        let window = [homes, next, third].concat();
        let ready = |carrier: &TileCarrier| {
            let inside = |home| window.contains(&carrier.cell_of(home));
            homes.into_iter().all(inside) && carrier.can_enter_window(&window, &homes)
        };
        if !homes.into_iter().all(|home| self.carrier.is_home(home)) {
            if !ready(&self.carrier) {
                let (first, second) = self.parking_order(size, homes, next);
                self.carry(size, homes[first], homes[second])?;
                if !ready(&self.carrier) {
                    self.carrier.lock(homes[second]);
                    self.carry(size, homes[second], next[second])?;
                    self.carrier.unlock(homes[second]);
                }
            }
            self.carrier.enter_window(&window, &homes)?;
            self.carrier.solve_window(&window, &homes)?;
        }
        homes.into_iter().for_each(|home| self.carrier.lock(home));
        Ok(())
    }

    /// Returns which of two tiles is parked at the other's home, and which behind it.
    fn parking_order(&self, size: Size, homes: [Cell; 2], next: [Cell; 2]) -> (usize, usize) {
        /// Estimated moves per cell for a tile before the blank is in position.
        const MOVES_PER_CELL: usize = 4;
        let cost = |first: usize, second: usize| {
            let far = size.distance(self.carrier.cell_of(homes[second]), next[second]);
            let far = i32::try_from(MOVES_PER_CELL * far).unwrap_or(i32::MAX);
            self.carry_cost(size, homes[first], homes[second]) + far
        };
        if cost(0, 1) <= cost(1, 0) { (0, 1) } else { (1, 0) }
    }

    fn carry_cost(&self, size: Size, home: Cell, to: Cell) -> i32 {
        let position = |cell| Position::of(size, cell);
        route_cost::carry_cost(
            position(self.carrier.cell_of(home)),
            position(to),
            position(self.carrier.board.blank()),
        )
    }

    /// Moves a tile to a cell: by beam searches while a path pays, with a higher route weight when
    /// none does, and by the shortest route when even that brings it no nearer.
    fn carry(&mut self, size: Size, home: Cell, to: Cell) -> Result<(), Unsolved> {
        let (mut last, mut route_weight, mut nearest) = (None, 1, i32::MAX);
        while self.carrier.cell_of(home) != to {
            if self.searches == 0 || !self.carrier.may_spend(SEARCH_NODES) {
                break;
            }
            self.searches -= 1;
            let task = CarryTask { home, to, route_weight, last, tiles: &self.tiles };
            let found = self.search.search(&self.carrier, task);
            self.carrier.spend(found.nodes);
            if !found.arrives && found.cost >= 0 {
                if route_weight == STUCK_ROUTE_WEIGHT {
                    break;
                }
                route_weight = STUCK_ROUTE_WEIGHT;
                continue;
            }
            let taken = if found.arrives {
                found.moves.len()
            } else {
                MOVES_PER_SEARCH.min(found.moves.len())
            };
            for &way in &found.moves[..taken] {
                self.carrier.step(way)?;
                last = Some(way);
            }
            if route_weight == STUCK_ROUTE_WEIGHT {
                let price = self.carry_cost(size, home, to);
                if price >= nearest {
                    break;
                }
                (route_weight, nearest) = (1, price);
            }
        }
        self.carrier.carry(home, to)
    }
}

#[cfg(test)]
mod tests;
