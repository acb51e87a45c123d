//! Patterns: the directions home of the tiles in 2×2 cells, and what they weigh. Patterns that
//! reflections and rotations make of each other weigh the same.

use super::board::{
    ByBytes, IndexedSlide, MAX_CELLS, OUTSIDE, PaddedBoard, SQUARE_SYMMETRIES, cell_at,
    square_image,
};
use crate::util::grid::{Cell, Direction, Size};
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The directions home of a tile: along each axis back, none or forwards. The last one is the blank's.
const DIRECTIONS_HOME: usize = 10;
const BLANK_DIRECTION: u16 = 9;

/// The number of patterns.
const PATTERNS: usize = DIRECTIONS_HOME.pow(4);
/// The place values of a block's cells in the number of its pattern, by rows.
const PLACE_VALUES: [u16; 4] = [1000, 100, 10, 1];

/// The classes of patterns that reflections and rotations make of each other.
pub(super) const PATTERN_CLASSES: usize = 1330;

/// The most 2×2 blocks that a slide changes.
const MAX_CHANGED_BLOCKS: usize = 6;
/// The side of the square around the blank with all blocks that a slide can change, in cells.
const SQUARE_SIDE: usize = 5;
const BLOCKS_IN_ROW: usize = SQUARE_SIDE - 1;
const BLOCK_SLOTS: usize = BLOCKS_IN_ROW * BLOCKS_IN_ROW;

/// The weights of the patterns on boards of a size.
#[derive(Debug, Clone)]
pub(super) struct Patterns {
    /// For each cell of the blank.
    surroundings: Vec<BlankSurroundings>,
    /// For each tile and cell.
    directions_home: ByBytes<[u8; MAX_CELLS]>,
    weights: Vec<i16>,
}

/// The cells and blocks around the blank.
#[derive(Debug, Clone)]
struct BlankSurroundings {
    /// By rows.
    cells: [u16; SQUARE_SIDE * SQUARE_SIDE],
    /// For each direction of a slide.
    changed: [[ChangedBlock; MAX_CHANGED_BLOCKS]; 4],
}

/// A block of the square around the blank, with the place values of the cell that the tile leaves and the one that it
/// enters; 0 if they are outside.
#[derive(Debug, Clone, Copy, Default)]
struct ChangedBlock {
    block: u8,
    leaves: u16,
    enters: u16,
}

/// The patterns around a board's blank, which its slides have in common.
pub(super) struct PatternsNearBlank {
    of_blocks: [u16; BLOCK_SLOTS],
}

impl Patterns {
    /// Takes the weight of each class of patterns.
    pub(super) fn new(size: Size, class_weights: &[i16]) -> Self {
        let all = || (0..size.cells().min(MAX_CELLS) as u16).map(Cell);
        let mut directions_home = Box::new([[BLANK_DIRECTION as u8; MAX_CELLS]; MAX_CELLS]);
        for (directions, home) in directions_home[1..].iter_mut().zip(all()) {
            for cell in all() {
                directions[usize::from(cell.0)] = direction_home(size, Some(home), cell) as u8;
            }
        }
        Self {
            surroundings: all().map(|blank| BlankSurroundings::new(size, blank)).collect(),
            directions_home,
            weights: (0..PATTERNS).map(|pattern| class_weights[pattern_class(pattern)]).collect(),
        }
    }

    /// Returns the patterns around a board's blank.
    #[inline]
    pub(super) fn near_blank(&self, tiles: &PaddedBoard, blank: u8) -> PatternsNearBlank {
        let mut directions = [0; SQUARE_SIDE * SQUARE_SIDE];
        for (direction, &cell) in
            directions.iter_mut().zip(&self.surroundings[usize::from(blank)].cells)
        {
            let tile = tiles[usize::from(cell) % tiles.len()];
            *direction = self.direction_home(tile, cell);
        }
        // By the place values of a block's rows and of the cells in a row.
        let in_row: [u16; SQUARE_SIDE * SQUARE_SIDE - 1] =
            std::array::from_fn(|cell| 10 * directions[cell] + directions[cell + 1]);
        let mut of_blocks = [0; BLOCK_SLOTS];
        for (block, pattern) in of_blocks.iter_mut().enumerate() {
            let first = block / BLOCKS_IN_ROW * SQUARE_SIDE + block % BLOCKS_IN_ROW;
            *pattern = 100 * in_row[first] + in_row[first + SQUARE_SIDE];
        }
        PatternsNearBlank { of_blocks }
    }

