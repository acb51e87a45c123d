//! A beam's evaluation of boards: a sum of weights, of which a move changes few.
//!
//! The weights are those of [`super::features`]. They were fitted to the boards on solutions that wide beams
//! found, against the other boards of the same layers, by a conditional logit (McFadden 1974), in
//! several rounds with the beams of the round before: learning to rank for beam search (Xu, Fern and
//! Yoon 2007).

use super::board::{ByBytes, IndexedSlide, MAX_CELLS, OUTSIDE, PaddedBoard, cell_at};
use super::features::{
    Difference, FEATURES, HALF, HOME_DIFFERENCES, MAX_DISTANCE, OFFSETS, PATTERN, PlacedTile,
    TILE_CLASSES, blank_cell_feature, blank_feature, pair_feature, tile_features,
};
use super::patterns::Patterns;
use crate::util::grid::{Cell, Size};

/// Where a tile is after its slide, as an offset from the blank, by its direction.
const BACK_OFFSETS: [usize; 4] = [6, 7, 0, 1];

/// The class of no tile.
const NO_DISPLACEMENT: u8 = TILE_CLASSES as u8;
/// The class of a pair without a second tile.
const NO_PAIR: u8 = HOME_DIFFERENCES as u8;

/// Powers of two, so that an index can be masked in place of checked.
const DISPLACEMENT_SLOTS: usize = 64;
const PAIR_SLOTS: usize = 64 * DISPLACEMENT_SLOTS;

/// The weights for a board size.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    cells: usize,
    /// For each tile and cell.
    tile: Vec<i32>,
    /// For each two tiles, the class of the difference of their homes; 0 stands for no tile.
    home_differences: ByBytes<[u8; MAX_CELLS]>,
    /// For each tile and cell, the class of the displacement.
    displacements: ByBytes<[u8; MAX_CELLS]>,
    /// For each of the first six offsets, by both classes.
    pair: Box<[[i16; PAIR_SLOTS]; HALF]>,
    /// For each offset from the blank, by the displacement's class.
    blank: [[i16; DISPLACEMENT_SLOTS]; OFFSETS.len()],
    blank_cell: Vec<i32>,
    /// For each cell, those at the offsets from there.
    nearby: ByBytes<[u16; OFFSETS.len()]>,
    pub(super) patterns: Patterns,
}

impl Evaluation {
    pub(super) fn new(size: Size, weights: &[i16; FEATURES]) -> Self {
        let weight = |feature: usize| weights[feature];
        let cells = size.cells().min(MAX_CELLS);
        let all = || (0..cells as u16).map(Cell);
        // A tile whose home is the last cell exists in windows and symmetries. With 256 cells its number
        // would not fit a byte.
        let homes = || (1usize..).zip(all()).take(MAX_CELLS - 1);
        let mut tile_weights = vec![0; (cells + 1) * cells];
        let mut displacements = Box::new([[NO_DISPLACEMENT; MAX_CELLS]; MAX_CELLS]);
        let mut home_differences = Box::new([[NO_PAIR; MAX_CELLS]; MAX_CELLS]);
        for (tile, home) in homes() {
            for cell in all() {
                tile_weights[tile * cells + usize::from(cell.0)] =
                    tile_weight(weights, size, home, cell);
                displacements[tile][usize::from(cell.0)] =
                    PlacedTile::new(size, cell, home).class() as u8;
            }
            for (other, other_home) in homes().filter(|&(other, _)| other != tile) {
                home_differences[tile][other] =
                    Difference::between(size, home, other_home).home_class() as u8;
            }
        }
        let mut pair = Box::new([[0; PAIR_SLOTS]; HALF]);
        let mut blank = [[0; DISPLACEMENT_SLOTS]; OFFSETS.len()];
        for tile in PlacedTile::all() {
            let slot = tile.class();
            for (offset, pair) in pair.iter_mut().enumerate() {
                for homes in Difference::of_homes() {
                    pair[homes.home_class() * DISPLACEMENT_SLOTS + slot] =
                        weight(pair_feature(offset, homes, tile));
                }
            }
            for (offset, blank) in blank.iter_mut().enumerate() {
                blank[slot] = weight(blank_feature(offset, tile));
            }
        }
        let mut nearby = Box::new([[OUTSIDE; OFFSETS.len()]; MAX_CELLS]);
        for (cell, nearby) in all().zip(nearby.iter_mut()) {
            *nearby = OFFSETS.map(|by| cell_at(size, cell, by).map_or(OUTSIDE, |near| near.0));
        }
        let of_blank = |cell| i32::from(weight(blank_cell_feature(size, cell)));
        Self {
            cells,
            tile: tile_weights,
            home_differences,
            displacements,
            pair,
            blank,
            blank_cell: all().map(of_blank).collect(),
            nearby,
            patterns: Patterns::new(size, &weights[PATTERN..]),
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

    /// Returns what a slide adds to the weights of a board without those around its blank and those of
    /// patterns. `tiles` are those before the slide.
    #[inline]
    pub(super) fn change(&self, tiles: &PaddedBoard, slide: IndexedSlide) -> i32 {
        let IndexedSlide { tile, source, blank, way } = slide;
        let homes = &self.home_differences[usize::from(tile)];
        let [leaves, enters] = [source, blank].map(usize::from);
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

/// Far tiles, which only long boards have, cost as much more for each step as the last ones do.
pub(super) fn tile_weight(weights: &[i16; FEATURES], size: Size, home: Cell, cell: Cell) -> i32 {
    let Difference { rows, cols } = Difference::between(size, cell, home);
    let beyond = |along: isize| along.unsigned_abs().saturating_sub(MAX_DISTANCE) as i32;
    let step = i32::from(weights[MAX_DISTANCE]) - i32::from(weights[MAX_DISTANCE - 1]);
    let of_tile = tile_features(size, home, cell).map(|feature| i32::from(weights[feature]));
    of_tile.iter().sum::<i32>() + (beyond(rows) + beyond(cols)) * step
}

#[cfg(test)]
mod tests {
    use super::super::board::tests::{padded, walk};
    use super::super::features::list_features;
    use super::super::symmetry::Symmetry;
    use super::super::weights::WEIGHTS;
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;

    #[test]
    fn a_slide_changes_the_score_by_the_weights_of_the_features_that_change() {
        for (rows, cols) in [(5, 5), (4, 7), (9, 8), (2, 2), (2, 16), (16, 16)] {
            let board = scrambled(rows, cols, 7);
            let size = board.size();
            let evaluation = Evaluation::new(size, &WEIGHTS);
            let score = |tiles: &[u8]| {
                let mut features = Vec::new();
                list_features(size, tiles, &mut features);
                features.iter().map(|&feature| i32::from(WEIGHTS[feature])).sum::<i32>()
            };
            let symmetries = Symmetry::all().filter(|_| size.cells() < MAX_CELLS);
            let of_board = board.tiles().iter().map(|&tile| tile as u8).collect();
            let boards = symmetries.map(|symmetry| symmetry.tiles(&board)).chain([of_board]);
            for (before, slide, after) in boards.flat_map(|tiles| walk(size, tiles, 200)) {
                let tiles = padded(&before);
                let patterns = evaluation.patterns.near_blank(&tiles, slide.blank);
                let change = evaluation.change(&tiles, slide)
                    + evaluation.patterns.change(&patterns, slide)
                    - evaluation.around_blank(&tiles, slide.blank);
                assert_eq!(change, score(&after) - score(&before), "{before:?}, {slide:?}");
            }
        }
    }
}
