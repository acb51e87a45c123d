//! The evaluation of 5×5 boards: like [`super::evaluation`], but with a weight for each tile in each
//! cell and for each two tiles in each two cells near each other, and one for each pattern of
//! directions home in 2×2 cells. The blank counts as a tile.
//!
//! The weights were fitted in the same way. A board and its transposed one have the same value.

use super::evaluation::{PaddedBoard, Slide};
use crate::util::grid::{Cell, Direction, Size};
use std::sync::LazyLock;

/// The weights in the order in which [`Weights::read`] reads them.
static WEIGHTS: &[u8] = include_bytes!("position_weights.bin");

/// The pair and pattern weights are multiples of this.
const WEIGHT_UNIT: i16 = 2;

const SIDE: usize = 5;
const CELLS: usize = SIDE * SIDE;
/// The tiles of a board and the blank.
const TILES: usize = CELLS;

/// The cells near a cell, by rows and columns from there.
const OFFSETS: [(isize, isize); 12] = [
    (-2, 0),
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -2),
    (0, -1),
    (0, 1),
    (0, 2),
    (1, -1),
    (1, 0),
    (1, 1),
    (2, 0),
];

/// The directions home of a tile: along each axis back, none or forwards. The last one is the blank's.
const DIRECTIONS_HOME: usize = 10;
const BLANK_DIRECTION: u8 = 9;

/// The 2×2 blocks of a board.
const BLOCKS: usize = (SIDE - 1) * (SIDE - 1);
/// The patterns of directions home in a block.
const PATTERNS: usize = DIRECTIONS_HOME.pow(4);
/// The place values of a block's cells in the number of its pattern, by rows.
const PLACES: [u16; 4] = [1000, 100, 10, 1];
/// The most blocks that a slide changes.
const MAX_CHANGED_BLOCKS: usize = 6;

/// The weights of the tiles near a tile, for each offset by the other tile. Those of the blank in the
/// tile's place are already subtracted.
type NearbyWeights = [[i16; 32]; OFFSETS.len()];

#[derive(Debug)]
pub(super) struct PositionEvaluation {
    /// For each cell and tile.
    nearby: Vec<NearbyWeights>,
    /// For each cell, those at the offsets from there; a cell that is always 0 where there is none.
    cells: [[u8; OFFSETS.len()]; CELLS],
    /// For each cell of the blank and direction, what a slide changes.
    slides: Vec<[SlideWeights; 4]>,
    /// For each tile and cell.
    directions_home: [[u8; CELLS]; 32],
    patterns: Vec<i16>,
}

#[derive(Debug)]
struct SlideWeights {
    /// By the tile, what changes for the tile and the blank alone.
    tile: [i32; 32],
    blocks: [ChangedBlock; MAX_CHANGED_BLOCKS],
}

/// A block with the place values of the cell that the tile leaves and the one that it enters; 0 if
/// they are outside.
#[derive(Debug, Clone, Copy, Default)]
struct ChangedBlock {
    block: u8,
    leaves: u16,
    enters: u16,
}

/// What the slides on a board have in common.
pub(super) struct BlockPatterns {
    of: [u16; BLOCKS],
}