    /// Returns what a slide adds to the weight of a board's patterns. `near_blank` are those before
    /// the slide.
    #[inline]
    pub(super) fn change(&self, near_blank: &PatternsNearBlank, slide: IndexedSlide) -> i32 {
        let IndexedSlide { tile, source, blank, way } = slide;
        let [left, entered] = [source, blank]
            .map(|cell| BLANK_DIRECTION - self.direction_home(tile, u16::from(cell)));
        let changed = &self.surroundings[usize::from(blank)].changed[usize::from(way)];
        let changes = changed.iter().map(|&ChangedBlock { block, leaves, enters }| {
            let before = near_blank.of_blocks[usize::from(block) % BLOCK_SLOTS];
            let after = before + left * leaves - entered * enters;
            let [before, after] = [before, after].map(|pattern| self.weights[usize::from(pattern)]);
            i32::from(after) - i32::from(before)
        });
        changes.sum()
    }

    fn direction_home(&self, tile: u8, cell: u16) -> u16 {
        u16::from(self.directions_home[usize::from(tile)][usize::from(cell) % MAX_CELLS])
    }
}

impl BlankSurroundings {
    fn new(size: Size, blank: Cell) -> Self {
        let at = |row: usize, col: usize| {
            let [down, right] = [row, col].map(|along| along as isize - SQUARE_SIDE as isize / 2);
            cell_at(size, blank, (down, right))
        };
        let changed = Direction::ALL.map(|way| {
            let source = size.neighbour(blank, way.opposite()).unwrap_or(blank);
            let blocks = (0..BLOCK_SLOTS).filter_map(|block| {
                let (row, col) = (block / BLOCKS_IN_ROW, block % BLOCKS_IN_ROW);
                let [above, below] = [row, row + 1].map(|row| [at(row, col), at(row, col + 1)]);
                let cells = [above[0]?, above[1]?, below[0]?, below[1]?];
                let place = |of: Cell| {
                    let place = cells.iter().zip(PLACE_VALUES).find(|&(&cell, _)| cell == of);
                    place.map_or(0, |(_, place)| place)
                };
                let (leaves, enters) = (place(source), place(blank));
                let block = ChangedBlock { block: block as u8, leaves, enters };
                (leaves + enters > 0).then_some(block)
            });
            let mut changed = [ChangedBlock::default(); MAX_CHANGED_BLOCKS];
            changed.iter_mut().zip(blocks).for_each(|(to, block)| *to = block);
            changed
        });
        let cells = std::array::from_fn(|cell| {
            at(cell / SQUARE_SIDE, cell % SQUARE_SIDE).map_or(OUTSIDE, |cell| cell.0)
        });
        Self { cells, changed }
    }
}

/// Returns the class of each pattern on a board. `home` returns the home of the tile in a cell, and
/// `None` for the blank.
pub(super) fn pattern_classes(
    size: Size,
    home: impl Fn(Cell) -> Option<Cell>,
) -> impl Iterator<Item = usize> {
    let blocks = (1..size.rows()).flat_map(move |row| (1..size.cols()).map(move |col| (row, col)));
    blocks.map(move |(row, col)| {
        let cells = [(row - 1, col - 1), (row - 1, col), (row, col - 1), (row, col)];
        let places = cells.map(|(row, col)| size.cell(row, col)).into_iter().zip(PLACE_VALUES);
        let pattern = places.map(|(cell, place)| direction_home(size, home(cell), cell) * place);
        pattern_class(usize::from(pattern.sum::<u16>()))
    })
}

/// Returns a tile's direction home from a cell, and the blank's.
fn direction_home(size: Size, home: Option<Cell>, cell: Cell) -> u16 {
    let along = |home: usize, cell: usize| match home.cmp(&cell) {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    };
    home.map_or(BLANK_DIRECTION, |home| {
        let rows = along(size.row_of(home), size.row_of(cell));
        rows * 3 + along(size.col_of(home), size.col_of(cell))
    })
}

/// Returns the class of a pattern, below [`PATTERN_CLASSES`].
fn pattern_class(pattern: usize) -> usize {
    static CLASSES: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let mut classes = Vec::with_capacity(PATTERNS);
        let mut next = 0;
        for pattern in 0..PATTERNS {
            let images = (0..SQUARE_SYMMETRIES).map(|symmetry| image(symmetry, pattern));
            let class = images.min().and_then(|first| classes.get(first).copied());
            classes.push(class.unwrap_or(next));
            next += usize::from(class.is_none());
        }
        classes
    });
    CLASSES[pattern]
}

/// Returns what a symmetry of a square makes of a pattern.
fn image(symmetry: usize, pattern: usize) -> usize {
    let cells = [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().zip(PLACE_VALUES.map(usize::from));
    let images = cells.map(|(cell, value)| {
        let direction = pattern / value % DIRECTIONS_HOME;
        let direction = if direction == usize::from(BLANK_DIRECTION) {
            direction
        } else {
            let [rows, cols] = square_image(symmetry, [direction / 3, direction % 3], 2);
            rows * 3 + cols
        };
        let [row, col] = square_image(symmetry, cell, 1);
        direction * usize::from(PLACE_VALUES[row * 2 + col])
    });
    images.sum()
}
