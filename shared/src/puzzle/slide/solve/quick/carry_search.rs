//! A beam search that carries one tile while the others come nearer to their homes.
//!
//! It looks some moves ahead on a patch of the board around the blank. A state is as good
//! as what it costs to carry the tile on, plus what the distances of all other tiles are
//! worth; so among the many ways round a tile it takes those that push the tiles beside it
//! the right way, and makes a detour where one pays.

use crate::puzzle::slide::solve::constructive::route::Workbench;
use crate::puzzle::slide::solve::quick::route_cost::{self, MOVE, Spot, Tiles};
use crate::util::grid::{Cell, Direction};

/// States kept after each move.
const WIDTH: usize = 20;
/// Moves looked ahead.
const DEPTH: usize = 24;
/// The most boards that one search looks at.
pub(super) const SEARCH_NODES: u64 = (DEPTH * 3 * WIDTH) as u64 + 4;

/// The side of the patch, with a wall all around: the blank can't leave it within
/// [`DEPTH`] moves but by going straight on.
const SIDE: usize = 16;
const INNER: usize = SIDE - 2;
/// What stands in a cell that the blank can't enter.
const WALL: u16 = u16::MAX;

/// What is to be carried where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errand<'a> {
    pub home: Cell,
    pub to: Cell,
    /// How much more the tile's way counts than it costs; 1 for no more.
    pub urge: i32,
    /// The way the last tile travelled, not to be taken back.
    pub last: Option<Direction>,
    /// What the distances of all tiles are worth.
    pub tiles: &'a Tiles,
}

/// The best way that was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The ways that the tiles travel.
    pub moves: Vec<Direction>,
    /// What it costs less what it is worth: below 0, it pays.
    pub cost: i32,
    /// Whether the tile is where it is to go.
    pub arrives: bool,
    /// The boards looked at.
    pub nodes: u64,
}

/// The search, with memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Beam {
    states: Vec<State>,
    next: Vec<State>,
    children: Vec<Child>,
    order: Vec<u64>,
    tree: Vec<(u32, Direction)>,
}

#[derive(Debug, Clone)]
struct State {
    patch: [u16; SIDE * SIDE],
    blank: u8,
    /// Where the carried tile is in the patch; 0, in the wall, where it is outside.
    tile: u8,
    last: Option<Direction>,
    /// What the distances of the others have changed by.
    others: i32,
    print: u64,
    /// The number in the tree of moves, from 1; 0 is the root.
    node: u32,
}

#[derive(Debug, Clone, Copy)]
struct Child {
    parent: u8,
    way: Direction,
    others: i32,
    score: i32,
    print: u64,
    arrives: bool,
}

/// Where the patch lies on the board, and the tile's goal.
struct Frame<'a> {
    top: i32,
    left: i32,
    goal: Spot,
    /// Where the tile is while it is outside the patch.
    outside: Spot,
    errand: Errand<'a>,
}

