//! The quick solver: solves any M×N board in fewer moves than the constructive one, as quickly as it
//! plays them.
//!
//! First a [`sweep`] brings all tiles near their homes, in any order. Then the top row or the left
//! column is solved next, whichever has its tiles nearer, from both ends, the nearer tile first, and
//! its last pair in the cheaper order. A [`beam`] search moves each tile and weighs the cost of
//! its route against the effect on all other tiles: half of the moves that bring a tile home are
//! moves of the tiles beside its route, and these may as well be useful. The [`corner`] that is left, of
//! 256 cells at most, is solved by a beam over all of its cells; lines go on where that finds nothing. The
//! work per move is bounded, so the time is proportional to the moves.

mod beam;
mod carry;
mod corner;
mod pair_search;
mod position;
mod route_cost;
mod sweep;
mod sweep_beam;
mod tile_costs;
mod window;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::constructive::{constructive, restore};
use crate::puzzle::slide::solve::near_optimal::MAX_CELLS;
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction, Size};
use beam::ContinuousBeam;
use carry::{CARRY_LIMITS, Carried, CarryAim};
use corner::solve_corner;
use pair_search::{PAIR_NODES, pair_search, pair_window};
use position::Position;
use std::cmp::Reverse;
use std::ops::Range;
use sweep::sweep;
use tile_costs::TileCosts;

/// The number of moves that are played of a search's result.
const MOVES_PER_SEARCH: usize = 12;
/// The weight of the route cost when no path pays by itself.
const STUCK_ROUTE_WEIGHT: i32 = 6;
/// How many moves a tile may take besides three times the estimate, before it takes the shortest
/// route.
const BASE_PATIENCE: i32 = 60;
/// Smaller boards than this are not swept: they take hardly more moves without.
const SWEEP_CELLS: usize = 25;
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
    QuickSolver::new(board, budget).solve(board, true)
}

struct QuickSolver {
    carrier: TileCarrier,
    beam: ContinuousBeam<Carried>,
    /// The remaining searches of the lines: enough for Parberry's 5n³ moves.
    searches: usize,
    costs: TileCosts,
}

/// A row or column, and the direction from it into the region.
struct BoardLine {
    cells: Vec<Cell>,
    inward: Direction,
}

impl QuickSolver {
    fn new(board: &Board, budget: Budget) -> Self {
        let size = board.size();
        Self {
            carrier: TileCarrier::new(board.clone(), budget),
            beam: ContinuousBeam::default(),
            searches: 5 * size.rows().max(size.cols()) * size.cells() / MOVES_PER_SEARCH,
            costs: TileCosts::default(),
        }
    }

    /// Solves the board; without the search of the last corner by lines alone.
    fn solve(mut self, board: &Board, may_solve_corner: bool) -> Result<Solution, Unsolved> {
        let size = board.size();
        if size.cells() >= SWEEP_CELLS {
            sweep(&mut self.carrier)?;
        }
        self.restore_lines(size, may_solve_corner)?;
        restore(&mut self.carrier, size)?;
        Ok(self.carrier.solution(board))
    }

