//! The search of the sweep: a beam without an end, which keeps one state for each cell of the blank.
//!
//! All tiles count alike, so of the paths that lead the blank to the same cell in as many moves only the
//! cheapest one goes on. Its board is stored at that cell, and each move takes the blank to a cell of the
//! other colour: a layer is computed in place, from the layer before it.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::quick::position::Position;
use crate::puzzle::slide::solve::quick::window::{BLANK_CELLS, CELLS, Window, target};
use crate::util::grid::{Direction, Size};

/// Lookaheads of 48 and 80 moves change the moves by less than 1 %.
const LOOKAHEAD: usize = 60;

/// The boards that one search generates at most: three children of each state, and four of the first.
pub(super) const MOST_NODES: u64 = (LOOKAHEAD * 3 * BLANK_CELLS) as u64 + 4;

/// Marks a cell without a state. Costs of states and moves are below half of it, so a move from such a cell
/// costs more than half of it.
const ABSENT: i32 = i32::MAX / 2;

const fn is_present(cost: i32) -> bool {
    cost < ABSENT / 2
}

/// The row and column of a tile's home.
type Home = [u8; 2];

/// The moves to the states of one depth, by the cells of their blanks.
type Layer = [Option<Direction>; CELLS];

#[derive(Debug)]
pub(super) struct SweepBeam {
    costs: SweepCosts,
    window: Option<Window>,
    /// The homes of the tiles in the window, for each state.
    boards: Vec<[Home; CELLS]>,
    /// The index of a state's board, for each cell of the blank; a permutation.
    slots: [u16; CELLS],
    /// For each cell of the blank.
    path_costs: [i32; CELLS],
    /// The layers from the carrier's board on.
    history: Vec<Layer>,
    /// The blank's cell in the best state.
    best: usize,
}

/// The costs of all tiles' distances from their homes.
#[derive(Debug)]
struct SweepCosts {
    side: usize,
    /// The cost of a step down or to the right, by the tile's signed distance from home plus `side`.
    steps: Vec<i32>,
}

impl SweepBeam {
    pub(super) fn new(size: Size) -> Self {
        Self {
            costs: SweepCosts::new(size),
            window: None,
            boards: vec![[[0; 2]; CELLS]; CELLS],
            slots: std::array::from_fn(|cell| cell as u16),
            path_costs: [ABSENT; CELLS],
            history: Vec::new(),
            best: 0,
        }
    }

    /// Continues the search to its lookahead, without reversing the carrier's last move. Returns the
    /// moves to the cheapest state, with what its blank costs added, and the number of boards that it
    /// generated.
    pub(super) fn search(
        &mut self,
        carrier: &TileCarrier,
        last: Option<Direction>,
        cost_of_blank: impl Fn(Position) -> i32,
    ) -> (Vec<Direction>, u64) {
        let size = carrier.board.size();
        let blank = Position::of(size, carrier.board.blank());
        let end = self.window.map_or(blank, |window| window.position(self.best));
        let window = Window::around(size, blank, end, self.window);
        if self.window != Some(window) {
            self.enter(window, carrier, last);
        }
        let mut nodes = 0;
        while self.history.len() <= LOOKAHEAD {
            nodes += self.next_layer(window, size);
        }
        let costs = self.states().map(|cell| {
            let cost = self.path_costs[cell].saturating_add(cost_of_blank(window.position(cell)));
            (cost, cell)
        });
        self.best = costs.min().map_or(0, |(_, cell)| cell);
        (self.moves_to(self.best), nodes)
    }

    /// Keeps the states whose paths begin with the first moves of the best one: with as many as asked for,
    /// or with those that all paths have in common. Returns the number of these moves.
    pub(super) fn commit(&mut self, least: usize) -> usize {
        let mut ancestors: Vec<usize> = self.states().collect();
        let mut ancestor = self.best;
        let mut count = self.history.len() - 1;
        while count > least && ancestors.len() > 1 {
            let layer = &self.history[count];
            let parent = |cell: usize| layer[cell].map_or(cell, |way| target(cell, way));
            let mut is_listed = [false; CELLS];
            ancestors.retain_mut(|cell| {
                *cell = parent(*cell);
                !std::mem::replace(&mut is_listed[*cell], true)
            });
            ancestor = parent(ancestor);
            count -= 1;
        }
        if ancestors.len() > 1 {
            self.keep_descendants(ancestor, count);
        }
        self.history.drain(..count);
        count
    }

    /// Keeps the states that descend from one at a depth.
    fn keep_descendants(&mut self, ancestor: usize, depth: usize) {
        let mut descends = [false; CELLS];
        descends[ancestor] = true;
        for layer in &self.history[depth + 1..] {
            let descended = descends;
            for (cell, way) in (0..).zip(layer) {
                descends[cell] = way.is_some_and(|way| descended[target(cell, way)]);
            }
        }
        for (cost, descends) in self.path_costs.iter_mut().zip(descends) {
            *cost = if descends { *cost } else { ABSENT };
        }
    }

