//! The evaluation of 5×5 to 7×7 boards: to the weights of [`super::evaluation`] it adds those of the
//! [features by position](super::position_features), which were fitted in the same way.

use super::board::{IndexedSlide, PaddedBoard};
use super::evaluation::tile_weight;
use super::features::{
    self, Difference, PlacedTile, blank_cell_feature, blank_feature, pair_feature,
};
use super::position_features::{CellPair, HALF, OFFSETS, PositionFeatures};
use super::weights::WEIGHTS;
use crate::util::grid::{Cell, Direction, Size};
use std::sync::{Arc, LazyLock};

/// The weights in the order of the features: of a tile in a cell as two bytes, of a pair as one.
static WEIGHTS_5X5: &[u8] = include_bytes!("position_weights_5x5.bin");
static WEIGHTS_6X6: &[u8] = include_bytes!("position_weights_6x6.bin");
static WEIGHTS_7X7: &[u8] = include_bytes!("position_weights_7x7.bin");

/// The stored weights of pairs are multiples of this.
const PAIR_UNIT: i16 = 2;

/// A power of two above all tile numbers, so that an index can be masked in place of checked.
const TILE_SLOTS: usize = 64;

/// The weights of the tiles near a tile, for each offset by the other tile. Those of the blank in the
/// tile's place are already subtracted.
type NearbyWeights = [[i16; TILE_SLOTS]; OFFSETS.len()];

#[derive(Debug)]
pub(super) struct PositionEvaluation {
    /// With the blank and the tile whose home is the last cell.
    tile_count: usize,
    /// For each cell and tile.
    nearby: Vec<NearbyWeights>,
    /// For each cell, those at the offsets from there; where there is none, a cell that is always 0.
    nearby_cells: Vec<[u8; OFFSETS.len()]>,
    /// For each cell of the blank and direction, by the tile, what a slide changes for the tile and the
    /// blank alone.
    slides: Vec<[[i32; TILE_SLOTS]; 4]>,
}

impl PositionEvaluation {
    /// Returns the evaluation for boards of a size, if there is one.
    pub(super) fn of(size: Size) -> Option<Arc<Self>> {
        static OF_5X5: LazyLock<Option<Arc<PositionEvaluation>>> =
            LazyLock::new(|| PositionEvaluation::read(5, WEIGHTS_5X5));
        static OF_6X6: LazyLock<Option<Arc<PositionEvaluation>>> =
            LazyLock::new(|| PositionEvaluation::read(6, WEIGHTS_6X6));
        static OF_7X7: LazyLock<Option<Arc<PositionEvaluation>>> =
            LazyLock::new(|| PositionEvaluation::read(7, WEIGHTS_7X7));
        match (size.rows(), size.cols()) {
            (5, 5) => OF_5X5.clone(),
            (6, 6) => OF_6X6.clone(),
            (7, 7) => OF_7X7.clone(),
            _ => None,
        }
    }

    fn read(side: usize, bytes: &[u8]) -> Option<Arc<Self>> {
        let features = PositionFeatures::new(Size::new(side, side).ok()?)?;
        let weights = read_weights(&features, bytes);
        Some(Arc::new(Self::new(&features, &weights)))
    }

    /// Takes a weight for each feature.
    pub(super) fn new(features: &PositionFeatures, weights: &[i16]) -> Self {
        let size = features.size;
        let (cells, tiles) = (size.cells(), size.cells() + 1);
        let sums = Sums { features, weights };
        let mut nearby = vec![[[0; TILE_SLOTS]; OFFSETS.len()]; cells * tiles];
        let mut nearby_cells = vec![[cells as u8; OFFSETS.len()]; cells];
        for (number, &CellPair { cell, offset, other }) in features.cell_pairs.iter().enumerate() {
            let back = offset + HALF;
            nearby_cells[cell][offset] = other as u8;
            nearby_cells[other][back] = cell as u8;
            for tile in 1..tiles {
                for neighbour in (1..tiles).filter(|&neighbour| neighbour != tile) {
                    let both = sums.of_pair(number, tile, neighbour);
                    nearby[cell * tiles + tile][offset][neighbour] =
                        both - sums.of_pair(number, 0, neighbour);
                    nearby[other * tiles + neighbour][back][tile] =
                        both - sums.of_pair(number, tile, 0);
                }
            }
        }
        let slides = (0..cells as u16).map(Cell).map(|blank| {
            Direction::ALL.map(|way| {
                let source = size.neighbour(blank, way.opposite());
                source.map_or([0; TILE_SLOTS], |source| {
                    sums.of_slides(usize::from(source.0), usize::from(blank.0))
                })
            })
        });
        let slides = slides.collect();
        Self { tile_count: tiles, nearby, nearby_cells, slides }
    }

