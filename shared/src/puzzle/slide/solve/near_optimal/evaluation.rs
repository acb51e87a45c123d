//! A beam's evaluation of boards: a sum of weights, of which a move changes few.
//!
//! The weights count how far each tile is from home, how each two tiles near each other stand to
//! each other, and the tiles around the blank. They were fitted to the boards on solutions that wide beams
//! found, against the other boards of the same layers, by a conditional logit (McFadden 1974), in
//! several rounds with the beams of the round before: learning to rank for beam search (Xu, Fern and
//! Yoon 2007).

use super::weights::{DISPLACEMENTS, HOME_DIFFERENCES, MAX_DISTANCE, WEIGHTS, Weights};
use crate::util::grid::{Cell, Size};

/// The largest board for a beam, in cells: cell and tile numbers are bytes.
pub const MAX_CELLS: usize = 256;

/// A tile's direction, as an index of [`Direction::ALL`](crate::util::grid::Direction::ALL). The opposite direction differs in bit 1.
pub(super) type DirectionIndex = u8;

pub(super) const fn back(way: DirectionIndex) -> DirectionIndex {
    way ^ 2
}

/// The cells near a cell by rows and columns from there. Of a pair of tiles the first is the one that
/// has the other at one of the first six offsets.
const OFFSETS: [(isize, isize); 12] = [
    (0, 1),
    (1, 0),
    (0, 2),
    (2, 0),
    (1, 1),
    (1, -1),
    (0, -1),
    (-1, 0),
    (0, -2),
    (-2, 0),
    (-1, -1),
    (-1, 1),
];
const HALF: usize = OFFSETS.len() / 2;

/// Where a tile is after its slide, as an offset from the blank, by its direction.
const BACK_OFFSETS: [usize; 4] = [6, 7, 0, 1];

/// The highest displacement, in cells along an axis, that has a class of its own.
const MAX_DISPLACEMENT: isize = 2;
/// The same of the difference between the homes of two tiles.
const MAX_HOME_DIFFERENCE: isize = 3;

/// The class of no tile.
const NO_DISPLACEMENT: u8 = DISPLACEMENTS as u8;
/// The class of a pair without a second tile.
const NO_PAIR: u8 = HOME_DIFFERENCES as u8;

/// Powers of two, so that an index can be masked in place of checked.
const DISPLACEMENT_SLOTS: usize = 32;
const PAIR_SLOTS: usize = 64 * DISPLACEMENT_SLOTS;

/// The cells of a board, and zeros behind them.
pub(super) type PaddedBoard = [u8; 2 * MAX_CELLS];

/// The cell outside the board.
const OUTSIDE: u16 = MAX_CELLS as u16;

/// The weights for a board size.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    cells: usize,
    /// For each tile and cell.
    tile: Vec<i32>,
    /// For each two tiles, the class of the difference of their homes; 0 stands for no tile.
    home_differences: Vec<[u8; MAX_CELLS]>,
    /// For each tile and cell, the class of the displacement.
    displacements: Vec<[u8; MAX_CELLS]>,
    /// For each of the first six offsets, by both classes.
    pair: Vec<[i16; PAIR_SLOTS]>,
    /// For each offset from the blank, by the displacement's class.
    blank: [[i16; DISPLACEMENT_SLOTS]; OFFSETS.len()],
    blank_cell: Vec<i32>,
    /// For each cell, those at the offsets from there.
    nearby: Vec<[u16; OFFSETS.len()]>,
}

/// The move of a tile into the blank's cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slide {
    pub(super) tile: u8,
    pub(super) source: u8,
    pub(super) blank: u8,
    pub(super) way: DirectionIndex,
}

/// Rows and columns between two cells, or from a cell to a tile's home.
#[derive(Debug, Clone, Copy)]
struct Difference {
    rows: isize,
    cols: isize,
}

impl Difference {
    const fn between(size: Size, from: Cell, to: Cell) -> Self {
        Self {
            rows: size.row_of(to) as isize - size.row_of(from) as isize,
            cols: size.col_of(to) as isize - size.col_of(from) as isize,
        }
    }

    /// Returns the class of a difference of at most `most` along each axis.
    fn class(self, most: isize) -> u8 {
        let [rows, cols] = [self.rows, self.cols].map(|along| along.clamp(-most, most) + most);
        (cols * (2 * most + 1) + rows) as u8
    }

    /// Returns all differences of at most `most` along each axis.
    fn all(most: isize) -> impl Iterator<Item = Self> + Clone {
        (-most..=most).flat_map(move |rows| (-most..=most).map(move |cols| Self { rows, cols }))
    }

