//! Solutions, and the rules under which they are counted.

use crate::puzzle::numberlink::{Puzzle, Square, Touch};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// What counts as a solution. Links are simple and disjoint under all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Links may leave cells empty. A puzzle that has one solution under this rule, which
    /// covers the board, has one under the others: Nikoli's rule, written U0.
    Loose,
    /// Links cover every open cell, and may touch themselves: written U1.
    Full,
    /// Links cover every open cell, and none touches itself: written U2.
    FullNoTouch,
}

/// One link for each pair, in the order of the numbers, each from the pair's first terminal
/// to its second.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Solution(pub Vec<Vec<Cell>>);

impl Rule {
    /// Returns the rule by which a puzzle is won.
    #[must_use]
    pub const fn of(puzzle: &Puzzle) -> Self {
        match puzzle.touch() {
            Touch::Free => Self::Full,
            Touch::Forbidden => Self::FullNoTouch,
        }
    }
}

impl Solution {
    /// Says whether this solves a puzzle under a rule, checked from nothing: what a
    /// solver or a generator claims is held against it.
    #[must_use]
    pub fn solves(&self, puzzle: &Puzzle, rule: Rule) -> bool {
        let mut owner = vec![0u16; puzzle.size().cells()];
        let links_hold = self.0.len() == puzzle.pairs().len()
            && (1u16..).zip(&self.0).all(|(number, link)| {
                let [from, to] = puzzle.pairs()[usize::from(number) - 1];
                link.first() == Some(&from)
                    && link.last() == Some(&to)
                    && is_walk(puzzle, link)
                    && link.iter().all(|&cell| {
                        let free = matches!(puzzle.square(cell), Square::Open)
                            || puzzle.square(cell) == Square::Terminal(number);
                        let owner = &mut owner[usize::from(cell.0)];
                        free && std::mem::replace(owner, number) == 0
                    })
            });
        let covers = || owner.iter().filter(|&&number| number > 0).count() == puzzle.open_cells();
        links_hold
            && match rule {
                Rule::Loose => true,
                Rule::Full => covers(),
                Rule::FullNoTouch => covers() && self.touches(puzzle) == 0,
            }
    }

    /// Counts the places where a link touches itself.
    #[must_use]
    pub fn touches(&self, puzzle: &Puzzle) -> usize {
        self.0.iter().map(|link| touches(puzzle, link)).sum()
    }
}

fn is_walk(puzzle: &Puzzle, link: &[Cell]) -> bool {
    let size = puzzle.size();
    link.iter().all(|&cell| size.contains(cell))
        && link.windows(2).all(|two| size.distance(two[0], two[1]) == 1)
}

fn touches(puzzle: &Puzzle, link: &[Cell]) -> usize {
    let adjacent = |a: Cell, b: Cell| puzzle.size().distance(a, b) == 1;
    let behind = |(at, &cell): (usize, &Cell)| {
        let earlier = &link[..at.saturating_sub(1)];
        earlier.iter().filter(|&&other| adjacent(cell, other)).count()
    };
    link.iter().enumerate().map(behind).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Cell> {
        let cells = text.split_whitespace();
        cells.map(|cell| Cell(cell.parse().unwrap())).collect()
    }

    /// `1 . .` over `. . 1`.
    fn puzzle() -> Puzzle {
        let terminals = [(1, Cell(0)), (1, Cell(5))];
        Puzzle::new("2x3".parse().unwrap(), &terminals, &[], Touch::Free).unwrap()
    }

    #[test]
    fn a_solution_is_held_against_each_rule() {
        let short = Solution(vec![cells("0 1 2 5")]);
        assert!(short.solves(&puzzle(), Rule::Loose));
        assert!(!short.solves(&puzzle(), Rule::Full));
        let winding = Solution(vec![cells("0 3 4 1 2 5")]);
        assert!(winding.solves(&puzzle(), Rule::Full));
        assert!(!winding.solves(&puzzle(), Rule::FullNoTouch));
        assert_eq!(winding.touches(&puzzle()), 2);
    }

    #[test]
    fn what_is_no_simple_path_between_the_terminals_solves_nothing() {
        for wrong in ["", "0", "0 4 5", "0 1 0 1 2 5", "5 4 3 0", "0 1 2 9", "1 2 5"] {
            let wrong = Solution(vec![cells(wrong)]);
            assert!(!wrong.solves(&puzzle(), Rule::Loose), "{wrong:?}");
        }
        assert!(!Solution(Vec::new()).solves(&puzzle(), Rule::Loose));
    }
}
