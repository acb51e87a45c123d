//! The cost of a tile's route, and the weights of the other tiles' distances.

use crate::util::grid::{Cell, Direction, Size};

/// The cost of one move; the other weights use the same unit.
pub(super) const MOVE: i32 = 10;

/// The gain when a tile comes one cell nearer, by the number of lines between its home and the
/// current line: tiles that are needed soon cost three to five moves a cell, later ones have come
/// nearer by then and cost less.
const NEARER_VALUE: [i32; 7] = [28, 18, 13, 11, 9, 9, 8];
/// The gain for the tiles of the current line, whose routes are counted in full.
const NEARER_VALUE_IN_LINE: i32 = 13;

/// A row and a column; may lie outside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub row: i32,
    pub col: i32,
}

impl Position {
    pub(super) fn of(size: Size, cell: Cell) -> Self {
        let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        Self { row: number(size.row_of(cell)), col: number(size.col_of(cell)) }
    }
}

/// The weights of all tiles' distances while a line is being solved.
#[derive(Debug)]
pub(super) struct TileWeights {
    tiles: Vec<TileWeight>,
    /// The percentage by the rows or columns that a tile is away.
    by_distance: Vec<i32>,
}

#[derive(Debug, Clone, Copy)]
struct TileWeight {
    row: u8,
    col: u8,
    weight: i32,
}

impl TileWeights {
    /// Weights the tiles of the region from a cell on to the right and downwards, of which `line`
    /// is being solved.
    pub(super) fn new(size: Size, from: Cell, line: &[Cell]) -> Self {
        let (top, left) = (size.row_of(from), size.col_of(from));
        let cells = (0..size.rows()).flat_map(|row| (0..size.cols()).map(move |col| (row, col)));
        let side = |side: usize| u8::try_from(side).unwrap_or(u8::MAX);
        let tile = |(row, col): (usize, usize)| {
            let lines = row.saturating_sub(top).min(col.saturating_sub(left));
            TileWeight {
                row: side(row),
                col: side(col),
                weight: NEARER_VALUE[lines.min(NEARER_VALUE.len() - 1)],
            }
        };
        let mut tiles: Vec<TileWeight> = cells.map(tile).collect();
        for cell in line {
            tiles[usize::from(cell.0)].weight = NEARER_VALUE_IN_LINE;
        }
        Self { tiles, by_distance: by_distance(size) }
    }

    /// Returns the cost of a tile's move to a cell; negative for a gain.
    pub(super) fn move_cost(&self, home: u16, way: Direction, to: Position) -> i32 {
        let tile = self.tiles[usize::from(home)];
        let (row, col) = (i32::from(tile.row), i32::from(tile.col));
        // The distance to its home in this direction; negative if it is behind.
        let ahead = match way {
            Direction::Left => to.col - col,
            Direction::Up => to.row - row,
            Direction::Right => col - to.col,
            Direction::Down => row - to.row,
        };
        // The greater of the distances before and after the move.
        let (distance, sign) = if ahead >= 0 { (ahead + 1, -1) } else { (-ahead, 1) };
        let distance = usize::try_from(distance).unwrap_or(0);
        sign * tile.weight * self.by_distance[distance] / 100
    }
}

/// Returns the percentage of the weight by distance. It grows as the square root up to a bound:
/// far tiles come nearer first, while several tiles still gain from the same moves. On large
/// boards, which have more far tiles, it grows more slowly.
fn by_distance(size: Size) -> Vec<i32> {
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

/// Estimates the moves of a tile's route without obstacles: the blank moves to the side of the
/// destination; each further step costs three moves after a turn and five straight on.
pub(super) fn carry_cost(tile: Position, goal: Position, blank: Position) -> i32 {
    let (down, right) = (goal.row - tile.row, goal.col - tile.col);
    let (vertical, horizontal) = (down.abs(), right.abs());
    let mut least = i32::MAX;
    if vertical > 0 {
        let side = tile.row + down.signum();
        let straight_behind = blank.col == tile.col && (blank.row - tile.row) * down < 0;
        let approach = (blank.row - side).abs()
            + (blank.col - tile.col).abs()
            + if straight_behind { 2 } else { 0 };
        least = approach + step_cost(vertical, horizontal);
    }
    if horizontal > 0 {
        let side = tile.col + right.signum();
        let straight_behind = blank.row == tile.row && (blank.col - tile.col) * right < 0;
        let approach = (blank.col - side).abs()
            + (blank.row - tile.row).abs()
            + if straight_behind { 2 } else { 0 };
        least = least.min(approach + step_cost(horizontal, vertical));
    }
    if least == i32::MAX { 0 } else { least }
}

/// Returns the moves of a tile's steps that begin along one axis with the blank in front.
const fn step_cost(along: i32, across: i32) -> i32 {
    let turns = if across >= along { 2 * along - 1 } else { 2 * across };
    1 + 3 * turns + 5 * (along + across - 1 - turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::Board;
    use crate::puzzle::slide::solve::constructive::route::TileCarrier;
    use crate::solver::budget::Budget;

    #[test]
    fn without_obstacles_the_estimate_is_exact() {
        let size = Size::new(9, 9).unwrap();
        let goal = size.cell(4, 4);
        let solved = Board::solved(size);
        for blank in [(8, 8), (4, 0), (0, 4), (5, 5)] {
            for from in (0..81).map(Cell) {
                let (row, col) = (size.row_of(from), size.col_of(from));
                let inside = (2..7).contains(&row) && (2..7).contains(&col);
                if !inside || size.cell(blank.0, blank.1) == from {
                    continue;
                }
                let mut carrier = TileCarrier::new(solved.clone(), Budget(1_000));
                carrier.walk_blank(size.cell(blank.0, blank.1), &[]).unwrap();
                let tile = carrier.board.home(carrier.board.tile(from));
                let walked = carrier.nodes;
                let position = |cell| Position::of(size, cell);
                let estimate =
                    carry_cost(position(from), position(goal), position(carrier.board.blank()));
                carrier.carry(tile, goal).unwrap();
                let cost = carrier.nodes - walked;
                assert_eq!(estimate as u64, cost, "{from} {blank:?}");
            }
        }
    }
}