    /// Returns the cells of the blank in the states of the last layer.
    fn states(&self) -> impl Iterator<Item = usize> {
        (0..CELLS).filter(|&cell| is_present(self.path_costs[cell]))
    }

    /// Moves the window: to the states whose paths stay in it, or else to the carrier's board.
    fn enter(&mut self, window: Window, carrier: &TileCarrier, last: Option<Direction>) {
        let states = self.states().map(|cell| (self.moves_to(cell), self.path_costs[cell]));
        let states: Vec<(Vec<Direction>, i32)> = states.collect();
        self.window = Some(window);
        self.path_costs.fill(ABSENT);
        let board = board_in(window, carrier);
        let size = carrier.board.size();
        let blank = window.index(Position::of(size, carrier.board.blank())).unwrap_or(0);
        let depth = states.first().map_or(0, |(moves, _)| moves.len());
        // Only differences matter. Counted from the first board on, costs would grow beyond 32 bits.
        let least = states.iter().map(|&(_, cost)| cost).min().unwrap_or(0);
        self.history.clear();
        self.history.resize(depth + 1, [None; CELLS]);
        for (moves, cost) in states {
            let mut board = board;
            let mut at = blank;
            let mut cells = Vec::with_capacity(depth);
            for &way in &moves {
                let source = target(at, way.opposite());
                if window.index(window.position(source)).is_none() {
                    break;
                }
                board.swap(at, source);
                at = source;
                cells.push(at);
            }
            if cells.len() < depth {
                continue;
            }
            for ((layer, cell), way) in self.history[1..].iter_mut().zip(cells).zip(moves) {
                layer[cell] = Some(way);
            }
            self.boards[usize::from(self.slots[at])] = board;
            self.path_costs[at] = cost - least;
        }
        if self.states().next().is_none() {
            self.history.truncate(1);
            self.boards[usize::from(self.slots[blank])] = board;
            self.path_costs[blank] = 0;
        }
        self.history[0][blank] = last;
    }

    /// Computes the states of the next depth, and returns the number of boards generated.
    fn next_layer(&mut self, window: Window, size: Size) -> u64 {
        let before = self.history.last().copied().unwrap_or([None; CELLS]);
        let (mut layer, mut children) = ([None; CELLS], [0; CELLS]);
        let colour = self.states().next().map_or(0, |cell| cell % 2);
        let mut nodes = 0;
        for (cell, at) in window.cells(size).filter(|(cell, _)| cell % 2 != colour) {
            // The tile goes to where the blank was.
            let cost = |way: Direction| {
                let parent = target(cell, way);
                let is_back = before[parent] == Some(way.opposite());
                let cost = if is_back { ABSENT } else { self.path_costs[parent] };
                let home = self.boards[usize::from(self.slots[parent])][cell];
                cost + self.costs.of_move(home, at, way)
            };
            let costs = Direction::ALL.map(cost);
            nodes += costs.iter().filter(|&&cost| is_present(cost)).count() as u64;
            // Of equal ones the first.
            let key = |way: Direction| (i64::from(costs[way as usize]) << 2) + way as i64;
            let best = Direction::ALL.map(key).into_iter().min().unwrap_or(0);
            let way = Direction::ALL[(best & 3) as usize];
            let cost = costs[way as usize];
            if is_present(cost) {
                self.path_costs[cell] = cost;
                layer[cell] = Some(way);
                children[target(cell, way)] += 1;
            }
        }
        self.play(&layer, children);
        for cell in (colour..CELLS).step_by(2) {
            self.path_costs[cell] = ABSENT;
        }
        self.history.push(layer);
        nodes
    }

    /// Makes the boards of a layer's states. The last child of a state takes its board over.
    fn play(&mut self, layer: &Layer, mut children: [u8; CELLS]) {
        for (cell, way) in (0..).zip(layer) {
            let Some(way) = *way else { continue };
            let parent = target(cell, way);
            children[parent] -= 1;
            if children[parent] == 0 {
                self.slots.swap(parent, cell);
            } else {
                let [from, to] = [parent, cell].map(|cell| usize::from(self.slots[cell]));
                self.boards[to] = self.boards[from];
            }
            let board = &mut self.boards[usize::from(self.slots[cell])];
            board[parent] = board[cell];
        }
    }

    fn moves_to(&self, mut cell: usize) -> Vec<Direction> {
        let mut moves = Vec::with_capacity(LOOKAHEAD);
        for layer in self.history.iter().skip(1).rev() {
            let Some(way) = layer[cell] else { break };
            moves.push(way);
            cell = target(cell, way);
        }
        moves.reverse();
        moves
    }
}