    /// Returns what a slide adds to a board's value without patterns. `tiles` are those before the slide.
    #[inline]
    pub(super) fn change(&self, tiles: &PaddedBoard, slide: IndexedSlide) -> i32 {
        let [tile, leaves, enters] = [slide.tile, slide.source, slide.blank].map(usize::from);
        let [before, after] = [leaves, enters]
            .map(|cell| (&self.nearby[cell * self.tile_count + tile], &self.nearby_cells[cell]));
        let weight = |(weights, cells): (&NearbyWeights, &[u8; OFFSETS.len()]), offset: usize| {
            let neighbour = usize::from(tiles[usize::from(cells[offset])]);
            i32::from(weights[offset][neighbour % TILE_SLOTS])
        };
        let changes =
            (0..OFFSETS.len()).map(|offset| weight(after, offset) - weight(before, offset));
        self.slides[enters][usize::from(slide.way)][tile % TILE_SLOTS] + changes.sum::<i32>()
    }
}

/// The weights by position and those of all sizes.
struct Sums<'a> {
    features: &'a PositionFeatures,
    weights: &'a [i16],
}

impl Sums<'_> {
    /// What a tile or the blank weighs in a cell.
    fn of_tile(&self, cell: usize, tile: usize) -> i32 {
        let size = self.features.size;
        let of_all_sizes = match (Cell(cell as u16), home(tile)) {
            (cell, Some(home)) => tile_weight(&WEIGHTS, size, home, cell),
            (cell, None) => i32::from(WEIGHTS[blank_cell_feature(size, cell)]),
        };
        of_all_sizes + i32::from(self.weights[self.features.tile_feature(cell, tile)])
    }

    /// What two tiles weigh in a pair of cells.
    fn of_pair(&self, pair: usize, tile: usize, neighbour: usize) -> i16 {
        let size = self.features.size;
        let CellPair { cell, offset, other } = self.features.cell_pairs[pair];
        let [cell, other] = [cell, other].map(|cell| Cell(cell as u16));
        let of_all_sizes = match (home(tile), home(neighbour)) {
            // The weights of all sizes know the nearer cells only.
            _ if offset >= features::HALF => None,
            (Some(tile), Some(neighbour)) => {
                let homes = Difference::between(size, tile, neighbour);
                Some(pair_feature(offset, homes, PlacedTile::new(size, cell, tile)))
            }
            (None, Some(tile)) => Some(blank_feature(offset, PlacedTile::new(size, other, tile))),
            (Some(tile), None) => {
                let back = offset + features::HALF;
                Some(blank_feature(back, PlacedTile::new(size, cell, tile)))
            }
            (None, None) => None,
        };
        let by_position = self.weights[self.features.pair_feature(pair, tile, neighbour)];
        by_position + of_all_sizes.map_or(0, |feature| WEIGHTS[feature])
    }

    /// Returns by the tile what a slide changes for the tile and the blank alone.
    fn of_slides(&self, leaves: usize, enters: usize) -> [i32; TILE_SLOTS] {
        let of_both = |tile_cell: usize, blank_cell: usize, tile: usize| {
            let pair = self.features.pair_number(tile_cell, blank_cell);
            let of_pair = if self.features.cell_pairs[pair].cell == tile_cell {
                self.of_pair(pair, tile, 0)
            } else {
                self.of_pair(pair, 0, tile)
            };
            self.of_tile(tile_cell, tile) + self.of_tile(blank_cell, 0) + i32::from(of_pair)
        };
        let mut changes = [0; TILE_SLOTS];
        let tiles = self.features.size.cells() + 1;
        for (tile, change) in changes.iter_mut().enumerate().take(tiles).skip(1) {
            *change = of_both(enters, leaves, tile) - of_both(leaves, enters, tile);
        }
        changes
    }
}

