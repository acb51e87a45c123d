//! Moves single tiles across a board while the finished ones stay in place.

use crate::puzzle::slide::board::Board;
use crate::puzzle::slide::solve::constructive::{ConstructiveStage, StageMoves, local_bfs};
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A board that is being solved, with the moves so far. A tile is identified by its home cell.
#[derive(Debug)]
pub struct TileCarrier {
    pub board: Board,
    /// The cell of each tile, by its home.
    positions: Vec<Cell>,
    locked: Vec<bool>,
    moves: Vec<Direction>,
    stages: Vec<StageMoves>,
    /// How many of the moves the stages have.
    staged: usize,
    /// Nodes used: one per move, and those of the searches.
    pub nodes: u64,
    budget: Budget,
}

/// The cheapest way to have the tile at a cell with the blank on one side of it: its cost, and the
/// last step with the blank's side before that step.
#[derive(Debug, Clone, Copy)]
struct RouteNode {
    cost: u32,
    last: Option<(Direction, RouteStep)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RouteStep {
    /// The tile moves into the blank in this direction.
    Push(Direction),
    /// The blank moves around a corner of the tile to this side.
    Turn(Direction),
}

impl TileCarrier {
    pub fn new(board: Board, budget: Budget) -> Self {
        let mut positions = vec![Cell(0); board.size().cells()];
        for (&tile, cell) in board.tiles().iter().zip(0..) {
            positions[usize::from(board.home(tile).0)] = Cell(cell);
        }
        let locked = vec![false; positions.len()];
        Self {
            board,
            positions,
            locked,
            moves: Vec::new(),
            stages: Vec::new(),
            staged: 0,
            nodes: 0,
            budget,
        }
    }

    /// Notes that the moves since the last stage are those of this one, if there are any.
    pub fn end_stage(&mut self, stage: ConstructiveStage) {
        let moves = (self.moves.len() - self.staged) as u32;
        if moves > 0 {
            self.stages.push(StageMoves { stage, moves });
            self.staged = self.moves.len();
        }
    }

    pub fn take_stages(&mut self) -> Vec<StageMoves> {
        std::mem::take(&mut self.stages)
    }

    pub fn solution(self, board: &Board) -> Solution {
        Solution::new(self.moves, board.manhattan_distance(), self.nodes)
    }

    /// Returns whether a search may use this many nodes: half of the budget is reserved for moves.
    pub fn may_spend(&self, nodes: u64) -> bool {
        nodes <= self.search_budget()
    }

    /// Returns the nodes that searches may still use.
    pub const fn search_budget(&self) -> u64 {
        (self.budget.0 / 2).saturating_sub(self.nodes)
    }

    pub fn spend(&mut self, nodes: u64) {
        self.nodes = self.nodes.saturating_add(nodes);
    }

    pub fn lock(&mut self, cell: Cell) {
        self.locked[usize::from(cell.0)] = true;
    }

    pub fn unlock(&mut self, cell: Cell) {
        self.locked[usize::from(cell.0)] = false;
    }

    pub fn cell_of(&self, home: Cell) -> Cell {
        self.positions[usize::from(home.0)]
    }

    pub fn is_home(&self, home: Cell) -> bool {
        self.cell_of(home) == home
    }

    /// Moves a tile to a cell around the locked cells, in the fewest moves.
    pub fn carry(&mut self, home: Cell, to: Cell) -> Result<(), Unsolved> {
        if self.cell_of(home) == to {
            return Ok(());
        }
        let (first_side, steps) = self.cheapest_route(home, to).ok_or(Unsolved::Unsolvable)?;
        let beside =
            |carrier: &Self, side| carrier.board.size().neighbour(carrier.cell_of(home), side);
        let start = beside(self, first_side).ok_or(Unsolved::Unsolvable)?;
        self.walk_blank(start, &[self.cell_of(home)])?;
        let mut side = first_side;
        for step in steps {
            match step {
                RouteStep::Push(direction) => {
                    self.step(direction)?;
                    side = direction.opposite();
                }
                RouteStep::Turn(to) => {
                    // Along the tile's edge to the corner, then around it.
                    self.step(to.opposite())?;
                    self.step(side)?;
                    side = to;
                }
            }
        }
        Ok(())
    }