impl SweepCosts {
    /// A distance costs its power of two and a half besides itself, which keeps both ways open for tiles
    /// that have rows and columns to go.
    fn new(size: Size) -> Self {
        /// The cost of a cell by distance alone.
        const CELL: u64 = 100;
        /// The cost of the power at one cell, on a board of this side.
        const POWER: u64 = 30;
        const SIDE: u64 = 16;
        let side = size.rows().max(size.cols());
        let cost = |distance: usize| {
            let distance = distance as u64;
            let power = POWER.pow(2) * SIDE.pow(3) * distance.pow(5) / (side as u64).pow(3);
            i32::try_from(CELL * distance + power.isqrt()).unwrap_or(i32::MAX)
        };
        let step =
            |shifted: usize| cost((shifted + 1).abs_diff(side)) - cost(shifted.abs_diff(side));
        Self { side, steps: (0..2 * side).map(step).collect() }
    }

    /// Returns the cost of a tile's move; negative for a gain.
    #[inline]
    fn of_move(&self, home: Home, from: Position, way: Direction) -> i32 {
        let shifted = |line: i32, home: u8| line as usize + self.side - usize::from(home);
        let (row, col) = (shifted(from.row, home[0]), shifted(from.col, home[1]));
        match way {
            Direction::Left => -self.steps[col - 1],
            Direction::Up => -self.steps[row - 1],
            Direction::Right => self.steps[col],
            Direction::Down => self.steps[row],
        }
    }
}

/// Returns the homes of the tiles in a window, by cell.
fn board_in(window: Window, carrier: &TileCarrier) -> [Home; CELLS] {
    let (board, size) = (&carrier.board, carrier.board.size());
    let mut homes = [[0; 2]; CELLS];
    for (index, at) in window.cells(size) {
        if let Some(cell) = at.cell(size) {
            let home = board.home(board.tile(cell));
            // Sides are at most 128.
            homes[index] = [size.row_of(home) as u8, size.col_of(home) as u8];
        }
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::solver::budget::Budget;
    use std::collections::BTreeSet;

    /// Checks that each state has the board at the end of its path, and the cost but for a common summand.
    fn check_states(beam: &SweepBeam, carrier: &TileCarrier) {
        let window = beam.window.unwrap();
        let mut summands = BTreeSet::new();
        for blank in beam.states() {
            let mut after = TileCarrier::new(carrier.board.clone(), Budget(10_000));
            let mut cost = 0;
            for way in beam.moves_to(blank) {
                cost += play(&mut after, &beam.costs, way);
            }
            assert_eq!(
                window.index(Position::of(after.board.size(), after.board.blank())),
                Some(blank)
            );
            summands.insert(beam.path_costs[blank] - cost);
            let homes = board_in(window, &after);
            let of_state = &beam.boards[usize::from(beam.slots[blank])];
            let is_equal = |&(index, _): &(usize, Position)| homes[index] == of_state[index];
            let differ = window.cells(after.board.size()).filter(|cell| !is_equal(cell)).count();
            // The blank has no home there.
            assert!(differ <= 1, "{differ} of {blank}");
        }
        assert_eq!(summands.len(), 1);
    }

    /// Plays a move and returns its cost.
    fn play(carrier: &mut TileCarrier, costs: &SweepCosts, way: Direction) -> i32 {
        let size = carrier.board.size();
        let to = carrier.board.blank();
        carrier.step(way).unwrap();
        let home = carrier.board.home(carrier.board.tile(to));
        let home = [size.row_of(home) as u8, size.col_of(home) as u8];
        costs.of_move(home, Position::of(size, carrier.board.blank()), way)
    }

    #[test]
    fn states_have_the_boards_and_costs_of_their_paths() {
        for (rows, cols) in [(5, 5), (12, 30), (40, 24)] {
            let mut carrier = TileCarrier::new(scrambled(rows, cols, 1), Budget(100_000));
            let mut beam = SweepBeam::new(carrier.board.size());
            let (mut last, mut cost, mut windows) = (None, 0, 0);
            for _ in 0..12 {
                let before = beam.window;
                let (moves, nodes) = beam.search(&carrier, last, |_| 0);
                windows += u32::from(beam.window != before);
                assert!(moves.len() == LOOKAHEAD && nodes <= MOST_NODES);
                check_states(&beam, &carrier);
                let count = beam.commit(20);
                assert!(count >= 20);
                for &way in &moves[..count] {
                    cost += play(&mut carrier, &beam.costs, way);
                    last = Some(way);
                }
                assert!(beam.states().any(|cell| beam.moves_to(cell) == moves[count..]));
                check_states(&beam, &carrier);
            }
            // It goes on, whether its window moves or not.
            assert!(cost < -20_000 && (windows > 1) == (cols > 17), "{cost}, {windows}");
        }
    }
}
