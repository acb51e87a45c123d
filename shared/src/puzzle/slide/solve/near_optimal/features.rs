//! The features of a board whose weights [`super::evaluation`] sums, and the index of each feature's
//! weight.

use super::board::{cell_at, with_opposites};
use super::patterns::{PATTERN_CLASSES, pattern_classes};
use crate::util::grid::{Cell, Size};

/// The first half of [`OFFSETS`].
pub(super) const FORWARD_OFFSETS: [(isize, isize); HALF] =
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 1), (1, -1)];
pub(super) const HALF: usize = 6;

/// The cells near a cell by rows and columns from there. Of a pair of tiles the first is the one that
/// has the other at one of the first half.
pub(super) const OFFSETS: [(isize, isize); 2 * HALF] = with_opposites(FORWARD_OFFSETS);

/// The highest displacement, in cells along an axis, that pairs tell apart.
const MAX_DISPLACEMENT: isize = 2;
/// The same of the difference between the homes of two tiles.
const MAX_HOME_DIFFERENCE: isize = 3;
/// The same of a tile's displacement together with its home's place.
const MAX_PLACE_DISPLACEMENT: isize = 3;
/// The highest distance from home along an axis that has a weight of its own.
pub(super) const MAX_DISTANCE: usize = 15;
/// The highest distance from the border along an axis that homes and cells of the blank tell apart.
const MAX_BORDER_DISTANCE: usize = 3;
const PLACES: usize = MAX_BORDER_DISTANCE + 1;

/// The classes of a tile's displacement, and of the difference between the homes of two tiles.
const DISPLACEMENTS: usize = 25;
/// Of those of at most 1 along each axis.
const NEAR_DISPLACEMENTS: usize = 9;
/// The classes of a tile by its displacement and the borders it touches.
pub(super) const TILE_CLASSES: usize = DISPLACEMENTS + 3 * NEAR_DISPLACEMENTS;
pub(super) const HOME_DIFFERENCES: usize = 49;
/// The classes of a displacement together with the home's place.
const PLACE_DISPLACEMENTS: usize = 49;

const TILE: usize = 0;
const PLACE: usize = TILE + (MAX_DISTANCE + 1) * (MAX_DISTANCE + 1);
const PAIR: usize = PLACE + PLACES * PLACES * PLACE_DISPLACEMENTS;
const BLANK: usize = PAIR + 3 * HOME_DIFFERENCES * TILE_CLASSES;
const BLANK_CELL: usize = BLANK + 3 * DISPLACEMENTS;
pub(super) const PATTERN: usize = BLANK_CELL + PLACES * PLACES;
pub const FEATURES: usize = PATTERN + PATTERN_CLASSES;

/// Rows and columns between two cells, or from a cell to a tile's home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    pub(super) rows: isize,
    pub(super) cols: isize,
}

impl Difference {
    pub(super) const fn between(size: Size, from: Cell, to: Cell) -> Self {
        Self {
            rows: size.row_of(to) as isize - size.row_of(from) as isize,
            cols: size.col_of(to) as isize - size.col_of(from) as isize,
        }
    }

    /// Returns the class of a difference of at most `most` along each axis.
    fn class(self, most: isize) -> usize {
        let [rows, cols] = [self.rows, self.cols].map(|along| along.clamp(-most, most) + most);
        (cols * (2 * most + 1) + rows) as usize
    }

    /// Returns all differences of at most `most` along each axis.
    fn all(most: isize) -> impl Iterator<Item = Self> + Clone {
        (-most..=most).flat_map(move |rows| (-most..=most).map(move |cols| Self { rows, cols }))
    }

    const fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows }
    }

    const fn mirrored(self) -> Self {
        Self { rows: -self.rows, cols: self.cols }
    }

    /// Returns the class of a difference between homes, below [`HOME_DIFFERENCES`].
    pub(super) fn home_class(self) -> usize {
        self.class(MAX_HOME_DIFFERENCE)
    }

    /// Returns a difference of each home class.
    pub(super) fn of_homes() -> impl Iterator<Item = Self> + Clone {
        Self::all(MAX_HOME_DIFFERENCE)
    }
}

/// A tile in a cell as pairs see it: by its displacement and, near home, the borders it touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedTile {
    away: Difference,
    /// Whether it is in the first or last row, and in the first or last column.
    at_border: [bool; 2],
}

impl PlacedTile {
    pub(super) fn new(size: Size, cell: Cell, home: Cell) -> Self {
        let at_border = border_distances(size, cell).map(|distance| distance == 0);
        Self { away: Difference::between(size, cell, home), at_border }
    }

    /// Returns the class, below [`TILE_CLASSES`].
    pub(super) fn class(self) -> usize {
        let is_near = self.away.rows.abs() <= 1 && self.away.cols.abs() <= 1;
        let [row, col] = self.at_border.map(usize::from);
        match row + 2 * col {
            borders @ 1.. if is_near => {
                DISPLACEMENTS + (borders - 1) * NEAR_DISPLACEMENTS + self.away.class(1)
            }
            _ => self.away.class(MAX_DISPLACEMENT),
        }
    }

