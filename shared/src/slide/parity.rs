//! Which boards can be moved into which: parity, in linear time.
//!
//! Each single-tile move exchanges the blank with a neighbour: as a permutation the
//! board changes its parity, and the blank's row + column changes by one. So the parity
//! of (inversions + row + column) never changes. That two boards of equal parity can
//! always be moved into each other, given two rows and two columns, is the theorem of
//! W. W. Johnson and W. E. Story (1879). On a board of one row or one column no tile
//! passes another, so there it is the order of the tiles that never changes.

use super::Board;

impl Board {
    /// Tells whether the goal can be reached, in linear time.
    ///
    /// Swaps each tile with the one in its home until all are there, counting the swaps
    /// (one fewer than the cells for each cycle). Every move is one swap and one step of
    /// the blank, so swaps + distance of the blank from its home is even.
    ///
    /// ```
    /// use gridrace_shared::grid::Size;
    /// use gridrace_shared::slide::Board;
    ///
    /// let board = Board::from_tiles(Size::new(2, 2)?, [2, 1, 3, 0])?;
    /// assert!(!board.is_solvable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_solvable(&self) -> bool {
        if self.is_one_line() {
            return self.in_order().zip(1..).all(|(tile, home)| tile == home);
        }
        let distance = self.size().distance(self.blank(), self.home(0));
        (self.swaps_home() + distance).is_multiple_of(2)
    }

    /// Counts the swaps of two tiles (or tile and blank) that bring everything home.
    ///
    /// These are any two, wherever they are: it is the cells less the cycles of the permutation.
    pub fn swaps_home(&self) -> usize {
        let home = |index: usize| self.home(self.tiles()[index]).index();
        let mut seen = vec![false; self.tiles().len()];
        let mut swaps = 0;
        for start in 0..seen.len() {
            let mut index = start;
            while !seen[index] {
                seen[index] = true;
                index = home(index);
                // The step that closes a cycle is no swap.
                swaps += usize::from(index != start);
            }
        }
        swaps
    }

    /// Whether no tile can ever pass another.
    fn is_one_line(&self) -> bool {
        self.size().rows() == 1 || self.size().cols() == 1
    }

    /// The tiles in their order, the blank left out.
    fn in_order(&self) -> impl Iterator<Item = u16> + '_ {
        self.tiles().iter().copied().filter(|&tile| tile != 0)
    }
}

/// Tells whether one board can be moved into the other, in linear time.
///
/// They must have one size and the same parity of (inversions, the blank counted as the
/// number 0) + (row of the blank) + (column of the blank); with a single row or column,
/// the same order of tiles.
///
/// ```
/// use gridrace_shared::slide::{Board, equivalent};
///
/// let board: Board = "1 3 2/6 0 5/4 7 8".parse()?;
/// let goal: Board = "1 2 3/4 5 6/7 8 0".parse()?;
/// assert!(equivalent(&board, &goal));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn equivalent(one: &Board, other: &Board) -> bool {
    if one.size() != other.size() {
        return false;
    }
    if one.is_one_line() {
        return one.in_order().eq(other.in_order());
    }
    class(one) == class(other)
}

/// The invariant of the theorem, 0 or 1.
///
/// The parity of the inversions against `0 1 2 …` is that of the swaps into this order.
/// Bringing the blank from the end of the goal to its front passes every tile once.
fn class(board: &Board) -> usize {
    let inversions = board.swaps_home() + (board.tiles().len() - 1);
    let size = board.size();
    (inversions + size.row_of(board.blank()) + size.col_of(board.blank())) % 2
}