impl PositionEvaluation {
    /// Returns the evaluation for boards of a size, if there is one.
    pub(super) fn of(size: Size) -> Option<&'static Self> {
        static EVALUATION: LazyLock<PositionEvaluation> =
            LazyLock::new(|| PositionEvaluation::new(&Weights::read(WEIGHTS)));
        (size.rows() == SIDE && size.cols() == SIDE).then(|| &*EVALUATION)
    }

    fn new(weights: &Weights) -> Self {
        let mut nearby = vec![[[0; 32]; OFFSETS.len()]; CELLS * TILES];
        let mut cells = [[CELLS as u8; OFFSETS.len()]; CELLS];
        let mut directions_home = [[BLANK_DIRECTION; CELLS]; 32];
        for cell in 0..CELLS {
            for (offset, near) in OFFSETS.iter().map(|&offset| near(cell, offset)).enumerate() {
                let Some(near) = near else {
                    continue;
                };
                cells[cell][offset] = near as u8;
                for tile in 1..TILES {
                    for other in (1..TILES).filter(|&other| other != tile) {
                        nearby[cell * TILES + tile][offset][other] = weights
                            .pair(cell, tile, near, other)
                            - weights.pair(cell, 0, near, other);
                    }
                }
            }
            for (tile, directions) in directions_home.iter_mut().enumerate().take(TILES).skip(1) {
                directions[cell] = direction_home(tile, cell);
            }
        }
        let slides = (0..CELLS).map(|blank| {
            Direction::ALL.map(|way| {
                let source = neighbour(blank, way.opposite()).unwrap_or(blank);
                SlideWeights::new(weights, source, blank)
            })
        });
        Self {
            nearby,
            cells,
            slides: slides.collect(),
            directions_home,
            patterns: weights.patterns.clone(),
        }
    }

    /// Returns the patterns of a board.
    #[inline]
    pub(super) fn patterns(&self, tiles: &PaddedBoard) -> BlockPatterns {
        let mut directions = [0u16; CELLS];
        for (cell, direction) in directions.iter_mut().enumerate() {
            *direction = u16::from(self.directions_home[usize::from(tiles[cell]) % 32][cell]);
        }
        let mut of = [0; BLOCKS];
        for (block, pattern) in of.iter_mut().enumerate() {
            let of_cells = block_cells(block).map(|cell| directions[cell]);
            *pattern =
                of_cells.iter().zip(PLACES).map(|(direction, place)| direction * place).sum();
        }
        BlockPatterns { of }
    }

    /// Returns what a slide adds to a board's value. `tiles` and `patterns` are those before the
    /// slide.
    #[inline]
    pub(super) fn change(
        &self,
        tiles: &PaddedBoard,
        patterns: &BlockPatterns,
        slide: Slide,
    ) -> i32 {
        let (tile, leaves, enters) =
            (usize::from(slide.tile), usize::from(slide.source), usize::from(slide.blank));
        let weights = &self.slides[enters][usize::from(slide.way)];
        let mut sum = weights.tile[tile % 32];
        let (before, after) =
            (&self.nearby[leaves * TILES + tile], &self.nearby[enters * TILES + tile]);
        for n in 0..OFFSETS.len() {
            let [left, entered] = [leaves, enters]
                .map(|cell| usize::from(tiles[usize::from(self.cells[cell][n])] % 32));
            sum += i32::from(after[n][entered]) - i32::from(before[n][left]);
        }
        let directions = &self.directions_home[tile % 32];
        let left = u16::from(BLANK_DIRECTION) - u16::from(directions[leaves]);
        let entered = u16::from(BLANK_DIRECTION) - u16::from(directions[enters]);
        for &ChangedBlock { block, leaves, enters } in &weights.blocks {
            let pattern = patterns.of[usize::from(block) % BLOCKS];
            let changed = pattern + left * leaves - entered * enters;
            sum += i32::from(self.patterns[usize::from(changed)])
                - i32::from(self.patterns[usize::from(pattern)]);
        }
        sum
    }
}

impl SlideWeights {
    fn new(weights: &Weights, leaves: usize, enters: usize) -> Self {
        let mut blocks = [ChangedBlock::default(); MAX_CHANGED_BLOCKS];
        let place = |block, of| {
            let place = block_cells(block).iter().position(|&cell| cell == of);
            place.map_or(0, |place| PLACES[place])
        };
        let changed = (0..BLOCKS)
            .map(|block| ChangedBlock {
                block: block as u8,
                leaves: place(block, leaves),
                enters: place(block, enters),
            })
            .filter(|changed| changed.leaves + changed.enters > 0);
        for (to, changed) in blocks.iter_mut().zip(changed) {
            *to = changed;
        }
        let mut tile = [0; 32];
        for (number, change) in tile.iter_mut().enumerate().take(TILES).skip(1) {
            let value = |tile_cell, blank_cell| {
                i32::from(weights.tile(number, tile_cell))
                    + i32::from(weights.tile(0, blank_cell))
                    + i32::from(weights.pair(tile_cell, number, blank_cell, 0))
            };
            *change = value(enters, leaves) - value(leaves, enters);
        }
        Self { tile, blocks }
    }
}

