//! The costs of all tiles' distances from their homes.

use crate::puzzle::slide::solve::quick::beam::TileSlide;
use crate::util::grid::{Cell, Size};

/// The gain when a tile comes one cell nearer, by the number of lines between its home and the
/// current line: tiles that are needed soon cost three to five moves a cell, later ones have come
/// nearer by then and cost less.
const NEARER_VALUE: [i32; 7] = [28, 18, 13, 11, 9, 9, 8];
/// The gain for the tiles of the current line, whose routes are counted in full.
const NEARER_VALUE_IN_LINE: i32 = 13;

/// The costs of all tiles, by their rows and by their columns from home.
#[derive(Debug, Default)]
pub(super) struct TileCosts {
    tiles: Vec<TileClass>,
    /// For each class, the costs by distance, of one length.
    costs: Vec<i32>,
    distances: usize,
}

#[derive(Debug, Clone, Copy)]
struct TileClass {
    row: u8,
    col: u8,
    class: u8,
}

impl TileCosts {
    /// Returns the costs while a line is solved, of the tiles of the region from a cell on to the
    /// right and downwards.
    pub(super) fn of_line(size: Size, from: Cell, line: &[Cell]) -> Self {
        let (top, left) = (size.row_of(from), size.col_of(from));
        let last = NEARER_VALUE.len() - 1;
        let class = |row: usize, col: usize| {
            // At most the number of values.
            row.saturating_sub(top).min(col.saturating_sub(left)).min(last) as u8
        };
        let mut tiles = classes(size, class);
        for cell in line {
            tiles[usize::from(cell.0)].class = NEARER_VALUE.len() as u8;
        }
        let percents = percents(size);
        let costs = |value: &i32| {
            let sum = |sum: &mut i32, percent: &i32| {
                *sum += value * percent / 100;
                Some(*sum)
            };
            percents.iter().scan(0, sum).collect::<Vec<i32>>()
        };
        let values = NEARER_VALUE.iter().chain([&NEARER_VALUE_IN_LINE]);
        Self { tiles, costs: values.flat_map(costs).collect(), distances: percents.len() }
    }

    /// Returns the cost of a move; negative for a gain.
    #[inline]
    pub(super) fn of_move(&self, slide: TileSlide) -> i32 {
        let tile = self.tiles[usize::from(slide.home)];
        let (home, from, to) = if slide.from.row == slide.to.row {
            (tile.col, slide.from.col, slide.to.col)
        } else {
            (tile.row, slide.from.row, slide.to.row)
        };
        let class = usize::from(tile.class) * self.distances;
        let cost = |line: i32| self.costs[class + line.abs_diff(i32::from(home)) as usize];
        cost(to) - cost(from)
    }
}

fn classes(size: Size, class: impl Fn(usize, usize) -> u8) -> Vec<TileClass> {
    // Sides are at most 128.
    let tile = |row: usize, col: usize| TileClass {
        row: row as u8,
        col: col as u8,
        class: class(row, col),
    };
    (0..size.rows())
        .flat_map(|row| (0..size.cols()).map(move |col| (row, col)))
        .map(|(row, col)| tile(row, col))
        .collect()
}

/// Returns the percentage of a value by distance. It grows as the square root up to a bound: far
/// tiles come nearer first, while several tiles still gain from the same moves. On large boards,
/// which have more far tiles, it grows more slowly.
fn percents(size: Size) -> Vec<i32> {
    /// The longest side with the steepest growth.
    const SIDE: usize = 16;
    /// The square of the percentage at half a row on that side.
    const SQUARE: usize = 3_600;
    const MOST: i32 = 200;
    let side = size.rows().max(size.cols());
    let percent = |distance: usize| {
        let square = SQUARE * SIDE * (2 * distance).saturating_sub(1) / side.max(SIDE);
        i32::try_from(square.isqrt()).unwrap_or(MOST).min(MOST)
    };
    (0..=side).map(percent).collect()
}