/// Counts the pairs that stand in the wrong order, the blank counted as the number 0.
///
/// It takes quadratic time: this is the plain definition, for looking at small boards
/// and for checking the linear way against.
///
/// ```
/// use gridrace_shared::slide::{Board, inversions};
///
/// let board: Board = "1 3 2/6 0 5/4 7 8".parse()?;
/// assert_eq!(inversions(&board), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inversions(board: &Board) -> usize {
    let tiles = board.tiles();
    let before = |index: usize| tiles[..index].iter().filter(|&&t| t > tiles[index]).count();
    (0..tiles.len()).map(before).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::grid::Size;
    use crate::slide::strategies::{any_board, boards_of};

    /// The theorem as document 1 writes it, rows and columns from 1.
    fn by_the_theorem(board: &Board) -> usize {
        let size = board.size();
        let (row, col) = (
            size.row_of(board.blank()) + 1,
            size.col_of(board.blank()) + 1,
        );
        (inversions(board) + row + col) % 2
    }

    #[test]
    fn the_example_of_the_theorem_holds() {
        let one: Board = "1 3 2/6 0 5/4 7 8".parse().unwrap();
        let other: Board = "1 2 3/4 5 6/7 8 0".parse().unwrap();
        assert_eq!((inversions(&one), inversions(&other)), (8, 8));
        assert_eq!((by_the_theorem(&one), by_the_theorem(&other)), (0, 0));
        assert!(equivalent(&one, &other));
        let exchanged: Board = "3 1 2/6 0 5/4 7 8".parse().unwrap();
        assert!(!equivalent(&exchanged, &other));
    }

    #[test]
    fn both_printed_6x6_scrambles_are_solvable() {
        // Cells numbered from 0, 35 the blank, as they were printed.
        let blank_home = "23 24 17 19 8 33 28 9 12 5 15 13 14 7 1 10 20 26 \
                          21 16 22 2 3 6 29 18 11 34 32 31 0 27 30 25 4 35";
        let blank_anywhere = "14 35 25 19 28 10 15 1 27 11 5 2 23 32 8 6 21 3 \
                              22 13 20 4 34 24 18 0 33 12 9 17 29 16 7 26 30 31";
        for text in [blank_home, blank_anywhere] {
            let numbers = text
                .split_whitespace()
                .map(|n| (n.parse::<u16>().unwrap() + 1) % 36);
            let tiles: Vec<u16> = numbers.collect();
            let mut board = Board::from_tiles(Size::new(6, 6).unwrap(), tiles.clone()).unwrap();
            assert!(board.is_solvable(), "{text}");
            board = Board::from_tiles(board.size(), exchange(&tiles)).unwrap();
            assert!(!board.is_solvable(), "{text}");
        }
    }

    fn exchange(tiles: &[u16]) -> Vec<u16> {
        tiles
            .iter()
            .map(|&tile| {
                if tile == 1 || tile == 2 {
                    3 - tile
                } else {
                    tile
                }
            })
            .collect()
    }

    #[test]
    fn on_one_line_only_the_order_counts() {
        let on_line = |text: &str| text.parse::<Board>().unwrap();
        assert!(on_line("1 0 2 3").is_solvable());
        assert!(on_line("0/1/2").is_solvable());
        // An even permutation, and yet nothing can turn it.
        assert!(!on_line("2 3 1 0").is_solvable());
        assert!(equivalent(&on_line("2 3 1 0"), &on_line("0 2 3 1")));
        assert!(!equivalent(&on_line("2 3 1 0"), &on_line("2/3/1/0")));
        assert!(on_line("0").is_solvable());
    }

    proptest! {
        #[test]
        fn cycles_and_inversions_have_one_parity(board in any_board(8)) {
            // Moving the blank to the front of the goal passes all other tiles.
            let swaps = board.swaps_home() + board.tiles().len() - 1;
            prop_assert_eq!(swaps % 2, inversions(&board) % 2);
            prop_assert_eq!(class(&board), by_the_theorem(&board));
        }

        #[test]
        fn solvable_is_equivalent_to_the_goal(board in any_board(8)) {
            let goal = Board::solved(board.size()).unwrap();
            prop_assert_eq!(board.is_solvable(), equivalent(&board, &goal));
        }

        #[test]
        fn moves_stay_in_their_class(board in any_board(8), cells in prop::collection::vec(0_u16..64, 0..40)) {
            let mut moved = board.clone();
            for cell in cells {
                moved.play(crate::grid::Cell(cell)).ok();
            }
            prop_assert!(equivalent(&board, &moved));
        }

        #[test]
        fn exchanging_two_tiles_changes_the_class(board in boards_of(4, 3)) {
            let exchanged = Board::from_tiles(board.size(), exchange(board.tiles())).unwrap();
            prop_assert!(board.is_solvable() != exchanged.is_solvable());
        }
    }
}
