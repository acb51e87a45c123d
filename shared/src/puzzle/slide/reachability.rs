//! Reachability: whether moves lead from one board to another, with the counts that decide it.
//!
//! Two ways of counting, which agree: inversions and the blank's row and column (Johnson and Story
//! 1879), and the swaps that sort the board and the blank's distance from its home. A move changes
//! both numbers of either way by an odd amount, so the parity of their sum stays.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::cycles::Permutation;
use crate::puzzle::slide::parity::transposition_distance;

/// What decides whether moves lead from one board to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachability {
    pub from: BoardCounts,
    pub to: BoardCounts,
    pub verdict: Verdict,
}

/// The counts of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardCounts {
    /// Pairs of numbers, row by row, of which the greater comes first; the blank is 0.
    pub inversions: usize,
    /// The blank's row, from 1.
    pub blank_row: usize,
    /// The blank's column, from 1.
    pub blank_column: usize,
    pub permutation: Permutation,
    /// Swaps of two tiles that bring everything home: cells less cycles.
    pub swaps: usize,
    /// Steps of the blank to its home, the last cell.
    pub blank_steps: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The boards' sizes differ.
    Sizes,
    /// In a single row or column no tile passes another: the order of the tiles decides.
    SingleLine { same_order: bool },
    /// The parities decide: whether they are equal, by either way.
    Parity { by_inversions: bool, by_swaps: bool },
}

impl Reachability {
    /// Compares two boards.
    ///
    /// ```
    /// use gridrace_shared::puzzle::slide::{Board, reachability::Reachability};
    /// let (a, b): (Board, Board) = ("1 3 2/6 0 5/4 7 8".parse()?, "1 2 3/4 5 6/7 8 0".parse()?);
    /// let compared = Reachability::of(&a, &b);
    /// assert_eq!((compared.from.by_inversions(), compared.to.by_inversions()), (12, 14));
    /// assert!(compared.is_reachable());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(from: &Board, to: &Board) -> Self {
        let size = from.size();
        let counts = [from, to].map(BoardCounts::of);
        let verdict = if size != to.size() {
            Verdict::Sizes
        } else if size.rows() == 1 || size.cols() == 1 {
            let order = |board: &Board| {
                board.tiles().iter().copied().filter(|&tile| tile != 0).collect::<Vec<_>>()
            };
            Verdict::SingleLine { same_order: order(from) == order(to) }
        } else {
            let same = |count: fn(&BoardCounts) -> usize| {
                let [from, to] = counts.each_ref().map(count);
                from % 2 == to % 2
            };
            Verdict::Parity {
                by_inversions: same(BoardCounts::by_inversions),
                by_swaps: same(BoardCounts::by_swaps),
            }
        };
        let [from, to] = counts;
        Self { from, to, verdict }
    }

    pub const fn is_reachable(&self) -> bool {
        match self.verdict {
            Verdict::Sizes => false,
            Verdict::SingleLine { same_order } => same_order,
            Verdict::Parity { by_swaps, .. } => by_swaps,
        }
    }
}

impl BoardCounts {
    fn of(board: &Board) -> Self {
        let size = board.size();
        Self {
            inversions: inversions(board.tiles()),
            blank_row: size.row_of(board.blank()) + 1,
            blank_column: size.col_of(board.blank()) + 1,
            permutation: Permutation::of(board),
            swaps: transposition_distance(board),
            blank_steps: size.distance(board.blank(), board.home(0)),
        }
    }

    /// Returns the inversions plus the blank's row and column.
    pub const fn by_inversions(&self) -> usize {
        self.inversions + self.blank_row + self.blank_column
    }

    /// Returns the swaps plus the blank's steps.
    pub const fn by_swaps(&self) -> usize {
        self.swaps + self.blank_steps
    }
}

/// Counts the inversions by merging halves, in O(n log n).
fn inversions(numbers: &[u16]) -> usize {
    fn sort(numbers: &mut [u16], merged: &mut Vec<u16>) -> usize {
        let half = numbers.len() / 2;
        if half == 0 {
            return 0;
        }
        let (left, right) = numbers.split_at_mut(half);
        let mut count = sort(left, merged) + sort(right, merged);
        merged.clear();
        let mut rest = &*left;
        for &number in &*right {
            let smaller = rest.iter().take_while(|&&one| one < number).count();
            merged.extend(&rest[..smaller]);
            rest = &rest[smaller..];
            count += rest.len();
            merged.push(number);
        }
        merged.extend(rest);
        numbers.copy_from_slice(merged);
        count
    }
    sort(&mut numbers.to_vec(), &mut Vec::with_capacity(numbers.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::parity::equivalent;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    fn compare(from: &str, to: &str) -> Reachability {
        Reachability::of(&from.parse().unwrap(), &to.parse().unwrap())
    }

    #[test]
    fn the_textbook_example_is_counted_as_printed() {
        let compared = compare("1 3 2/6 0 5/4 7 8", "1 2 3/4 5 6/7 8 0");
        let counted = |of: &BoardCounts| (of.inversions, of.blank_row, of.blank_column);
        assert_eq!(counted(&compared.from), (8, 2, 2));
        assert_eq!(counted(&compared.to), (8, 3, 3));
        assert!(compared.is_reachable());
    }

    #[test]
    fn in_a_single_line_the_order_decides_and_other_sizes_are_never_reached() {
        let verdict = |from, to| compare(from, to).verdict;
        assert_eq!(verdict("1 0 2", "1 2 0"), Verdict::SingleLine { same_order: true });
        assert_eq!(verdict("2/1/0", "1/2/0"), Verdict::SingleLine { same_order: false });
        assert_eq!(verdict("1 2 3/4 5 0", "1 2/3 4/5 0"), Verdict::Sizes);
        assert!(!compare("1 2 3/4 5 0", "1 2/3 4/5 0").is_reachable());
    }

    proptest! {
        #[test]
        fn both_ways_agree_with_each_other_and_with_the_rules(a in any_board(), b in any_board()) {
            for to in [Board::solved(a.size()), b] {
                let compared = Reachability::of(&a, &to);
                if let Verdict::Parity { by_inversions, by_swaps } = compared.verdict {
                    prop_assert_eq!(by_inversions, by_swaps);
                }
                prop_assert_eq!(compared.is_reachable(), equivalent(&a, &to));
            }
        }

        #[test]
        fn merging_counts_every_pair(mut numbers in Just((0..40u16).collect::<Vec<_>>()).prop_shuffle(), len in 0..40usize) {
            numbers.truncate(len);
            let pairs = (0..len).flat_map(|first| (first + 1..len).map(move |later| (first, later)));
            let inverted = pairs.filter(|&(first, later)| numbers[first] > numbers[later]);
            prop_assert_eq!(inversions(&numbers), inverted.count());
        }
    }
}
