//! Precomputed tables for a board size: neighbours, distances, costs, hash keys.

use crate::puzzle::slide::solve::tables::{Table, Tables};
use crate::util::grid::{Cell, Direction, Size};
use std::sync::Arc;

/// The largest board for a beam, in cells: cell and tile numbers are bytes.
pub const MAX_CELLS: usize = 256;

/// A tile's direction, as an index of [`Direction::ALL`]. The opposite direction differs in bit 1.
pub(super) type DirectionIndex = u8;

pub(super) const fn back(way: DirectionIndex) -> DirectionIndex {
    way ^ 2
}

/// The cost of a move in a beam's score. These costs were tuned for the length of solutions after
/// a million nodes, on 5×5 with tables and on 7×7 without.
const MOVE_COST: u32 = 16;

/// A tile's cost is its distance to the power of this many quarters: plain distances lead into
/// dead ends, since a tile far from home also blocks others.
const EXPONENT_QUARTERS: u32 = 6;

/// The cost of two moves of excess in one view of a table. It exceeds their cost, since most
/// excess is not visible to the two views.
pub(super) const EXCESS_COST: u32 = 3 * MOVE_COST;

/// The cost of a linear conflict, which is two moves over the distance: the only visible excess
/// without a table.
const CONFLICT_COST: u32 = 8 * MOVE_COST;

/// The cost of two tiles side by side, by the difference between their homes along the line that
/// joins them, from -3 to 3: tiles that must pass each other cost more than their distances,
/// wherever they are.
const PAIR_COSTS: [i8; 7] = [48, 38, 29, 16, 3, 0, -6];

/// The percentage by which the tiles of a line cost more than those of the next line inwards, so
/// that outer lines are finished first.
const OUTER_LINE_PERCENT: u32 = 3;

fn cost(size: Size, home: Cell, cell: Cell) -> u32 {
    let scale = u64::from(MOVE_COST).pow(4);
    let distance = size.distance(home, cell) as u64;
    let bent = (scale * distance.pow(EXPONENT_QUARTERS)).isqrt().isqrt() as u32;
    let down = size.rows() - 1 - size.row_of(home);
    let right = size.cols() - 1 - size.col_of(home);
    weighted(bent, down.max(right))
}

/// Returns a cost weighted by the number of lines between it and the blank's home.
fn weighted(cost: u32, lines: usize) -> u32 {
    let outwards = |weight: u32, _| weight + weight * OUTER_LINE_PERCENT / 100;
    (cost * (0..lines).fold(1 << 10, outwards)) >> 10
}

/// Computes the costs of all pairs of tiles for [`Geometry::pair_cost`].
fn pair_costs(size: Size, cells: usize) -> Vec<[i8; 4]> {
    let homes = || (0..cells as u16).map(|home| [size.row_of(Cell(home)), size.col_of(Cell(home))]);
    let cost = |first: usize, second: usize| {
        let most = PAIR_COSTS.len() / 2;
        let difference = (second + most).saturating_sub(first).min(2 * most);
        PAIR_COSTS[difference]
    };
    let of_pair = |[row, col]: [usize; 2], [other_row, other_col]: [usize; 2]| {
        [cost(col, other_col), cost(row, other_row), cost(other_col, col), cost(other_row, row)]
    };
    let mut costs = vec![[0; 4]; (cells + 1) * (cells + 1)];
    for (tile, home) in (1..).zip(homes()) {
        for (other, other_home) in (1..).zip(homes()).filter(|&(other, _)| other != tile) {
            costs[tile * (cells + 1) + other] = of_pair(home, other_home);
        }
    }
    costs
}

