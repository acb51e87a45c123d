//! The endgame of a solution: the moves during which the blank stays within a corner of the board
//! while all other cells are finished. A beam searches this corner.

use super::board::MAX_CELLS;
use crate::puzzle::slide::Board;
use crate::util::grid::{Cell, Direction, Size};

/// The last part of a solution.
#[derive(Debug, Clone)]
pub struct Endgame {
    /// The number of moves before it.
    pub start: usize,
    pub size: Size,
    /// The tiles in the corner at its start, numbered as on a board of the corner's size.
    pub tiles: Vec<u8>,
}

impl Endgame {
    /// Finds the longest end of a solution that crosses at most `cells` cells; at most 256, so
    /// that cell numbers fit a byte. When that is the whole solution, the corner is as large as
    /// allowed, since a shorter solution may need more of the board.
    pub fn new(board: &Board, moves: &[Direction], cells: usize) -> Self {
        let size = board.size();
        let (mut top, mut left) = (size.rows() - 1, size.cols() - 1);
        let mut blank = size.last();
        let mut start = moves.len();
        for &way in moves.iter().rev() {
            // In reverse the blank moves in the tile's direction.
            let Some(before) = size.neighbour(blank, way) else {
                break;
            };
            let (up, leftwards) = (top.min(size.row_of(before)), left.min(size.col_of(before)));
            if (size.rows() - up) * (size.cols() - leftwards) > cells {
                break;
            }
            (blank, top, left) = (before, up, leftwards);
            start -= 1;
        }
        if start == 0 {
            (top, left) = widen(size, [top, left], cells);
        }
        let mut start_board = board.clone();
        for &way in &moves[..start] {
            start_board.step(way);
        }
        let (size, tiles) = corner_tiles(&start_board, size.cell(top, left));
        Self { start, size, tiles }
    }
}

/// Returns the size of the corner from a cell on to the right and downwards, which has its own tiles
/// and at most 256 cells, and these tiles, numbered as on a board of that size.
pub fn corner_tiles(board: &Board, from: Cell) -> (Size, Vec<u8>) {
    let size = board.size();
    let (top, left) = (size.row_of(from), size.col_of(from));
    debug_assert!((size.rows() - top) * (size.cols() - left) <= MAX_CELLS);
    let number = |tile: u16| {
        let home: Cell = board.home(tile);
        let (row, col) = (size.row_of(home) - top, size.col_of(home) - left);
        (row * (size.cols() - left) + col + 1) as u8
    };
    let cells =
        (top..size.rows()).flat_map(|row| (left..size.cols()).map(move |col| size.cell(row, col)));
    let tiles = cells.map(|cell| match board.tile(cell) {
        0 => 0,
        tile => number(tile),
    });
    // The corner is not larger than the board.
    let corner = Size::new(size.rows() - top, size.cols() - left).unwrap_or(size);
    (corner, tiles.collect())
}

/// Grows a corner outwards to at most `cells` cells, the shorter side first.
fn widen(size: Size, [mut top, mut left]: [usize; 2], cells: usize) -> (usize, usize) {
    loop {
        let (rows, cols) = (size.rows() - top, size.cols() - left);
        let (higher, wider) =
            (top > 0 && (rows + 1) * cols <= cells, left > 0 && rows * (cols + 1) <= cells);
        if higher && (rows <= cols || !wider) {
            top -= 1;
        } else if wider {
            left -= 1;
        } else {
            return (top, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::puzzle::slide::solve::constructive;
    use crate::solver::budget::Budget;

    #[test]
    fn an_endgame_is_a_board_that_the_same_moves_solve() {
        let board = scrambled(6, 7, 1);
        let solution = constructive(&board, Budget(u64::MAX)).unwrap();
        for cells in [1, 9, 20, 42] {
            let endgame = Endgame::new(&board, solution.moves(), cells);
            assert!(endgame.size.cells() <= cells);
            let tiles = endgame.tiles.iter().map(|&tile| u16::from(tile)).collect();
            let mut corner = Board::from_tiles(endgame.size, tiles).unwrap();
            for &way in &solution.moves()[endgame.start..] {
                corner.step(way).unwrap();
            }
            assert!(corner.is_solved());
        }
    }
    #[test]
    fn an_endgame_of_the_whole_solution_uses_the_largest_corner() {
        // Everything outside the last three rows and columns is solved.
        let text = "1 2 3 4 5/6 7 8 9 10/11 12 13 14 15/16 17 23 19 20/21 22 0 24 18";
        let board: Board = text.parse().unwrap();
        let solution = constructive(&board, Budget(u64::MAX)).unwrap();
        for (cells, size) in [(9, "3x3"), (14, "4x3"), (16, "4x4"), (24, "5x4"), (25, "5x5")] {
            let endgame = Endgame::new(&board, solution.moves(), cells);
            assert_eq!((endgame.start, endgame.size), (0, size.parse().unwrap()));
        }
        let whole = Endgame::new(&board, solution.moves(), 256);
        let tiles: Vec<u16> = whole.tiles.iter().map(|&tile| tile.into()).collect();
        assert_eq!(tiles, board.tiles());
    }
}
