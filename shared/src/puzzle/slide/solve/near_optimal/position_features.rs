//! The features of a square board by position: each tile in each cell, and each two tiles in each two
//! cells near each other. The blank counts as a tile. A board and what reflections and rotations
//! make of it have the same features.

use super::board::{SQUARE_SYMMETRIES, cell_at, square_image, with_opposites};
use super::features::FORWARD_OFFSETS;
use crate::util::grid::{Cell, Size};

/// The cells near a cell, by rows and columns from there. Of a pair of cells the first is the one that
/// has the other at one of the first half. The weights of all sizes know those at
/// [`FORWARD_OFFSETS`] too, with the same numbers.
pub(super) const OFFSETS: [(isize, isize); 2 * HALF] = {
    let [a, b, c, d, e, f] = FORWARD_OFFSETS;
    with_opposites([a, b, c, d, e, f, (1, 2), (2, 1), (1, -2), (2, -1)])
};
pub(super) const HALF: usize = 10;

/// The longest side of a board with features by position.
const MAX_SIDE: usize = 7;

/// The index of each feature on boards of a size.
#[derive(Debug)]
pub struct PositionFeatures {
    pub(super) size: Size,
    /// The pairs of cells near each other, with the offset of the second.
    pub(super) cell_pairs: Vec<CellPair>,
    /// For each two cells, the number of their pair; any number if they are not near each other.
    pair_numbers: Vec<usize>,
    /// For each pair of cells, tile in the first and tile in the second.
    of_pairs: Vec<usize>,
    /// For each cell and tile.
    of_tiles: Vec<usize>,
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
    /// Lists the features of square boards of a size; `None` for others, and above 7×7. The blank is tile 0;
    /// a tile whose home is the last cell exists where the goal has its blank elsewhere.
    pub fn new(size: Size) -> Option<Self> {
        if size.rows() != size.cols() || size.rows() > MAX_SIDE {
            return None;
        }
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
        let mut pair_numbers = vec![0; cells * cells];
        for (number, pair) in cell_pairs.iter().enumerate() {
            pair_numbers[pair.cell * cells + pair.other] = number;
            pair_numbers[pair.other * cells + pair.cell] = number;
        }
        let images: Vec<Vec<usize>> = (0..SQUARE_SYMMETRIES)
            .map(|symmetry| all().map(|cell| index(image(size, symmetry, cell))).collect())
            .collect();
        let tile_image = |image: &[usize], tile: usize| match tile {
            0 => 0,
            _ => image[tile - 1] + 1,
        };
        let mut count = 0;
        let of_tiles = number_orbits(cells * tiles, &mut count, |n| {
            let (cell, tile) = (n / tiles, n % tiles);
            images.iter().map(move |image| image[cell] * tiles + tile_image(image, tile))
        });
        let tile_count = count;
        let of_pairs = number_orbits(cell_pairs.len() * tiles * tiles, &mut count, |n| {
            let CellPair { cell, other, .. } = cell_pairs[n / (tiles * tiles)];
            let placed = [(cell, n / tiles % tiles), (other, n % tiles)];
            let (cell_pairs, pair_numbers) = (&cell_pairs, &pair_numbers);
            images.iter().map(move |image| {
                let [one, two] = placed.map(|(cell, tile)| (image[cell], tile_image(image, tile)));
                let pair = pair_numbers[one.0 * cells + two.0];
                let (one, two) =
                    if cell_pairs[pair].cell == one.0 { (one, two) } else { (two, one) };
                (pair * tiles + one.1) * tiles + two.1
            })
        });
        Some(Self { size, cell_pairs, pair_numbers, of_pairs, of_tiles, tile_count, count })
    }

    pub(super) fn tile_feature(&self, cell: usize, tile: usize) -> usize {
        self.of_tiles[cell * (self.size.cells() + 1) + tile]
    }

    /// Returns the feature of two tiles in a pair of cells.
    pub(super) fn pair_feature(&self, pair: usize, tile: usize, other: usize) -> usize {
        let tiles = self.size.cells() + 1;
        self.of_pairs[(pair * tiles + tile) * tiles + other]
    }

    /// Returns the number of the pair of two cells near each other.
    pub(super) fn pair_number(&self, cell: usize, other: usize) -> usize {
        self.pair_numbers[cell * self.size.cells() + other]
    }

    /// Appends the features of a board.
    pub fn list_features(&self, tiles: &[u8], features: &mut Vec<usize>) {
        let tile = |cell: usize| usize::from(tiles[cell]);
        features.extend((0..tiles.len()).map(|cell| self.tile_feature(cell, tile(cell))));
        let pairs = self.cell_pairs.iter().enumerate();
        features
            .extend(pairs.map(|(n, pair)| self.pair_feature(n, tile(pair.cell), tile(pair.other))));
    }
}

/// Numbers items from `count` on, all images of an item alike.
fn number_orbits<I>(items: usize, count: &mut usize, images: impl Fn(usize) -> I) -> Vec<usize>
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

/// Returns the cell to which a symmetry moves a cell.
fn image(size: Size, symmetry: usize, cell: Cell) -> Cell {
    let place = [size.row_of(cell), size.col_of(cell)];
    let [row, col] = square_image(symmetry, place, size.rows() - 1);
    size.cell(row, col)
}

#[cfg(test)]
mod tests {
    use super::super::features::{self, PATTERN};
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;

    #[test]
    fn all_images_of_a_board_have_the_same_features() {
        for (side, seed) in [(2, 1), (5, 2), (6, 3), (7, 4)] {
            let size = Size::new(side, side).unwrap();
            let by_position = PositionFeatures::new(size).unwrap();
            let board = scrambled(side, side, seed);
            let of_images = (0..SQUARE_SYMMETRIES).map(|symmetry| {
                let image = |cell| usize::from(image(size, symmetry, cell).0);
                let mut tiles = vec![0; size.cells()];
                for (&tile, cell) in board.tiles().iter().zip(0..).filter(|&(&tile, _)| tile != 0) {
                    tiles[image(Cell(cell))] = image(board.home(tile)) as u8 + 1;
                }
                let (mut positions, mut patterns) = (Vec::new(), Vec::new());
                by_position.list_features(&tiles, &mut positions);
                features::list_features(size, &tiles, &mut patterns);
                patterns.retain(|&feature| feature >= PATTERN);
                positions.sort_unstable();
                patterns.sort_unstable();
                (positions, patterns)
            });
            let of_images: Vec<_> = of_images.collect();
            assert!(of_images.iter().all(|features| *features == of_images[0]), "{board}");
        }
    }

    #[test]
    fn only_small_squares_have_features_by_position() {
        for (rows, cols) in [(5, 7), (8, 8), (1, 5)] {
            assert!(PositionFeatures::new(Size::new(rows, cols).unwrap()).is_none());
        }
    }
}
