//! The features of a square board by position: each tile in each cell, and each two tiles in each two
//! cells near each other. The blank counts as a tile. A board and what reflections and rotations
//! make of it have the same features.

use super::padded_board::cell_at;
use crate::util::grid::{Cell, Size};

/// The cells near a cell, by rows and columns from there. Of a pair of cells the first is the one that
/// has the other at one of the first half; the second half are the opposite ones.
pub(super) const OFFSETS: [(isize, isize); 2 * HALF] = [
    (0, 1),
    (1, 0),
    (0, 2),
    (2, 0),
    (1, 1),
    (1, -1),
    (1, 2),
    (2, 1),
    (1, -2),
    (2, -1),
    (0, -1),
    (-1, 0),
    (0, -2),
    (-2, 0),
    (-1, -1),
    (-1, 1),
    (-1, -2),
    (-2, -1),
    (-1, 2),
    (-2, 1),
];
pub(super) const HALF: usize = 10;

/// The reflections and rotations of a square.
const SYMMETRIES: usize = 8;

/// The index of each feature on boards of a size.
#[derive(Debug)]
pub struct PositionFeatures {
    pub(super) size: Size,
    /// The pairs of cells near each other, with the offset of the second.
    pub(super) cell_pairs: Vec<CellPair>,
    /// For each pair of cells, tile in the first and tile in the second.
    pairs: Vec<usize>,
    /// For each cell and tile.
    tiles: Vec<usize>,
    /// The number of the features that are tiles in cells: the first ones.
    pub tile_count: usize,
    /// The number of all features.
    pub count: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CellPair {
    pub(super) cell: usize,
    pub(super) offset: usize,
    pub(super) other: usize,
}

impl PositionFeatures {
    /// Lists the features of square boards of a size, at most 7×7. The blank is tile 0; a tile whose home is the last
    /// cell exists where the goal has its blank elsewhere.
    pub fn new(size: Size) -> Self {
        let (cells, tiles) = (size.cells(), size.cells() + 1);
        let index = |cell: Cell| usize::from(cell.0);
        let all = || (0..cells as u16).map(Cell);
        let cell_pairs: Vec<CellPair> = all()
            .flat_map(|cell| {
                OFFSETS[..HALF].iter().enumerate().filter_map(move |(offset, &by)| {
                    let other = index(cell_at(size, cell, by)?);
                    Some(CellPair { cell: index(cell), offset, other })
                })
            })
            .collect();
        let mut pair_of = vec![0; cells * cells];
        for (number, pair) in cell_pairs.iter().enumerate() {
            pair_of[pair.cell * cells + pair.other] = number;
            pair_of[pair.other * cells + pair.cell] = number;
        }
        let images: Vec<Vec<usize>> = (0..SYMMETRIES)
            .map(|symmetry| all().map(|cell| index(image(size, symmetry, cell))).collect())
            .collect();
        let tile_image = |image: &[usize], tile: usize| match tile {
            0 => 0,
            _ => image[tile - 1] + 1,
        };
        let mut count = 0;
        let of_tiles = number(cells * tiles, &mut count, |n| {
            let (cell, tile) = (n / tiles, n % tiles);
            images.iter().map(move |image| image[cell] * tiles + tile_image(image, tile))
        });
        let tile_count = count;
        let of_pairs = number(cell_pairs.len() * tiles * tiles, &mut count, |n| {
            let CellPair { cell, other, .. } = cell_pairs[n / (tiles * tiles)];
            let placed = [(cell, n / tiles % tiles), (other, n % tiles)];
            let (cell_pairs, pair_of) = (&cell_pairs, &pair_of);
            images.iter().map(move |image| {
                let [one, two] = placed.map(|(cell, tile)| (image[cell], tile_image(image, tile)));
                let pair = pair_of[one.0 * cells + two.0];
                let (one, two) =
                    if cell_pairs[pair].cell == one.0 { (one, two) } else { (two, one) };
                (pair * tiles + one.1) * tiles + two.1
            })
        });
        Self { size, cell_pairs, pairs: of_pairs, tiles: of_tiles, tile_count, count }
    }

    pub(super) fn tile(&self, cell: usize, tile: usize) -> usize {
        self.tiles[cell * (self.size.cells() + 1) + tile]
    }

    /// Returns the feature of two tiles in a pair of cells.
    pub(super) fn pair(&self, pair: usize, tile: usize, other: usize) -> usize {
        let tiles = self.size.cells() + 1;
        self.pairs[(pair * tiles + tile) * tiles + other]
    }

    /// Appends the features of a board.
    pub fn list(&self, tiles: &[u8], features: &mut Vec<usize>) {
        let tile = |cell: usize| usize::from(tiles[cell]);
        features.extend((0..tiles.len()).map(|cell| self.tile(cell, tile(cell))));
        let pairs = self.cell_pairs.iter().enumerate();
        features.extend(pairs.map(|(n, pair)| self.pair(n, tile(pair.cell), tile(pair.other))));
    }
}

/// Numbers items from `count` on, all images of an item alike.
fn number<I>(items: usize, count: &mut usize, images: impl Fn(usize) -> I) -> Vec<usize>
where
    I: Iterator<Item = usize>,
{
    let mut numbers = vec![usize::MAX; items];
    for item in 0..items {
        if numbers[item] == usize::MAX {
            images(item).for_each(|image| numbers[image] = *count);
            *count += 1;
        }
    }
    numbers
}

/// Returns the cell to which a symmetry brings a cell.
fn image(size: Size, symmetry: usize, cell: Cell) -> Cell {
    let [is_transposed, mirrors_rows, mirrors_cols] = [1, 2, 4].map(|bit| symmetry & bit != 0);
    let (row, col) = (size.row_of(cell), size.col_of(cell));
    let row = if mirrors_rows { size.rows() - 1 - row } else { row };
    let col = if mirrors_cols { size.cols() - 1 - col } else { col };
    if is_transposed { size.cell(col, row) } else { size.cell(row, col) }
}