    /// Returns a tile of each class.
    pub(super) fn all() -> impl Iterator<Item = Self> + Clone {
        let borders = [[false, false], [true, false], [false, true], [true, true]];
        Difference::all(MAX_DISPLACEMENT)
            .flat_map(move |away| borders.map(|at_border| Self { away, at_border }))
    }

    const fn transposed(self) -> Self {
        let [row, col] = self.at_border;
        Self { away: self.away.transposed(), at_border: [col, row] }
    }

    const fn mirrored(self) -> Self {
        Self { away: self.away.mirrored(), at_border: self.at_border }
    }
}

/// Returns the index of the weights of an offset: side by side, two cells away, diagonal.
const fn kind(offset: usize) -> usize {
    offset % HALF / 2
}

/// Returns the index of a pair's weight. A pair in a column is one in a row of the transposed board, and a
/// pair's mirror image across its line has the same weight.
pub(super) fn pair_feature(offset: usize, homes: Difference, tile: PlacedTile) -> usize {
    let upright = offset % 2 == 1;
    let (mut homes, mut tile) =
        if upright { (homes.transposed(), tile.transposed()) } else { (homes, tile) };
    let mirrored = match kind(offset) {
        2 => upright,
        _ => homes.rows < 0 || homes.rows == 0 && tile.away.rows < 0,
    };
    if mirrored {
        (homes, tile) = (homes.mirrored(), tile.mirrored());
    }
    PAIR + (kind(offset) * HOME_DIFFERENCES + homes.home_class()) * TILE_CLASSES + tile.class()
}

/// Returns the index of the weight of a tile at an offset from the blank.
pub(super) fn blank_feature(offset: usize, tile: PlacedTile) -> usize {
    let away = tile.away;
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
    BLANK + kind(offset) * DISPLACEMENTS + towards.class(MAX_DISPLACEMENT)
}

/// Returns the indices of a tile's weights: by its distances from home, and by its home's place and
/// the displacement.
pub(super) fn tile_features(size: Size, home: Cell, cell: Cell) -> [usize; 2] {
    let away = Difference::between(size, cell, home);
    let [down, right] = [away.rows, away.cols].map(|along| along.unsigned_abs().min(MAX_DISTANCE));
    let [row, col] = border_distances(size, home);
    // Seen from the nearest border.
    let rows = if 2 * size.row_of(home) < size.rows() { away.rows } else { -away.rows };
    let cols = if 2 * size.col_of(home) < size.cols() { away.cols } else { -away.cols };
    let away = Difference { rows, cols };
    let class = |row: usize, col: usize, away: Difference| {
        (row * PLACES + col) * PLACE_DISPLACEMENTS + away.class(MAX_PLACE_DISPLACEMENT)
    };
    let place = class(row, col, away).min(class(col, row, away.transposed()));
    [TILE + down.min(right) * (MAX_DISTANCE + 1) + down.max(right), PLACE + place]
}

/// Returns the index of the weight of the blank's cell.
pub(super) fn blank_cell_feature(size: Size, cell: Cell) -> usize {
    let [row, col] = border_distances(size, cell);
    BLANK_CELL + row.min(col) * PLACES + row.max(col)
}

/// Returns a cell's distance from the border along each axis, at most [`MAX_BORDER_DISTANCE`].
fn border_distances(size: Size, cell: Cell) -> [usize; 2] {
    let (row, col) = (size.row_of(cell), size.col_of(cell));
    [row.min(size.rows() - 1 - row), col.min(size.cols() - 1 - col)]
        .map(|distance| distance.min(MAX_BORDER_DISTANCE))
}

/// Appends the features of a board, each as the index of its weight. The sum of these weights is the
/// board's score up to a constant.
pub fn list_features(size: Size, tiles: &[u8], features: &mut Vec<usize>) {
    // The blank is no tile.
    let home = |cell: Cell| u16::from(tiles[usize::from(cell.0)]).checked_sub(1).map(Cell);
    for cell in (0..tiles.len() as u16).map(Cell) {
        let near = OFFSETS.into_iter().enumerate().filter_map(|(offset, by)| {
            let near = cell_at(size, cell, by)?;
            Some((offset, near, home(near)?))
        });
        let Some(tile_home) = home(cell) else {
            features.push(blank_cell_feature(size, cell));
            features.extend(near.map(|(offset, near, near_home)| {
                blank_feature(offset, PlacedTile::new(size, near, near_home))
            }));
            continue;
        };
        features.extend(tile_features(size, tile_home, cell));
        let tile = PlacedTile::new(size, cell, tile_home);
        features.extend(near.take_while(|&(offset, ..)| offset < HALF).map(
            |(offset, _, near_home)| {
                pair_feature(offset, Difference::between(size, tile_home, near_home), tile)
            },
        ));
    }
    features.extend(pattern_classes(size, home).map(|class| PATTERN + class));
}
