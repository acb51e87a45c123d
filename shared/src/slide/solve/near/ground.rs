//! What a beam needs to know of a size: neighbours, distances, hashes.

use crate::grid::{Cell, Direction, Size};
use crate::slide::solve::tables::{Table, Tables};
use std::sync::Arc;

/// The largest board for a beam, in cells: numbers of cells and tiles are bytes.
pub(in crate::slide::solve) const MAX_CELLS: usize = 256;

/// A way that a tile travels, as an index of [`WAYS`].
pub(super) type Way = u8;

/// The ways in the order of their indices: the way back differs in bit 1.
pub(super) const WAYS: [Direction; 4] = [
    Direction::Left,
    Direction::Up,
    Direction::Right,
    Direction::Down,
];

/// Returns the index of the way back.
pub(super) const fn back(way: Way) -> Way {
    way ^ 2
}

/// What a move costs to a beam, before it is bent.
const UNIT: u32 = 16;

/// How a beam weighs what it sees. Measured: distances alone lead into dead ends, since a
/// tile far from home is in the way of others, too.
#[derive(Debug, Clone, Copy)]
struct Taste {
    /// A distance counts as its power of this number of quarters.
    bend: u32,
    /// What half a move over the distance costs.
    excess: u32,
    /// By how many tenths at most tiles of outer lines cost more.
    outer: u32,
}

const WITH_TABLE: Taste = Taste {
    bend: 6,
    excess: 4 * UNIT,
    outer: 3,
};

const WITHOUT_TABLE: Taste = Taste {
    bend: 5,
    excess: 3 * UNIT,
    outer: 3,
};

impl Taste {
    fn cost(self, size: Size, home: Cell, cell: Cell) -> u32 {
        let scale = u64::from(UNIT).pow(4);
        let distance = size.distance(home, cell) as u64;
        let bent = (scale * distance.pow(self.bend)).isqrt().isqrt() as u32;
        let [down, right] = [
            size.rows() - 1 - size.row_of(home),
            size.cols() - 1 - size.col_of(home),
        ];
        let sides = 10 * (size.rows() + size.cols()) as u32;
        bent * (sides + self.outer * down.max(right) as u32) / sides
    }
}

/// The facts of a size, each a flat list.
#[derive(Debug, Clone)]
pub(in crate::slide::solve) struct Ground {
    size: Size,
    /// For each cell of the blank and each way, the cell of the tile that would travel.
    sources: Vec<Option<u8>>,
    /// For each tile and cell, the Manhattan distance from the cell to the tile's home.
    distances: Vec<u8>,
    /// For each tile and cell, what a beam takes it to cost.
    costs: Vec<u32>,
    excess_cost: u32,
    table: Option<Arc<Table>>,
    /// For each tile and cell, a number to make hashes of by exclusive or (Zobrist 1970).
    keys: Vec<u64>,
    /// For each cell or tile less one, its row and its column.
    lines: Vec<[u8; 2]>,
}

impl Ground {
    /// Looks at a size of at most [`MAX_CELLS`] cells.
    pub(in crate::slide::solve) fn new(size: Size, tables: &Tables) -> Self {
        let cells = size.cells().min(MAX_CELLS);
        let all = || (0..cells as u16).map(Cell);
        let byte = |cell: Cell| cell.0 as u8;
        let sources =
            all().flat_map(|blank| WAYS.map(|way| size.neighbour(blank, way.opposite()).map(byte)));
        let homes = || (0..cells).map(|tile| Cell((tile + cells - 1) as u16 % cells as u16));
        let distances = homes().flat_map(|home| all().map(move |cell| size.distance(home, cell)));
        let table = tables.best(size).cloned();
        let taste = if table.is_some() {
            WITH_TABLE
        } else {
            WITHOUT_TABLE
        };
        let costs = homes().flat_map(|home| all().map(move |cell| taste.cost(size, home, cell)));
        Self {
            costs: costs.collect(),
            excess_cost: taste.excess,
            table,
            size,
            sources: sources.collect(),
            distances: distances.map(|distance| distance as u8).collect(),
            keys: (0..(cells * cells) as u64).map(mixed).collect(),
            lines: all()
                .map(|cell| [size.row_of(cell) as u8, size.col_of(cell) as u8])
                .collect(),
        }
    }

    /// Returns the size.
    pub(super) const fn size(&self) -> Size {
        self.size
    }

    /// Returns the pattern databases for the size.
    pub(super) fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    /// Returns what half a move over the distance costs to a beam.
    pub(super) const fn excess_cost(&self) -> u32 {
        self.excess_cost
    }

    /// Returns the number of cells.
    pub(super) const fn cells(&self) -> usize {
        self.lines.len()
    }

    /// Returns the cell of the tile that would travel a way into the blank.
    pub(super) fn source(&self, blank: u8, way: Way) -> Option<u8> {
        self.sources[usize::from(blank) * 4 + usize::from(way)]
    }

    /// Returns the moves that a tile needs at least from a cell.
    pub(super) fn distance(&self, tile: u8, cell: u8) -> u16 {
        u16::from(self.distances[self.index(tile, cell)])
    }

    /// Returns what a tile in a cell costs to a beam: more than in proportion to its
    /// distance, and the more the farther its home is from the blank's.
    pub(super) fn cost(&self, tile: u8, cell: u8) -> u32 {
        self.costs[self.index(tile, cell)]
    }

    /// Returns what a tile in a cell adds to a hash.
    pub(super) fn key(&self, tile: u8, cell: u8) -> u64 {
        self.keys[self.index(tile, cell)]
    }

    /// Returns row and column of a cell.
    pub(super) fn lines(&self, cell: u8) -> [u8; 2] {
        self.lines[usize::from(cell)]
    }

    /// Returns row and column of a tile's home.
    pub(super) fn home_lines(&self, tile: u8) -> [u8; 2] {
        self.lines[usize::from(tile) - 1]
    }

    fn index(&self, tile: u8, cell: u8) -> usize {
        usize::from(tile) * self.cells() + usize::from(cell)
    }
}

/// Turns a counter into a number that looks random (SplitMix64: Steele, Lea and Flood,
/// 2014).
const fn mixed(counter: u64) -> u64 {
    let mut z = (counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