/// The weights as they were fitted.
struct Weights {
    /// For each tile and cell.
    tiles: Vec<i16>,
    /// For each cell and tile, by another cell and tile.
    pairs: Vec<i16>,
    patterns: Vec<i16>,
}

impl Weights {
    /// Reads the weights of tiles as two bytes each, then those of pairs and of patterns as one. Of a
    /// weight and its transposed one only the first is there.
    fn read(bytes: &[u8]) -> Self {
        let mut weights = Self {
            tiles: vec![0; TILES * CELLS],
            pairs: vec![0; (CELLS * TILES).pow(2)],
            patterns: vec![0; PATTERNS],
        };
        let mut bytes = bytes.iter().map(|&byte| byte as i8);
        for tile in 0..TILES {
            for cell in 0..CELLS {
                let key = (tile, cell);
                let first = key.min((transposed_tile(tile), transposed(cell)));
                weights.tiles[tile * CELLS + cell] = if key == first {
                    let [low, high] = [bytes.next(), bytes.next()].map(Option::unwrap_or_default);
                    i16::from_le_bytes([low as u8, high as u8])
                } else {
                    weights.tile(first.0, first.1)
                };
            }
        }
        let mut next = || i16::from(bytes.next().unwrap_or_default()) * WEIGHT_UNIT;
        for cell in 0..CELLS {
            for tile in 0..TILES {
                for near in OFFSETS.iter().filter_map(|&offset| near(cell, offset)) {
                    for other in (0..TILES).filter(|&other| other != tile && near > cell) {
                        let key = (cell, tile, near, other);
                        let [one, two] = [(cell, tile), (near, other)]
                            .map(|(cell, tile)| (transposed(cell), transposed_tile(tile)));
                        let (one, two) = (one.min(two), one.max(two));
                        let first = key.min((one.0, one.1, two.0, two.1));
                        let weight = if key == first {
                            next()
                        } else {
                            weights.pair(first.0, first.1, first.2, first.3)
                        };
                        weights.pairs[pair_index(cell, tile, near, other)] = weight;
                        weights.pairs[pair_index(near, other, cell, tile)] = weight;
                    }
                }
            }
        }
        for pattern in 0..PATTERNS {
            let first = pattern.min(transposed_pattern(pattern));
            weights.patterns[pattern] =
                if pattern == first { next() } else { weights.patterns[first] };
        }
        weights
    }

    fn tile(&self, tile: usize, cell: usize) -> i16 {
        self.tiles[tile * CELLS + cell]
    }

    fn pair(&self, cell: usize, tile: usize, near: usize, other: usize) -> i16 {
        self.pairs[pair_index(cell, tile, near, other)]
    }
}

const fn pair_index(cell: usize, tile: usize, near: usize, other: usize) -> usize {
    (cell * TILES + tile) * CELLS * TILES + near * TILES + other
}

const fn transposed(cell: usize) -> usize {
    cell % SIDE * SIDE + cell / SIDE
}

const fn transposed_tile(tile: usize) -> usize {
    match tile {
        0 => 0,
        _ => transposed(tile - 1) + 1,
    }
}

fn transposed_pattern(pattern: usize) -> usize {
    let direction = |place: usize| {
        let direction = pattern / place % DIRECTIONS_HOME;
        if direction == usize::from(BLANK_DIRECTION) {
            direction
        } else {
            direction % 3 * 3 + direction / 3
        }
    };
    direction(1000) * 1000 + direction(10) * 100 + direction(100) * 10 + direction(1)
}

