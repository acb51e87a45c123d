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

/// The cost of a move in a beam's score.
const MOVE_COST: u32 = 16;

/// The costs that make up a beam's score.
#[derive(Debug)]
struct Costs {
    /// A tile's cost is its distance to the power of this many quarters: plain distances lead into
    /// dead ends, since a tile far from home also blocks others.
    exponent_quarters: u32,
    /// What a tile at these distances costs less.
    near_discounts: [u32; 3],
    /// The percentage of the cubes of its rows and of its columns from home that a tile costs more: with both
    /// still to go, two of the four moves of the blank through it bring it nearer, else only one.
    cube_percent: u32,
    /// The cost of two tiles side by side, by the difference between their homes along the line
    /// that joins them, from -3 to 3, and across it, from 0 to 3: tiles that must pass each other
    /// cost more than their distances, wherever they are.
    pairs: [[i16; 4]; 7],
    /// The cost of two moves over the distance that a table or a linear conflict shows.
    excess: u32,
}

/// Tuned on 6×6, 8×8 and 10×10 for the length of solutions by an evolution strategy (Rechenberg
/// 1973), with beams of 256 and 512 boards.
const COSTS: Costs = Costs {
    exponent_quarters: 7,
    near_discounts: [0, 14, 13],
    cube_percent: 12,
    pairs: [
        [76, 138, 98, 60],
        [36, 65, 46, 28],
        [31, 56, 40, 24],
        [19, 35, 25, 15],
        [-3, -5, -4, -2],
        [1, 2, 2, 1],
        [7, 13, 9, 6],
    ],
    excess: 11 * MOVE_COST,
};

/// The same beside a table, tuned on 5×5. An excess costs more than its moves, since most of it is not
/// visible to the table's two views.
const COSTS_BESIDE_TABLE: Costs = Costs {
    exponent_quarters: 6,
    near_discounts: [0; 3],
    cube_percent: 10,
    pairs: [[48; 4], [38; 4], [29; 4], [16; 4], [3; 4], [0; 4], [-6; 4]],
    excess: 3 * MOVE_COST,
};

impl Costs {
    fn of_tile(&self, size: Size, home: Cell, cell: Cell) -> u32 {
        let distance = size.distance(home, cell);
        let scaled = u128::from(MOVE_COST).pow(4) * (distance as u128).pow(self.exponent_quarters);
        let power = scaled.isqrt().isqrt() as u32;
        let discount = self.near_discounts.get(distance).copied().unwrap_or(0);
        let cube = |one: usize, other: usize| (one.abs_diff(other) as u32).pow(3);
        let cubes =
            cube(size.row_of(home), size.row_of(cell)) + cube(size.col_of(home), size.col_of(cell));
        power - discount + MOVE_COST * cubes * self.cube_percent / 100
    }

    fn of_pair(&self, first: usize, second: usize, across: usize) -> i16 {
        let most = self.pairs.len() / 2;
        let along = (second + most).saturating_sub(first).min(2 * most);
        self.pairs[along][across.min(self.pairs[along].len() - 1)]
    }
}

/// Computes the costs of all pairs of tiles for [`Geometry::pair_cost`].
fn pair_costs(size: Size, cells: usize, costs: &Costs) -> Vec<[i16; 4]> {
    let homes = || (0..cells as u16).map(|home| [size.row_of(Cell(home)), size.col_of(Cell(home))]);
    let of_pair = |[row, col]: [usize; 2], [other_row, other_col]: [usize; 2]| {
        let (down, right) = (row.abs_diff(other_row), col.abs_diff(other_col));
        [
            costs.of_pair(col, other_col, down),
            costs.of_pair(row, other_row, right),
            costs.of_pair(other_col, col, down),
            costs.of_pair(other_row, row, right),
        ]
    };
    let mut all = vec![[0; 4]; (cells + 1) * (cells + 1)];
    for (tile, home) in (1..).zip(homes()) {
        for (other, other_home) in (1..).zip(homes()).filter(|&(other, _)| other != tile) {
            all[tile * (cells + 1) + other] = of_pair(home, other_home);
        }
    }
    all
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
    /// The cost of two moves over the distance that the table or a linear conflict shows.
    pub(super) excess_cost: u32,
    /// For each pair of tiles, their cost when the second is where a tile would slide from in each
    /// direction to the first.
    pair_costs: Vec<[i16; 4]>,
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
        let table = tables.best(size).cloned();
        let costs = if table.is_some() { &COSTS_BESIDE_TABLE } else { &COSTS };
        let tile_costs =
            homes().flat_map(|home| all().map(move |cell| costs.of_tile(size, home, cell)));
        Self {
            costs: tile_costs.collect(),
            excess_cost: costs.excess,
            pair_costs: pair_costs(size, cells, costs),
            table,
            size,
            sources: sources.collect(),
            distances: distances.map(|distance| distance as u8).collect(),
            keys: (0..((cells + 1) * cells) as u64).map(split_mix).collect(),
            lines: all().map(|cell| [size.row_of(cell) as u8, size.col_of(cell) as u8]).collect(),
        }
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

    /// Returns the cost of a tile in a cell.
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