    /// Moves the blank into a window without moving the tiles of some homes.
    pub fn enter_window(&mut self, window: &[Cell], homes: &[Cell]) -> Result<(), Unsolved> {
        let kept: Vec<Cell> = homes.iter().map(|&home| self.cell_of(home)).collect();
        let nearest_entry = self.nearest_entry(window, &kept).ok_or(Unsolved::Unsolvable)?;
        self.walk_blank(nearest_entry, &kept)
    }

    pub fn can_enter_window(&self, window: &[Cell], homes: &[Cell]) -> bool {
        let kept: Vec<Cell> = homes.iter().map(|&home| self.cell_of(home)).collect();
        self.nearest_entry(window, &kept).is_some()
    }

    /// Returns the window's cell that is nearest to the blank, around some other cells.
    fn nearest_entry(&self, window: &[Cell], others: &[Cell]) -> Option<Cell> {
        let distances = self.blank_distances(others);
        let reached = |&cell: &Cell| Some((distances[usize::from(cell.0)]?, cell));
        window.iter().filter_map(reached).min().map(|(_, cell)| cell)
    }

    /// Brings some tiles home in the fewest moves within a window.
    pub fn solve_window(&mut self, window: &[Cell], homes: &[Cell]) -> Result<(), Unsolved> {
        let places: Vec<Cell> = homes.iter().map(|&home| self.cell_of(home)).collect();
        let moves =
            local_bfs::search(self.board.size(), window, self.board.blank(), &places, homes)
                .ok_or(Unsolved::Unsolvable)?;
        moves.into_iter().try_for_each(|direction| self.step(direction))
    }

    /// Slides the tile next to the blank in a direction.
    pub fn step(&mut self, direction: Direction) -> Result<(), Unsolved> {
        if self.nodes >= self.budget.0 {
            return Err(Unsolved::OverBudget);
        }
        self.nodes += 1;
        let played = self.board.step(direction).ok_or(Unsolved::Unsolvable)?;
        let blank = self.board.blank();
        let moved = self.board.tile(played.blank_before);
        self.positions[usize::from(self.board.home(moved).0)] = played.blank_before;
        self.positions[usize::from(self.board.home(0).0)] = blank;
        self.moves.push(direction);
        Ok(())
    }

    pub fn is_free(&self, cell: Cell) -> bool {
        !self.locked[usize::from(cell.0)]
    }

    /// Moves the blank to a cell on the shortest path around the locked cells and some others.
    pub fn walk_blank(&mut self, to: Cell, others: &[Cell]) -> Result<(), Unsolved> {
        let size = self.board.size();
        let distances = self.distances_from(to, others);
        while self.board.blank() != to {
            let distance = distances[usize::from(self.board.blank().0)];
            let nearer = |way: &Direction| {
                let next = size.neighbour(self.board.blank(), *way);
                let next_distance = next.and_then(|cell| distances[usize::from(cell.0)]);
                next_distance.is_some() && next_distance < distance
            };
            let way = Direction::ALL.into_iter().find(nearer).ok_or(Unsolved::Unsolvable)?;
            self.step(way.opposite())?;
        }
        Ok(())
    }

    fn blank_distances(&self, others: &[Cell]) -> Vec<Option<u32>> {
        self.distances_from(self.board.blank(), others)
    }

    /// Returns the blank's distance from a cell to every other one, around the locked cells and
    /// some others.
    fn distances_from(&self, from: Cell, others: &[Cell]) -> Vec<Option<u32>> {
        let size = self.board.size();
        let mut distances = vec![None; size.cells()];
        distances[usize::from(from.0)] = Some(0);
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((cell, distance)) = queue.pop_front() {
            for next in size.neighbours(cell) {
                let seen = &mut distances[usize::from(next.0)];
                if seen.is_none() && self.is_free(next) && !others.contains(&next) {
                    *seen = Some(distance + 1);
                    queue.push_back((next, distance + 1));
                }
            }
        }
        distances
    }

