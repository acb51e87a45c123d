//! Boards for the property tests.

use proptest::prelude::*;

use super::Board;
use crate::grid::Size;

/// Any board, solvable or not, with 1 to `longest` rows and columns.
pub(super) fn any_board(longest: usize) -> impl Strategy<Value = Board> {
    (1..=longest, 1..=longest).prop_flat_map(|(rows, cols)| boards_of(rows, cols))
}

/// Any board of a size.
pub(super) fn boards_of(rows: usize, cols: usize) -> impl Strategy<Value = Board> {
    let size = Size::new(rows, cols).unwrap();
    let tiles: Vec<u16> = Board::solved(size).unwrap().tiles().to_vec();
    Just(tiles)
        .prop_shuffle()
        .prop_map(move |tiles| Board::from_tiles(size, tiles).unwrap())
}

/// Any solvable board with `shortest` to `longest` rows and columns.
#[allow(dead_code)]
pub(super) fn solvable_board(shortest: usize, longest: usize) -> impl Strategy<Value = Board> {
    let sides = shortest..=longest;
    (sides.clone(), sides)
        .prop_flat_map(|(rows, cols)| boards_of(rows, cols))
        .prop_map(|board| {
            if board.is_solvable() {
                return board;
            }
            let size = board.size();
            if size.rows() == 1 || size.cols() == 1 {
                // The blank goes where it was, all others in order.
                let mut tiles: Vec<u16> = (1..).take(size.cells() - 1).collect();
                tiles.insert(board.blank().index(), 0);
                return Board::from_tiles(size, tiles).unwrap();
            }
            let exchanged = board
                .tiles()
                .iter()
                .map(|&t| if t == 1 || t == 2 { 3 - t } else { t });
            Board::from_tiles(size, exchanged.collect::<Vec<_>>()).unwrap()
        })
}
