//! Solutions, and the rules that define them.

use crate::puzzle::numberlink::{Puzzle, Square, Touch};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// The definition of a solution. Links are simple and disjoint under every rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Links may leave cells empty: Nikoli's rule, written U0. If the only solution under this
    /// rule covers the board, it is the only one under the other rules too.
    Loose,
    /// Links cover every open cell and may touch themselves: written U1.
    Full,
    /// Links cover every open cell and may not touch themselves: written U2.
    FullNoTouch,
}

/// One link for each pair, in the order of the numbers, each from the pair's first terminal to its
/// second.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Solution(pub Vec<Vec<Cell>>);

impl Rule {
    pub const fn of(puzzle: &Puzzle) -> Self {
        match puzzle.touch() {
            Touch::Free => Self::Full,
            Touch::Forbidden => Self::FullNoTouch,
        }
    }
}

impl Solution {
    /// Returns whether this solves a puzzle under a rule. The check is independent of solvers and
    /// generators.
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

    /// Returns the steps of all links, divided by the distances of their terminals: 1 if every
    /// link takes a shortest way.
    pub fn winding(&self, puzzle: &Puzzle) -> f64 {
        let steps: usize = self.0.iter().map(|link| link.len().saturating_sub(1)).sum();
        let distance = |&[from, to]: &[Cell; 2]| puzzle.size().distance(from, to);
        steps as f64 / puzzle.pairs().iter().map(distance).sum::<usize>().max(1) as f64
    }

    /// Returns the number of adjacent cells of the same link without a step between them.
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
    fn solutions_are_checked_by_each_rule() {
        let short = Solution(vec![cells("0 1 2 5")]);
        assert!(short.solves(&puzzle(), Rule::Loose));
        assert!(!short.solves(&puzzle(), Rule::Full));
        let winding = Solution(vec![cells("0 3 4 1 2 5")]);
        assert!(winding.solves(&puzzle(), Rule::Full));
        assert!(!winding.solves(&puzzle(), Rule::FullNoTouch));
        assert_eq!(winding.touches(&puzzle()), 2);
    }

    #[test]
    fn links_must_be_simple_paths_between_the_terminals() {
        for wrong in ["", "0", "0 4 5", "0 1 0 1 2 5", "5 4 3 0", "0 1 2 9", "1 2 5"] {
            let wrong = Solution(vec![cells(wrong)]);
            assert!(!wrong.solves(&puzzle(), Rule::Loose), "{wrong:?}");
        }
        assert!(!Solution(Vec::new()).solves(&puzzle(), Rule::Loose));
    }
}
