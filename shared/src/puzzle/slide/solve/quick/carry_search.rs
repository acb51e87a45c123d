//! A beam search that moves one tile while the others come nearer to their homes.
//!
//! It looks some moves ahead on a patch of the board around the blank. A state's score is the
//! remaining cost of the tile's route plus the weights of the other tiles' distances. So among the
//! many routes it prefers those that push the neighbouring tiles in the right direction, and makes
//! detours that pay.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::quick::route_cost::{self, MOVE, Position, TileWeights};
use crate::util::grid::{Cell, Direction};

const BEAM_WIDTH: usize = 20;
const LOOKAHEAD_MOVES: usize = 24;
/// The maximum number of boards that one search generates.
pub(super) const SEARCH_NODES: u64 = (LOOKAHEAD_MOVES * 3 * BEAM_WIDTH) as u64 + 4;

/// The side of the patch, including a wall on all sides: within the lookahead the blank can leave
/// it only by going straight on.
const PATCH_SIDE: usize = 16;
const PATCH_INNER: usize = PATCH_SIDE - 2;
/// The content of a cell that the blank cannot enter.
const WALL: u16 = u16::MAX;

/// The tile to move and its destination.
#[derive(Debug, Clone, Copy)]
pub(super) struct CarryTask<'a> {
    pub home: Cell,
    pub to: Cell,
    /// The weight of the tile's route cost; 1 is neutral.
    pub route_weight: i32,
    /// The direction of the last move, which must not be reversed.
    pub last: Option<Direction>,
    pub tiles: &'a TileWeights,
}

#[derive(Debug)]
pub(super) struct CarryPath {
    pub moves: Vec<Direction>,
    /// The cost less the gain; the path pays if it is below 0.
    pub cost: i32,
    pub arrives: bool,
    pub nodes: u64,
}

/// The search with its reusable buffers.
#[derive(Debug, Default)]
pub(super) struct CarrySearch {
    states: Vec<PatchState>,
    next: Vec<PatchState>,
    children: Vec<PatchChild>,
    order: Vec<u64>,
    tree: Vec<(u32, Direction)>,
}

#[derive(Debug, Clone)]
struct PatchState {
    patch: [u16; PATCH_SIDE * PATCH_SIDE],
    blank: u8,
    /// The index of the carried tile in the patch; 0, in the wall, when it is outside.
    tile: u8,
    last: Option<Direction>,
    /// The change of the other tiles' weighted distances.
    others: i32,
    hash: u64,
    /// The index in the tree of moves, from 1; 0 is the root.
    node: u32,
}

#[derive(Debug, Clone, Copy)]
struct PatchChild {
    parent: u8,
    way: Direction,
    others: i32,
    score: i32,
    hash: u64,
    arrives: bool,
}

/// The patch's place on the board, and the tile's destination.
struct PatchFrame<'a> {
    top: i32,
    left: i32,
    goal: Position,
    /// The tile's cell while it is outside the patch.
    outside: Position,
    task: CarryTask<'a>,
}

impl CarrySearch {
    /// Finds the cheapest path; the empty path costs nothing.
    pub(super) fn search(&mut self, carrier: &TileCarrier, task: CarryTask<'_>) -> CarryPath {
        let (frame, root) = frame(carrier, task);
        let start = frame.carry_cost(frame.outside, frame.position(usize::from(root.blank)));
        let mut best = CarryPath { moves: Vec::new(), cost: i32::MAX, arrives: false, nodes: 0 };
        let mut best_node = 0;
        self.tree.clear();
        self.states.clear();
        self.states.push(root);
        let mut spent = 0;
        for _ in 0..LOOKAHEAD_MOVES {
            self.expand(&frame);
            best.nodes += self.children.len() as u64;
            spent += MOVE;
            self.next.clear();
            let mut hash = None;
            for &key in &self.order {
                if self.next.len() == BEAM_WIDTH {
                    break;
                }
                let child = self.children[(key & 0xff) as usize];
                if hash == Some(child.hash) {
                    continue;
                }
                hash = Some(child.hash);
                let parent = &self.states[usize::from(child.parent)];
                self.tree.push((parent.node, child.way));
                let node = u32::try_from(self.tree.len()).unwrap_or(u32::MAX);
                let cost = child.score - start + spent;
                if cost < best.cost {
                    (best.cost, best.arrives, best_node) = (cost, child.arrives, node);
                }
                if !child.arrives {
                    self.next.push(parent.clone());
                    if let Some(state) = self.next.last_mut() {
                        state.play(child, node);
                    }
                }
            }
            std::mem::swap(&mut self.states, &mut self.next);
        }
        best.moves = self.moves_to(best_node);
        best
    }