/// The tables of a size, each a flat list.
#[derive(Debug, Clone)]
pub struct Geometry {
    pub size: Size,
    /// For each cell of the blank and direction, the cell of the tile that slides.
    sources: Vec<Option<u8>>,
    /// For each tile and cell, the Manhattan distance from the cell to the tile's home.
    distances: Vec<u8>,
    /// For each tile and cell, the cost in a beam's score.
    costs: Vec<u32>,
    /// The cost of a conflict in each row and in each column.
    conflict_costs: [Vec<u32>; 2],
    /// For each pair of tiles, their cost when the second is where a tile would slide from in each
    /// direction to the first.
    pair_costs: Vec<[i8; 4]>,
    pub(super) table: Option<Arc<Table>>,
    /// For each tile and cell, a Zobrist key (Zobrist 1970).
    keys: Vec<u64>,
    /// For each cell (and tile less one), its row and column.
    lines: Vec<[u8; 2]>,
}

impl Geometry {
    /// Computes the tables of a size of at most [`MAX_CELLS`] cells.
    pub fn new(size: Size, tables: &Tables) -> Self {
        let cells = size.cells().min(MAX_CELLS);
        let all = || (0..cells as u16).map(Cell);
        let byte = |cell: Cell| cell.0 as u8;
        let sources = all().flat_map(|blank| {
            Direction::ALL.map(|way| size.neighbour(blank, way.opposite()).map(byte))
        });
        let homes = || (0..=cells).map(|tile| Cell((tile + cells - 1) as u16 % cells as u16));
        let distances = homes().flat_map(|home| all().map(move |cell| size.distance(home, cell)));
        let costs = homes().flat_map(|home| all().map(move |cell| cost(size, home, cell)));
        let of_lines =
            |lines: usize| (0..lines).map(|n| weighted(CONFLICT_COST, lines - 1 - n)).collect();
        Self {
            costs: costs.collect(),
            conflict_costs: [of_lines(size.rows()), of_lines(size.cols())],
            pair_costs: pair_costs(size, cells),
            table: tables.best(size).cloned(),
            size,
            sources: sources.collect(),
            distances: distances.map(|distance| distance as u8).collect(),
            keys: (0..((cells + 1) * cells) as u64).map(split_mix).collect(),
            lines: all().map(|cell| [size.row_of(cell) as u8, size.col_of(cell) as u8]).collect(),
        }
    }

    pub(super) fn conflict_cost(&self, axis: usize, line: u8) -> u32 {
        self.conflict_costs[axis][usize::from(line)]
    }

    pub(super) const fn cells(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn source(&self, blank: u8, way: DirectionIndex) -> Option<u8> {
        self.sources[usize::from(blank) * 4 + usize::from(way)]
    }

    /// Returns the Manhattan distance of a tile in a cell from its home.
    pub(super) fn distance(&self, tile: u8, cell: u8) -> u16 {
        u16::from(self.distances[self.index(tile, cell)])
    }

    /// Returns the cost of a tile in a cell. It grows faster than the distance, and with the
    /// distance of the tile's home from the blank's.
    pub(super) fn cost(&self, tile: u8, cell: u8) -> u32 {
        self.costs[self.index(tile, cell)]
    }

    /// Returns the costs of a tile in a cell with the tiles beside it. The blank and the tile
    /// itself cost nothing.
    #[inline]
    pub(super) fn pair_cost(&self, tiles: &[u8], tile: u8, cell: u8) -> i32 {
        let row = usize::from(tile) * (self.cells() + 1);
        let beside = |way| {
            let other = tiles[usize::from(self.source(cell, way)?)];
            Some(i32::from(self.pair_costs[row + usize::from(other)][usize::from(way)]))
        };
        (0..4).filter_map(beside).sum()
    }

    pub(super) fn key(&self, tile: u8, cell: u8) -> u64 {
        self.keys[self.index(tile, cell)]
    }

    pub(super) fn lines(&self, cell: u8) -> [u8; 2] {
        self.lines[usize::from(cell)]
    }

    pub(super) fn home_lines(&self, tile: u8) -> [u8; 2] {
        self.lines[usize::from(tile) - 1]
    }

    fn index(&self, tile: u8, cell: u8) -> usize {
        usize::from(tile) * self.cells() + usize::from(cell)
    }
}

/// SplitMix64 of a counter (Steele, Lea and Flood 2014).
const fn split_mix(counter: u64) -> u64 {
    let mut z = (counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