    const fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows }
    }
}

/// Returns the index of the weights of an offset: side by side, two cells away, diagonal.
const fn kind(offset: usize) -> usize {
    offset % HALF / 2
}

/// Returns a pair's weight. A pair in a column is one in a row of the transposed board, and a pair's
/// mirror image across its line has the same weight.
fn pair_weight(weights: &Weights, offset: usize, homes: Difference, away: Difference) -> i16 {
    let upright = offset % 2 == 1;
    let (mut homes, mut away) =
        if upright { (homes.transposed(), away.transposed()) } else { (homes, away) };
    let mirrored = match kind(offset) {
        2 => upright,
        _ => homes.rows < 0 || homes.rows == 0 && away.rows < 0,
    };
    if mirrored {
        (homes.rows, away.rows) = (-homes.rows, -away.rows);
    }
    let classes = [homes.class(MAX_HOME_DIFFERENCE), away.class(MAX_DISPLACEMENT)];
    let [homes, away] = classes.map(usize::from);
    weights.pair[kind(offset)][homes][away]
}

/// Returns the weight of a tile at an offset from the blank.
fn blank_weight(weights: &Weights, offset: usize, away: Difference) -> i16 {
    let (rows, cols) = OFFSETS[offset];
    // How far the tile has to go towards the blank.
    let towards =
        |to_go: isize, side: isize| if side == 0 { to_go.abs() } else { -side.signum() * to_go };
    let (rows_to_go, cols_to_go) = (towards(away.rows, rows), towards(away.cols, cols));
    let towards = if rows.abs() > cols.abs() {
        Difference { rows: cols_to_go, cols: rows_to_go }
    } else {
        Difference { rows: rows_to_go, cols: cols_to_go }
    };
    weights.blank[kind(offset)][usize::from(towards.class(MAX_DISPLACEMENT))]
}

impl Evaluation {
    pub(super) fn new(size: Size) -> Self {
        let weights = &WEIGHTS;
        let cells = size.cells().min(MAX_CELLS);
        let all = || (0..cells as u16).map(Cell);
        // The last tile's home is the blank's: such a tile exists in windows only.
        let homes = || (1usize..).zip(all()).take(MAX_CELLS - 1);
        let mut tile_weights = vec![0; (cells + 1) * cells];
        let mut displacements = vec![[NO_DISPLACEMENT; MAX_CELLS]; cells + 1];
        let mut home_differences = vec![[NO_PAIR; MAX_CELLS]; cells + 1];
        for (tile, home) in homes() {
            for cell in all() {
                let away = Difference::between(size, cell, home);
                tile_weights[tile * cells + usize::from(cell.0)] =
                    tile_weight(weights, size, home, cell);
                displacements[tile][usize::from(cell.0)] = away.class(MAX_DISPLACEMENT);
            }
            for (other, other_home) in homes().filter(|&(other, _)| other != tile) {
                let between = Difference::between(size, home, other_home);
                home_differences[tile][other] = between.class(MAX_HOME_DIFFERENCE);
            }
        }
        let mut pair = vec![[0; PAIR_SLOTS]; HALF];
        let mut blank = [[0; DISPLACEMENT_SLOTS]; OFFSETS.len()];
        for away in Difference::all(MAX_DISPLACEMENT) {
            let slot = usize::from(away.class(MAX_DISPLACEMENT));
            for (offset, pair) in pair.iter_mut().enumerate() {
                for homes in Difference::all(MAX_HOME_DIFFERENCE) {
                    let class = usize::from(homes.class(MAX_HOME_DIFFERENCE));
                    pair[class * DISPLACEMENT_SLOTS + slot] =
                        pair_weight(weights, offset, homes, away);
                }
            }
            for (offset, blank) in blank.iter_mut().enumerate() {
                blank[slot] = blank_weight(weights, offset, away);
            }
        }
        let nearby = |cell| {
            OFFSETS.map(|(down, right)| {
                let row =
                    size.row_of(cell).checked_add_signed(down).filter(|&row| row < size.rows());
                let col =
                    size.col_of(cell).checked_add_signed(right).filter(|&col| col < size.cols());
                row.zip(col).map_or(OUTSIDE, |(row, col)| size.cell(row, col).0)
            })
        };
        let of_blank = |cell| {
            let [row, col] = from_border(size, cell, 3);
            i32::from(weights.blank_cell[row][col])
        };
        Self {
            cells,
            tile: tile_weights,
            home_differences,
            displacements,
            pair,
            blank,
            blank_cell: all().map(of_blank).collect(),
            nearby: all().map(nearby).collect(),
        }
    }

