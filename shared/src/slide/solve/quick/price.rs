//! What the way of one tile costs, and what the distances of the others are worth.

use crate::grid::{Cell, Size};

/// What one move costs; the other prices are in the same unit.
pub(super) const MOVE: i32 = 10;

/// What it is worth that a tile comes one cell nearer, by how many lines lie between its
/// home and the line that is being restored: a tile that is wanted soon is carried at three
/// to five moves a cell, one that is wanted late has been brought near by then, at less.
const NEARER: [u16; 7] = [28, 18, 13, 11, 9, 9, 8];
/// What it is worth on top of that for the tiles of the line itself.
const NEARER_IN_LINE: u16 = 5;

/// A row and a column; beside the board as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub row: i32,
    pub col: i32,
}

impl Spot {
    pub(super) fn of(size: Size, cell: Cell) -> Self {
        let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        Self {
            row: number(size.row_of(cell)),
            col: number(size.col_of(cell)),
        }
    }
}

/// Where a tile belongs, and what it is worth to bring it nearer by a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    pub home: (u8, u8),
    pub worth: u16,
}

/// Lists the tiles by the cells of their homes, for the restoring of a line of the region
/// from a cell on, right and down.
pub(super) fn tiles(size: Size, from: Cell, line: &[Cell]) -> Vec<Tile> {
    let (top, left) = (size.row_of(from), size.col_of(from));
    let cells = (0..size.rows()).flat_map(|row| (0..size.cols()).map(move |col| (row, col)));
    let mut tiles: Vec<Tile> = cells
        .map(|(row, col)| {
            let lines = row.saturating_sub(top).min(col.saturating_sub(left));
            let side = |side: usize| u8::try_from(side).unwrap_or(u8::MAX);
            Tile {
                home: (side(row), side(col)),
                worth: NEARER[lines.min(NEARER.len() - 1)],
            }
        })
        .collect();
    for cell in line {
        tiles[usize::from(cell.0)].worth += NEARER_IN_LINE;
    }
    tiles
}

/// Estimates the moves that carry a tile to its goal when nothing is in the way: the blank
/// comes to the side to which the tile is to go; each further step costs three moves where
/// the way turns, five where it goes straight on.
pub(super) fn carry(tile: Spot, goal: Spot, blank: Spot) -> i32 {
    let (down, right) = (goal.row - tile.row, goal.col - tile.col);
    let (vertical, horizontal) = (down.abs(), right.abs());
    let mut least = i32::MAX;
    if vertical > 0 {
        let side = tile.row + down.signum();
        let straight_behind = blank.col == tile.col && (blank.row - tile.row) * down < 0;
        let approach = (blank.row - side).abs()
            + (blank.col - tile.col).abs()
            + if straight_behind { 2 } else { 0 };
        least = approach + steps(vertical, horizontal);
    }
    if horizontal > 0 {
        let side = tile.col + right.signum();
        let straight_behind = blank.row == tile.row && (blank.col - tile.col) * right < 0;
        let approach = (blank.col - side).abs()
            + (blank.row - tile.row).abs()
            + if straight_behind { 2 } else { 0 };
        least = least.min(approach + steps(horizontal, vertical));
    }
    if least == i32::MAX { 0 } else { least }
}

/// Counts the moves of a tile's steps, beginning along one axis with the blank in front.
const fn steps(along: i32, across: i32) -> i32 {
    let turns = if across >= along {
        2 * along - 1
    } else {
        2 * across
    };
    1 + 3 * turns + 5 * (along + across - 1 - turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Budget;
    use crate::slide::Board;
    use crate::slide::solve::route::Workbench;

    #[test]
    fn in_the_open_the_estimate_is_what_the_way_costs() {
        let size = Size::new(9, 9).unwrap();
        let goal = size.cell(4, 4);
        let solved = Board::solved(size).unwrap();
        for blank in [(8, 8), (4, 0), (0, 4), (5, 5)] {
            for from in (0..81).map(Cell) {
                let (row, col) = (size.row_of(from), size.col_of(from));
                let inside = (2..7).contains(&row) && (2..7).contains(&col);
                if !inside || size.cell(blank.0, blank.1) == from {
                    continue;
                }
                let mut bench = Workbench::new(solved.clone(), Budget(1_000));
                bench.walk_blank(size.cell(blank.0, blank.1)).unwrap();
                let tile = bench.board().home(bench.board().tile(from));
                let walked = bench.nodes();
                let spot = |cell| Spot::of(size, cell);
                let estimate = carry(spot(from), spot(goal), spot(bench.board().blank()));
                bench.carry(tile, goal).unwrap();
                let cost = bench.nodes() - walked;
                assert_eq!(estimate as u64, cost, "{from} {blank:?}");
            }
        }
    }
}