fn home(tile: usize) -> Option<Cell> {
    tile.checked_sub(1).map(|home| Cell(home as u16))
}

fn read_weights(features: &PositionFeatures, bytes: &[u8]) -> Vec<i16> {
    let (of_tiles, of_pairs) = bytes.split_at(2 * features.tile_count);
    let (of_tiles, _) = of_tiles.as_chunks();
    let of_tiles = of_tiles.iter().map(|&bytes| i16::from_le_bytes(bytes));
    let of_pairs = of_pairs.iter().map(|&byte| i16::from(byte.cast_signed()) * PAIR_UNIT);
    of_tiles.chain(of_pairs).collect()
}

/// Returns the bytes in which weights are stored. Those of pairs are rounded to multiples of two, from
/// -256 to 254.
pub fn store_position_weights(features: &PositionFeatures, weights: &[f32]) -> Vec<u8> {
    let (of_tiles, of_pairs) = weights.split_at(features.tile_count);
    let of_tiles = of_tiles.iter().flat_map(|weight| (weight.round() as i16).to_le_bytes());
    let of_pairs = of_pairs.iter().map(|weight| {
        let [byte] = ((weight / f32::from(PAIR_UNIT)).round() as i8).to_le_bytes();
        byte
    });
    of_tiles.chain(of_pairs).collect()
}

/// Returns the stored weights of a size's features, or zeros.
pub fn position_weights(features: &PositionFeatures) -> Vec<i16> {
    match features.size.rows() {
        5 => read_weights(features, WEIGHTS_5X5),
        6 => read_weights(features, WEIGHTS_6X6),
        7 => read_weights(features, WEIGHTS_7X7),
        _ => vec![0; features.count],
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::{padded, walk};
    use super::super::features::{PATTERN, list_features};
    use super::super::symmetry::Symmetry;
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;

    #[test]
    fn a_slide_changes_what_the_weights_add_up_to() {
        for side in [5, 6, 7] {
            let size = Size::new(side, side).unwrap();
            let features = PositionFeatures::new(size).unwrap();
            let weights = position_weights(&features);
            assert_eq!(weights.len(), features.count);
            let evaluation = PositionEvaluation::of(size).unwrap();
            let value = |tiles: &[u8]| {
                let (mut of_all_sizes, mut by_position) = (Vec::new(), Vec::new());
                list_features(size, tiles, &mut of_all_sizes);
                features.list_features(tiles, &mut by_position);
                let of_all_sizes = of_all_sizes.iter().filter(|&&feature| feature < PATTERN);
                let sum = of_all_sizes.map(|&feature| i32::from(WEIGHTS[feature])).sum::<i32>();
                sum + by_position.iter().map(|&feature| i32::from(weights[feature])).sum::<i32>()
            };
            for (symmetry, number) in Symmetry::all().zip(0..) {
                let tiles = symmetry.tiles(&scrambled(side, side, number));
                for (before, slide, after) in walk(size, tiles, 300) {
                    let change = evaluation.change(&padded(&before), slide);
                    assert_eq!(change, value(&after) - value(&before), "{before:?}, {slide:?}");
                }
            }
        }
    }

    #[test]
    fn stored_weights_are_read_again() {
        let features = PositionFeatures::new(Size::new(6, 6).unwrap()).unwrap();
        let weights = position_weights(&features);
        let stored: Vec<f32> = weights.iter().map(|&weight| f32::from(weight)).collect();
        assert_eq!(store_position_weights(&features, &stored), WEIGHTS_6X6);
    }
}