    /// Returns what the blank and the tiles around it weigh.
    #[inline]
    pub(super) fn around_blank(&self, tiles: &PaddedBoard, blank: u8) -> i32 {
        let nearby = &self.nearby[usize::from(blank)];
        let weights = self.blank.iter().zip(nearby).map(|(weights, &cell)| {
            let tile = tiles[usize::from(cell) % tiles.len()];
            i32::from(weights[self.displacement(tile, cell) % DISPLACEMENT_SLOTS])
        });
        self.blank_cell[usize::from(blank)] + weights.sum::<i32>()
    }

    /// Returns what a slide adds to the weights of a board without those around its blank. `tiles` are
    /// those before the slide.
    #[inline]
    pub(super) fn change(&self, tiles: &PaddedBoard, slide: Slide) -> i32 {
        let Slide { tile, source, blank, way } = slide;
        let homes = &self.home_differences[usize::from(tile)];
        let (leaves, enters) = (usize::from(source), usize::from(blank));
        let away = &self.displacements[usize::from(tile)];
        let [away_before, away_after] = [leaves, enters].map(|cell| usize::from(away[cell]));
        let of_tile = usize::from(tile) * self.cells;
        let mut sum = self.tile[of_tile + enters] - self.tile[of_tile + leaves];
        // The tile itself and the blank count for nothing among those nearby.
        let (first, second) = self.nearby[leaves].split_at(HALF);
        for (n, &cell) in first.iter().enumerate() {
            let other = tiles[usize::from(cell) % tiles.len()];
            sum -= self.pair_weight(n, homes[usize::from(other)], away_before);
            sum += i32::from(self.blank[n][self.displacement(other, cell) % DISPLACEMENT_SLOTS]);
        }
        for (n, &cell) in second.iter().enumerate() {
            let other = tiles[usize::from(cell) % tiles.len()];
            let other_away = self.displacement(other, cell);
            sum -= self.pair_weight(n, self.home_difference(other, tile), other_away);
            sum += i32::from(self.blank[n + HALF][other_away % DISPLACEMENT_SLOTS]);
        }
        let (first, second) = self.nearby[enters].split_at(HALF);
        for (n, &cell) in first.iter().enumerate() {
            let other = tiles[usize::from(cell) % tiles.len()];
            sum += self.pair_weight(n, homes[usize::from(other)], away_after);
        }
        for (n, &cell) in second.iter().enumerate() {
            let other = tiles[usize::from(cell) % tiles.len()];
            let other_away = self.displacement(other, cell);
            sum += self.pair_weight(n, self.home_difference(other, tile), other_away);
        }
        let behind = &self.blank[BACK_OFFSETS[usize::from(way)]];
        sum + i32::from(behind[away_after % DISPLACEMENT_SLOTS]) + self.blank_cell[leaves]
    }

    fn pair_weight(&self, offset: usize, homes: u8, away: usize) -> i32 {
        i32::from(self.pair[offset][(usize::from(homes) * DISPLACEMENT_SLOTS + away) % PAIR_SLOTS])
    }

    fn home_difference(&self, tile: u8, other: u8) -> u8 {
        self.home_differences[usize::from(tile)][usize::from(other)]
    }

    fn displacement(&self, tile: u8, cell: u16) -> usize {
        usize::from(self.displacements[usize::from(tile)][usize::from(cell) % MAX_CELLS])
    }
}

fn tile_weight(weights: &Weights, size: Size, home: Cell, cell: Cell) -> i32 {
    let Difference { rows, cols } = Difference::between(size, cell, home);
    let [down, right] = [rows, cols].map(isize::unsigned_abs);
    let [row, col] = from_border(size, home, 2);
    let of_home = weights.home[row][col][(down + right).min(2)];
    // Far tiles, which only long boards have, cost as much more for each step as the last ones do.
    let [near_down, near_right] = [down, right].map(|along| along.min(MAX_DISTANCE));
    let beyond = (down + right - near_down - near_right) as i32;
    let step = weights.tile[0][MAX_DISTANCE] - weights.tile[0][MAX_DISTANCE - 1];
    i32::from(weights.tile[near_down][near_right]) + i32::from(of_home) + beyond * i32::from(step)
}

/// Returns a cell's distance from the border along each axis, at most `most`.
fn from_border(size: Size, cell: Cell, most: usize) -> [usize; 2] {
    let (row, col) = (size.row_of(cell), size.col_of(cell));
    [row.min(size.rows() - 1 - row).min(most), col.min(size.cols() - 1 - col).min(most)]
}
