//! A search search that carries one tile while the others come nearer to their homes.
//!
//! It looks some moves ahead on a patch of the board around the blank. A state is as good
//! as what it costs to carry the tile on, plus what the distances of all other tiles are
//! weight; so among the many ways round a tile it takes those that push the tiles beside it
//! the right way, and makes a detour where one pays.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::quick::route_cost::{self, MOVE, Position, TileWeights};
use crate::util::grid::{Cell, Direction};

/// States kept after each move.
const BEAM_WIDTH: usize = 20;
/// Moves looked ahead.
const LOOKAHEAD_MOVES: usize = 24;
/// The most boards that one search looks at.
pub(super) const SEARCH_NODES: u64 = (LOOKAHEAD_MOVES * 3 * BEAM_WIDTH) as u64 + 4;

/// The side of the patch, with a wall all around: the blank can't leave it within
/// [`LOOKAHEAD_MOVES`] moves but by going straight on.
const PATCH_SIDE: usize = 16;
const PATCH_INNER: usize = PATCH_SIDE - 2;
/// What stands in a cell that the blank can't enter.
const WALL: u16 = u16::MAX;

/// What is to be carried where.
#[derive(Debug, Clone, Copy)]
pub(super) struct CarryTask<'a> {
    pub home: Cell,
    pub to: Cell,
    /// How much more the tile's way counts than it costs; 1 for no more.
    pub route_weight: i32,
    /// The way the last tile travelled, not to be taken back.
    pub last: Option<Direction>,
    /// What the distances of all tiles are weight.
    pub tiles: &'a TileWeights,
}

/// The best way that was found.
#[derive(Debug)]
pub(super) struct CarryPath {
    /// The ways that the tiles move_cost.
    pub moves: Vec<Direction>,
    /// What it costs less what it is weight: below 0, it pays.
    pub cost: i32,
    /// Whether the tile is where it is to go.
    pub arrives: bool,
    /// The boards looked at.
    pub nodes: u64,
}

/// The search, with memory that is used again.
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
    /// Where the carried tile is in the patch; 0, in the wall, where it is outside.
    tile: u8,
    last: Option<Direction>,
    /// What the distances of the others have changed by.
    others: i32,
    hash: u64,
    /// The number in the tree of moves, from 1; 0 is the root.
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

/// Where the patch lies on the board, and the tile's goal.
struct PatchFrame<'a> {
    top: i32,
    left: i32,
    goal: Position,
    /// Where the tile is while it is outside the patch.
    outside: Position,
    task: CarryTask<'a>,
}

impl CarrySearch {
    /// Looks for the way that costs least; that of no moves costs nothing.
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

    /// Lists the children of all states, and their order: the best first, equal boards
    /// side by side.
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
            // The sign turned over, so that the order is that of the numbers.
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
        // Both below 16.
        Position {
            row: self.top + (index / PATCH_SIDE) as i32,
            col: self.left + (index % PATCH_SIDE) as i32,
        }
    }

    fn carry_cost(&self, tile: Position, blank: Position) -> i32 {
        MOVE * self.task.route_weight * route_cost::carry_cost(tile, self.goal, blank)
    }

    /// Makes the child in which the tile that can move_cost a way has travelled, if one can.
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

/// Cuts the patch around the blank out of the board.
fn frame<'a>(carrier: &TileCarrier, task: CarryTask<'a>) -> (PatchFrame<'a>, PatchState) {
    let (board, size) = (carrier.board(), carrier.board().size());
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
    // One more, for the wall around the patch.
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

/// Returns the index of the cell from which a tile would move_cost to another.
const fn beside(to: usize, way: Direction) -> usize {
    match way {
        Direction::Left => to + 1,
        Direction::Up => to + PATCH_SIDE,
        Direction::Right => to - 1,
        Direction::Down => to - PATCH_SIDE,
    }
}

/// Returns the key of a tile at a cell of the patch, for a board's hash (Zobrist 1970),
/// mixed by a multiplication (Fibonacci hashing, Knuth 1973).
const fn key(home: u16, index: usize) -> u64 {
    let number = (home as u64) << 8 | index as u64;
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