    /// Lists the children of all states and sorts them by score, with equal boards adjacent.
    fn expand(&mut self, frame: &PatchFrame<'_>) {
        self.children.clear();
        for (parent, state) in (0..).zip(&self.states) {
            let back = state.last.map(Direction::opposite);
            for way in Direction::ALL {
                if Some(way) != back {
                    self.children.extend(frame.child(parent, state, way));
                }
            }
        }
        let key = |(index, child): (u64, &PatchChild)| {
            // The sign bit is flipped so that the unsigned order is the signed one.
            let score = u64::from(child.score.cast_unsigned() ^ (1 << 31));
            score << 32 | (child.hash >> 32) & 0xffff_ff00 | index
        };
        self.order.clear();
        self.order.extend((0..).zip(&self.children).map(key));
        self.order.sort_unstable();
    }

    fn moves_to(&self, mut node: u32) -> Vec<Direction> {
        let mut moves = Vec::new();
        while let Some(&(before, way)) =
            (node as usize).checked_sub(1).and_then(|index| self.tree.get(index))
        {
            moves.push(way);
            node = before;
        }
        moves.reverse();
        moves
    }
}

impl PatchFrame<'_> {
    fn position(&self, index: usize) -> Position {
        // Both are below 16.
        Position {
            row: self.top + (index / PATCH_SIDE) as i32,
            col: self.left + (index % PATCH_SIDE) as i32,
        }
    }

    fn carry_cost(&self, tile: Position, blank: Position) -> i32 {
        MOVE * self.task.route_weight * route_cost::carry_cost(tile, self.goal, blank)
    }

    /// Returns the child after the move of a tile in a direction, if there is such a tile.
    fn child(&self, parent: u8, state: &PatchState, way: Direction) -> Option<PatchChild> {
        let blank = usize::from(state.blank);
        let from = beside(blank, way);
        let home = state.patch[from];
        if home == WALL {
            return None;
        }
        let to = self.position(blank);
        let others = state.others + self.task.tiles.move_cost(home, way, to);
        let carried = match usize::from(state.tile) {
            0 => self.outside,
            place if place == from => to,
            place => self.position(place),
        };
        let price = self.carry_cost(carried, self.position(from));
        Some(PatchChild {
            parent,
            way,
            others,
            score: others + price,
            hash: state.hash ^ key(home, from) ^ key(home, blank),
            arrives: price == 0,
        })
    }
}

impl PatchState {
    fn play(&mut self, child: PatchChild, node: u32) {
        let blank = usize::from(self.blank);
        let from = beside(blank, child.way);
        self.patch[blank] = self.patch[from];
        if usize::from(self.tile) == from {
            self.tile = self.blank;
        }
        // Below 256, as all cells of a patch.
        self.blank = from as u8;
        self.last = Some(child.way);
        self.others = child.others;
        self.hash = child.hash;
        self.node = node;
    }
}

/// Copies the patch around the blank from the board.
fn frame<'a>(carrier: &TileCarrier, task: CarryTask<'a>) -> (PatchFrame<'a>, PatchState) {
    let (board, size) = (&carrier.board, carrier.board.size());
    let start = |blank: usize, side: usize| {
        blank.saturating_sub(PATCH_INNER / 2).min(side.saturating_sub(PATCH_INNER))
    };
    let top = start(size.row_of(board.blank()), size.rows());
    let left = start(size.col_of(board.blank()), size.cols());
    let index = |cell: Cell| {
        let row = size.row_of(cell).checked_sub(top)?;
        let col = size.col_of(cell).checked_sub(left)?;
        (row < PATCH_INNER && col < PATCH_INNER).then_some((row + 1) * PATCH_SIDE + col + 1)
    };
    let mut patch = [WALL; PATCH_SIDE * PATCH_SIDE];
    for row in top..size.rows().min(top + PATCH_INNER) {
        for col in left..size.cols().min(left + PATCH_INNER) {
            let cell = size.cell(row, col);
            if let Some(index) = index(cell).filter(|_| carrier.is_free(cell)) {
                patch[index] = board.home(board.tile(cell)).0;
            }
        }
    }
    let place = |cell| index(cell).and_then(|index| u8::try_from(index).ok());
    let tile = carrier.cell_of(task.home);
    let root = PatchState {
        patch,
        blank: place(board.blank()).unwrap_or(0),
        tile: place(tile).unwrap_or(0),
        last: task.last,
        others: 0,
        hash: 0,
        node: 0,
    };
    // One less for the wall around the patch.
    let corner = Position::of(size, size.cell(top, left));
    let frame = PatchFrame {
        top: corner.row - 1,
        left: corner.col - 1,
        goal: Position::of(size, task.to),
        outside: Position::of(size, tile),
        task,
    };
    (frame, root)
}

/// Returns the index of the cell from which a tile slides to another in a direction.
const fn beside(to: usize, way: Direction) -> usize {
    match way {
        Direction::Left => to + 1,
        Direction::Up => to + PATCH_SIDE,
        Direction::Right => to - 1,
        Direction::Down => to - PATCH_SIDE,
    }
}

/// Returns the key of a tile at a cell of the patch (Zobrist 1970), mixed by a multiplication
/// (Fibonacci hashing, Knuth 1973).
const fn key(home: u16, index: usize) -> u64 {
    let number = (home as u64) << 8 | index as u64;
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
