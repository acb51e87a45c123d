//! Solvability: which boards can be transformed into each other by moves.
//!
//! Every move swaps the blank with a neighbour. It changes the parity of the permutation and that
//! of the blank's row plus column, so the sum of the two is invariant. For M, N ≥ 2 it is the only
//! invariant (Johnson and Story 1879; Archer 1999 for a modern proof): there are two classes. In a
//! single row or column no tile passes another, so there the order of the tiles is the invariant.

use crate::puzzle::slide::Board;

/// Returns whether moves lead from one board to the other, in linear time.
///
/// ```
/// use gridrace_shared::puzzle::slide::{Board, parity::equivalent};
/// let a: Board = "1 3 2/6 0 5/4 7 8".parse()?;
/// let b: Board = "1 2 3/4 5 6/7 8 0".parse()?;
/// assert!(equivalent(&a, &b));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn equivalent(a: &Board, b: &Board) -> bool {
    if a.size() != b.size() {
        return false;
    }
    if a.size().rows() == 1 || a.size().cols() == 1 {
        return order(a).eq(order(b));
    }
    invariant(a) == invariant(b)
}

/// Returns whether moves lead from the board to the goal, in linear time.
///
/// A board is solvable if and only if the number of transpositions that sort it plus the blank's
/// Manhattan distance from its home is even.
///
/// ```
/// use gridrace_shared::puzzle::slide::{Board, parity::is_solvable};
/// assert!(is_solvable(&"1 2/0 3".parse::<Board>()?));
/// assert!(!is_solvable(&"2 1/3 0".parse::<Board>()?));
/// # Ok::<(), gridrace_shared::puzzle::slide::notation::BoardTextError>(())
/// ```
pub fn is_solvable(board: &Board) -> bool {
    if board.size().rows() == 1 || board.size().cols() == 1 {
        return (1..).zip(order(board)).all(|(home, tile)| home == tile);
    }
    let distance = board.size().distance(board.blank(), board.home(0));
    (transposition_distance(board) + distance).is_multiple_of(2)
}

/// Returns the number of transpositions that sort the board: cells less cycles.
pub fn transposition_distance(board: &Board) -> usize {
    let mut visited = vec![false; board.size().cells()];
    let mut cycles = 0;
    for start in 0..visited.len() {
        if visited[start] {
            continue;
        }
        cycles += 1;
        let mut cell = start;
        while !visited[cell] {
            visited[cell] = true;
            cell = usize::from(board.home(board.tiles()[cell]).0);
        }
    }
    visited.len() - cycles
}

/// Returns the invariant: the parity of the transpositions plus the blank's row and column.
fn invariant(board: &Board) -> usize {
    let size = board.size();
    let blank = size.row_of(board.blank()) + size.col_of(board.blank());
    (transposition_distance(board) + blank) % 2
}

fn order(board: &Board) -> impl Iterator<Item = u16> + '_ {
    board.tiles().iter().copied().filter(|&tile| tile != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    #[test]
    fn both_published_6x6_examples_are_solvable() {
        // The source numbers cells and tiles from 0, with 35 for the blank.
        for text in [
            "23 24 17 19 8 33 28 9 12 5 15 13 14 7 1 10 20 26 21 16 22 2 3 6 29 18 11 34 32 31 0 27 30 25 4 35",
            "14 35 25 19 28 10 15 1 27 11 5 2 23 32 8 6 21 3 22 13 20 4 34 24 18 0 33 12 9 17 29 16 7 26 30 31",
        ] {
            let tiles = text.split(' ').map(|n| (n.parse::<u16>().unwrap() + 1) % 36).collect();
            let board = Board::from_tiles("6x6".parse().unwrap(), tiles).unwrap();
            assert!(is_solvable(&board));
        }
    }

    #[test]
    fn in_a_single_row_the_order_of_tiles_decides() {
        for (text, solvable) in [
            ("0 1 2", true),
            ("1 0 2", true),
            ("2 1 0", false),
            ("2/1/0", false),
            ("1/0/2", true),
            ("0", true),
        ] {
            assert_eq!(is_solvable(&text.parse().unwrap()), solvable, "{text}");
        }
        // By parity these two would be equivalent.
        let (a, b): (Board, Board) = ("1 2 3 0".parse().unwrap(), "2 3 1 0".parse().unwrap());
        assert!(invariant(&a) == invariant(&b) && !equivalent(&a, &b));
    }

    proptest! {
        #[test]
        fn moves_preserve_the_class(board in any_board()) {
            for cell in board.legal_moves() {
                let mut after = board.clone();
                after.play(cell).unwrap();
                prop_assert!(equivalent(&board, &after));
            }
        }
    }
}