    /// Finds the cheapest route of a tile: the side on which the blank starts, and the steps. A*
    /// over the tile's cell and the blank's side.
    fn cheapest_route(&self, home: Cell, to: Cell) -> Option<(Direction, Vec<RouteStep>)> {
        let size = self.board.size();
        let from = self.cell_of(home);
        let mut reached: Vec<[Option<RouteNode>; 4]> = vec![[None; 4]; size.cells()];
        let mut open = BinaryHeap::new();
        let relax = |reached: &mut Vec<[Option<RouteNode>; 4]>,
                     open: &mut BinaryHeap<_>,
                     cell: Cell,
                     side: Direction,
                     cost: u32,
                     last: Option<(Direction, RouteStep)>| {
            let entry = &mut reached[usize::from(cell.0)][side as usize];
            if entry.is_none_or(|known| cost < known.cost) {
                *entry = Some(RouteNode { cost, last });
                open.push(Reverse((cost + self.lower_bound(cell, to), cost, cell, side)));
            }
        };
        let distances = self.blank_distances(&[from]);
        for side in Direction::ALL {
            let beside = size.neighbour(from, side);
            if let Some(cost) = beside.and_then(|cell| distances[usize::from(cell.0)]) {
                relax(&mut reached, &mut open, from, side, cost, None);
            }
        }
        while let Some(Reverse((_, cost, cell, side))) = open.pop() {
            if reached[usize::from(cell.0)][side as usize].is_some_and(|known| known.cost < cost) {
                continue;
            }
            if cell == to {
                return self.reconstruct(&reached, cell, side);
            }
            if let Some(next) = size.neighbour(cell, side).filter(|&next| self.is_free(next)) {
                let last = Some((side, RouteStep::Push(side)));
                relax(&mut reached, &mut open, next, side.opposite(), cost + 1, last);
            }
            for turned in perpendicular(side) {
                if self.can_turn(cell, side, turned) {
                    let last = Some((side, RouteStep::Turn(turned)));
                    relax(&mut reached, &mut open, cell, turned, cost + 2, last);
                }
            }
        }
        None
    }

    /// A lower bound on the remaining cost: one move for the first push, at least three for each
    /// further one, since the blank must move around a corner.
    fn lower_bound(&self, cell: Cell, to: Cell) -> u32 {
        let distance = u32::try_from(self.board.size().distance(cell, to)).unwrap_or(u32::MAX);
        (3 * distance).saturating_sub(2)
    }

    fn reconstruct(
        &self,
        reached: &[[Option<RouteNode>; 4]],
        mut cell: Cell,
        mut side: Direction,
    ) -> Option<(Direction, Vec<RouteStep>)> {
        let mut steps = Vec::new();
        while let Some((side_before, step)) = reached[usize::from(cell.0)][side as usize]?.last {
            if let RouteStep::Push(direction) = step {
                cell = self.board.size().neighbour(cell, direction.opposite())?;
            }
            side = side_before;
            steps.push(step);
        }
        steps.reverse();
        Some((side, steps))
    }

    fn can_turn(&self, cell: Cell, side: Direction, turned: Direction) -> bool {
        let size = self.board.size();
        let free = |cell: &Cell| self.is_free(*cell);
        let target = size.neighbour(cell, turned).filter(free);
        let corner = target.and_then(|target| size.neighbour(target, side)).filter(free);
        corner.is_some()
    }
}

const fn perpendicular(side: Direction) -> [Direction; 2] {
    match side {
        Direction::Left | Direction::Right => [Direction::Up, Direction::Down],
        Direction::Up | Direction::Down => [Direction::Left, Direction::Right],
    }
}