    /// Solves lines until the corner that is left can be solved as a whole, or all but the constructive
    /// solver's part.
    fn restore_lines(&mut self, size: Size, mut may_solve_corner: bool) -> Result<(), Unsolved> {
        let (mut top, mut left) = (0, 0);
        while size.rows() - top > CONSTRUCTIVE_SIDE || size.cols() - left > CONSTRUCTIVE_SIDE {
            let corner = size.cell(top, left);
            let cells = (size.rows() - top) * (size.cols() - left);
            if may_solve_corner && cells <= MAX_CELLS {
                if solve_corner(&mut self.carrier, corner)? {
                    return Ok(());
                }
                may_solve_corner = false;
            }
            let line = self.next_line(size, corner);
            match line.inward {
                Direction::Down | Direction::Up => top += 1,
                Direction::Left | Direction::Right => left += 1,
            }
            self.costs = TileCosts::of_line(size, corner, &line.cells);
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
        let first = self.carry_all(size, &line.cells, &line.cells, 2)?;
        match line.cells[first..] {
            [first, last, ..] => self.restore_pair(size, [first, last], line.inward),
            _ => Ok(()),
        }
    }

    /// Solves the last two tiles of a line: one is parked at the other's home, the other behind
    /// it, then both are rotated in.
    fn restore_pair(
        &mut self,
        size: Size,
        homes: [Cell; 2],
        inward: Direction,
    ) -> Result<(), Unsolved> {
        if self.restore_pair_in_window(size, homes, inward)? {
            return Ok(());
        }
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

    /// Carries the last two tiles of a line into a window around their homes and solves them there.
    /// Returns false when they don't stay there.
    fn restore_pair_in_window(
        &mut self,
        size: Size,
        homes: [Cell; 2],
        inward: Direction,
    ) -> Result<bool, Unsolved> {
        if !self.carrier.may_spend(PAIR_NODES) {
            return Ok(false);
        }
        let window = pair_window(size, homes, inward, |cell| self.carrier.is_free(cell));
        let distance = |carrier: &TileCarrier, home: Cell| {
            let at = carrier.cell_of(home);
            window.iter().map(|&cell| (size.distance(at, cell), cell)).min()
        };
        let mut order = homes;
        order.sort_by_key(|&home| Reverse(distance(&self.carrier, home)));
        for home in order {
            if let Some((1.., to)) = distance(&self.carrier, home) {
                self.carry(size, home, to)?;
            }
        }
        if !homes.iter().all(|&home| window.contains(&self.carrier.cell_of(home)))
            || !self.carrier.can_enter_window(&window, &homes)
        {
            return Ok(false);
        }
        self.carrier.enter_window(&window, &homes)?;
        let places = homes.map(|home| self.carrier.cell_of(home));
        let blank = self.carrier.board.blank();
        let Some((moves, nodes)) = pair_search(size, &window, blank, places, homes) else {
            return Ok(false);
        };
        self.carrier.spend(nodes);
        moves.into_iter().try_for_each(|way| self.carrier.step(way))?;
        homes.into_iter().for_each(|home| self.carrier.lock(home));
        Ok(true)
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

    /// Moves a tile to a cell.
    fn carry(&mut self, size: Size, home: Cell, to: Cell) -> Result<(), Unsolved> {
        self.carry_all(size, &[home], &[to], 0)?;
        self.carrier.unlock(to);
        Ok(())
    }

    /// Moves tiles to cells in a line, from both ends, locks these, and leaves some between them.
    /// Returns the number of the first one left.
    ///
    /// It searches by the beam while that pays, with a higher weight of the route when it does not,
    /// and takes the shortest route when a tile takes too long.
    fn carry_all(
        &mut self,
        size: Size,
        homes: &[Cell],
        to: &[Cell],
        left: usize,
    ) -> Result<usize, Unsolved> {
        let mut rest = 0..homes.len();
        let (mut last, mut route_weight, mut patience) = (None, 1, None);
        self.beam.restart();
        loop {
            if self.lock_ends(homes, to, left, &mut rest) {
                patience = None;
            }
            if rest.len() <= left {
                return Ok(rest.start);
            }
            let cost = |&n: &usize| self.carry_cost(size, homes[n], to[n]);
            let next = [rest.start, rest.end - 1].into_iter().min_by_key(cost).unwrap_or(0);
            let most = patience.unwrap_or(BASE_PATIENCE + 3 * cost(&next));
            let may_search = self.searches > 0 && self.carrier.may_spend(CARRY_LIMITS.nodes());
            if most < 0 || !may_search {
                self.carrier.carry(homes[next], to[next])?;
                self.beam.restart();
                (last, route_weight) = (None, 1);
                continue;
            }
            self.searches -= 1;
            let aim = CarryAim {
                size,
                homes,
                to,
                // A line has at most 128 cells.
                rest: [rest.start as u8, rest.end as u8],
                left: left as u8,
                route_weight,
                costs: &self.costs,
            };
            let found = self.beam.search(&self.carrier, last, &aim, CARRY_LIMITS);
            self.carrier.spend(found.nodes);
            if !found.reached && found.cost >= 0 && route_weight == 1 {
                route_weight = STUCK_ROUTE_WEIGHT;
                self.beam.restart();
                continue;
            }
            if route_weight > 1 {
                route_weight = 1;
                self.beam.recompute_costs();
            }
            let least = if found.reached { found.moves.len() } else { MOVES_PER_SEARCH };
            let count = self.beam.commit(&found.moves, least);
            for &way in &found.moves[..count] {
                self.carrier.step(way)?;
                last = Some(way);
            }
            // Without a move the shortest route comes next.
            patience = Some(if count == 0 { -1 } else { most - count as i32 });
        }
    }

    /// Locks the cells at both ends that have their tiles, and returns whether there were any.
    fn lock_ends(
        &mut self,
        homes: &[Cell],
        to: &[Cell],
        left: usize,
        rest: &mut Range<usize>,
    ) -> bool {
        let before = rest.len();
        while rest.len() > left {
            let in_place = |n: usize| self.carrier.cell_of(homes[n]) == to[n];
            if in_place(rest.start) {
                self.carrier.lock(to[rest.start]);
                rest.start += 1;
            } else if in_place(rest.end - 1) {
                rest.end -= 1;
                self.carrier.lock(to[rest.end]);
            } else {
                break;
            }
        }
        rest.len() < before
    }
}

#[cfg(test)]
mod tests;