fn direction_home(tile: usize, cell: usize) -> u8 {
    let along = |home: usize, cell: usize| match home.cmp(&cell) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    let home = tile - 1;
    along(home / SIDE, cell / SIDE) * 3 + along(home % SIDE, cell % SIDE)
}

/// Returns the cell at an offset.
fn near(cell: usize, (down, right): (isize, isize)) -> Option<usize> {
    let along = |from: usize, by| from.checked_add_signed(by).filter(|&to| to < SIDE);
    Some(along(cell / SIDE, down)? * SIDE + along(cell % SIDE, right)?)
}

fn neighbour(cell: usize, way: Direction) -> Option<usize> {
    let size = Size::new(SIDE, SIDE).ok()?;
    size.neighbour(Cell(cell as u16), way).map(|cell| usize::from(cell.0))
}

/// Returns the cells of a 2×2 block by rows.
const fn block_cells(block: usize) -> [usize; 4] {
    let first = block / (SIDE - 1) * SIDE + block % (SIDE - 1);
    [first, first + 1, first + SIDE, first + SIDE + 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::Board;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::puzzle::slide::solve::near_optimal::evaluation::MAX_CELLS;

    /// Adds up all weights of a board.
    fn value(weights: &Weights, tiles: &[usize]) -> i32 {
        let of_tiles = (0..CELLS).map(|cell| weights.tile(tiles[cell], cell));
        let pairs = (0..CELLS).flat_map(|cell| {
            let nearby = OFFSETS.iter().filter_map(move |&offset| near(cell, offset));
            nearby.filter(move |&near| near > cell).map(move |near| (cell, near))
        });
        let of_pairs = pairs.map(|(cell, near)| weights.pair(cell, tiles[cell], near, tiles[near]));
        let of_blocks = (0..BLOCKS).map(|block| {
            let direction = |cell| match tiles[cell] {
                0 => usize::from(BLANK_DIRECTION),
                tile => usize::from(direction_home(tile, cell)),
            };
            let pattern = block_cells(block).into_iter().zip(PLACES);
            weights.patterns
                [pattern.map(|(cell, place)| direction(cell) * usize::from(place)).sum::<usize>()]
        });
        of_tiles.chain(of_pairs).chain(of_blocks).map(i32::from).sum()
    }

    fn numbers(board: &Board) -> Vec<usize> {
        board.tiles().iter().map(|&tile| usize::from(tile)).collect()
    }

    #[test]
    fn a_slide_changes_what_the_weights_add_up_to() {
        let weights = Weights::read(WEIGHTS);
        let evaluation = PositionEvaluation::of(Size::new(5, 5).unwrap()).unwrap();
        for number in 0..20 {
            let mut board = scrambled(5, 5, number);
            for step in 0..100 {
                let mut tiles = [0; 2 * MAX_CELLS];
                for (to, &tile) in tiles.iter_mut().zip(board.tiles()) {
                    *to = tile as u8;
                }
                let (before, blank) = (value(&weights, &numbers(&board)), board.blank());
                let way = (step + step / 7) % 4;
                if board.step(Direction::ALL[way]).is_none() {
                    continue;
                }
                let source = board.blank().0 as u8;
                let tile = tiles[usize::from(source)];
                let slide = Slide { tile, source, blank: blank.0 as u8, way: way as u8 };
                let change = evaluation.change(&tiles, &evaluation.patterns(&tiles), slide);
                assert_eq!(before + change, value(&weights, &numbers(&board)), "{board}");
            }
        }
    }

    #[test]
    fn a_board_has_the_value_of_its_transposed_one() {
        let weights = Weights::read(WEIGHTS);
        for number in 0..20 {
            let tiles = numbers(&scrambled(5, 5, number));
            let turned = (0..CELLS).map(|cell| transposed_tile(tiles[transposed(cell)]));
            assert_eq!(value(&weights, &tiles), value(&weights, &turned.collect::<Vec<_>>()));
        }
    }
}