impl Beam {
    /// Looks for the way that costs least; that of no moves costs nothing.
    pub(super) fn search(&mut self, bench: &Workbench, errand: Errand<'_>) -> Found {
        let (frame, root) = frame(bench, errand);
        let start = frame.price(frame.outside, frame.spot(usize::from(root.blank)));
        let mut best = Found { moves: Vec::new(), cost: i32::MAX, arrives: false, nodes: 0 };
        let mut best_node = 0;
        self.tree.clear();
        self.states.clear();
        self.states.push(root);
        let mut spent = 0;
        for _ in 0..DEPTH {
            self.expand(&frame);
            best.nodes += self.children.len() as u64;
            spent += MOVE;
            self.next.clear();
            let mut print = None;
            for &key in &self.order {
                if self.next.len() == WIDTH {
                    break;
                }
                let child = self.children[(key & 0xff) as usize];
                if print == Some(child.print) {
                    continue;
                }
                print = Some(child.print);
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
    fn expand(&mut self, frame: &Frame<'_>) {
        self.children.clear();
        for (parent, state) in (0..).zip(&self.states) {
            let back = state.last.map(Direction::opposite);
            for way in Direction::ALL {
                if Some(way) != back {
                    self.children.extend(frame.child(parent, state, way));
                }
            }
        }
        let key = |(index, child): (u64, &Child)| {
            // The sign turned over, so that the order is that of the numbers.
            let score = u64::from(child.score.cast_unsigned() ^ (1 << 31));
            score << 32 | (child.print >> 32) & 0xffff_ff00 | index
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

impl Frame<'_> {
    fn spot(&self, index: usize) -> Spot {
        // Both below 16.
        Spot { row: self.top + (index / SIDE) as i32, col: self.left + (index % SIDE) as i32 }
    }

    fn price(&self, tile: Spot, blank: Spot) -> i32 {
        MOVE * self.errand.urge * route_cost::carry(tile, self.goal, blank)
    }

    /// Makes the child in which the tile that can travel a way has travelled, if one can.
    fn child(&self, parent: u8, state: &State, way: Direction) -> Option<Child> {
        let blank = usize::from(state.blank);
        let from = beside(blank, way);
        let home = state.patch[from];
        if home == WALL {
            return None;
        }
        let to = self.spot(blank);
        let others = state.others + self.errand.tiles.travel(home, way, to);
        let carried = match usize::from(state.tile) {
            0 => self.outside,
            place if place == from => to,
            place => self.spot(place),
        };
        let price = self.price(carried, self.spot(from));
        Some(Child {
            parent,
            way,
            others,
            score: others + price,
            print: state.print ^ key(home, from) ^ key(home, blank),
            arrives: price == 0,
        })
    }
}

impl State {
    fn play(&mut self, child: Child, node: u32) {
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
        self.print = child.print;
        self.node = node;
    }
}

/// Cuts the patch around the blank out of the board.
fn frame<'a>(bench: &Workbench, errand: Errand<'a>) -> (Frame<'a>, State) {
    let (board, size) = (bench.board(), bench.board().size());
    let start =
        |blank: usize, side: usize| blank.saturating_sub(INNER / 2).min(side.saturating_sub(INNER));
    let top = start(size.row_of(board.blank()), size.rows());
    let left = start(size.col_of(board.blank()), size.cols());
    let index = |cell: Cell| {
        let row = size.row_of(cell).checked_sub(top)?;
        let col = size.col_of(cell).checked_sub(left)?;
        (row < INNER && col < INNER).then_some((row + 1) * SIDE + col + 1)
    };
    let mut patch = [WALL; SIDE * SIDE];
    for row in top..size.rows().min(top + INNER) {
        for col in left..size.cols().min(left + INNER) {
            let cell = size.cell(row, col);
            if let Some(index) = index(cell).filter(|_| bench.is_free(cell)) {
                patch[index] = board.home(board.tile(cell)).0;
            }
        }
    }
    let place = |cell| index(cell).and_then(|index| u8::try_from(index).ok());
    let tile = bench.cell_of(errand.home);
    let root = State {
        patch,
        blank: place(board.blank()).unwrap_or(0),
        tile: place(tile).unwrap_or(0),
        last: errand.last,
        others: 0,
        print: 0,
        node: 0,
    };
    // One more, for the wall around the patch.
    let corner = Spot::of(size, size.cell(top, left));
    let frame = Frame {
        top: corner.row - 1,
        left: corner.col - 1,
        goal: Spot::of(size, errand.to),
        outside: Spot::of(size, tile),
        errand,
    };
    (frame, root)
}

/// Returns the index of the cell from which a tile would travel to another.
const fn beside(to: usize, way: Direction) -> usize {
    match way {
        Direction::Left => to + 1,
        Direction::Up => to + SIDE,
        Direction::Right => to - 1,
        Direction::Down => to - SIDE,
    }
}

/// Returns the key of a tile at a cell of the patch, for a board's print (Zobrist 1970),
/// mixed by a multiplication (Fibonacci hashing, Knuth 1973).
const fn key(home: u16, index: usize) -> u64 {
    let number = (home as u64) << 8 | index as u64;
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
