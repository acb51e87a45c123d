//! Boards as permutations in cycle notation, moves as transpositions, and solutions as their
//! products.
//!
//! Positions are numbered from 1, row by row; the blank is the last element, M·N. **A cycle `(a,
//! b, …)` reads: element `a` is at position `b`.** Sliding a single tile swaps two adjacent
//! positions, so it multiplies the permutation by their transposition on the right.

use std::fmt;

use crate::puzzle::slide::Board;
use crate::util::grid::{Cell, Direction};

/// The permutation that maps each element to its position.
///
/// ```
/// use gridrace_shared::puzzle::slide::{Board, cycles::Permutation};
/// let board: Board = "5 3 1/0 2 4".parse()?;
/// assert_eq!(Permutation::of(&board).to_string(), "(1,3,2,5)(4,6)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// For each element less 1, its position less 1.
    positions: Box<[u16]>,
}

impl Permutation {
    pub fn of(board: &Board) -> Self {
        let mut positions = vec![0; board.tiles().len()];
        for (place, &tile) in (0..).zip(board.tiles()) {
            positions[usize::from(board.home(tile).0)] = place;
        }
        Self { positions: positions.into() }
    }
}

/// Writes each cycle from its smallest element on, in ascending order, without fixed points.
impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.positions.iter().copied().eq((0..).take(self.positions.len())) {
            return f.write_str("e");
        }
        let mut seen = vec![false; self.positions.len()];
        for start in 0..seen.len() {
            let mut index = usize::from(self.positions[start]);
            if seen[start] || index == start {
                continue;
            }
            write!(f, "({}", start + 1)?;
            while index != start {
                seen[index] = true;
                write!(f, ",{}", index + 1)?;
                index = usize::from(self.positions[index]);
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// A transposition of two adjacent positions, numbered from 1; written `(4,5)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transposition {
    low: u16,
    high: u16,
}

impl Transposition {
    fn of_cells(one: Cell, other: Cell) -> Self {
        Self { low: one.min(other).0 + 1, high: one.max(other).0 + 1 }
    }

    /// Returns both positions, the lower first.
    pub fn positions(self) -> [u16; 2] {
        [self.low, self.high]
    }
}

impl fmt::Display for Transposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.low, self.high)
    }
}

/// ```
/// use gridrace_shared::util::grid::Direction;
/// use gridrace_shared::puzzle::slide::{Board, cycles::trace};
/// let board: Board = "1 2 3/4 0 5".parse()?;
/// let step = trace(board, [Direction::Left]).next().ok_or("no step")?;
/// assert_eq!(step.to_string(), "1 L (5,6) e");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// The number of the move, from 1.
    pub number: usize,
    pub direction: Direction,
    pub exchanged: Transposition,
    /// The product so far: the permutation after the move.
    pub product: Permutation,
}

/// Writes the number, the direction's letter, the transposition and the product.
impl fmt::Display for TraceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.direction.letter();
        write!(f, "{} {letter} {} {}", self.number, self.exchanged, self.product)
    }
}

/// Lists the steps of a solution, up to a move that no tile can make. The moves are directions of
/// single tiles.
///
/// Steps are computed lazily, since each holds a permutation of the whole board.
pub fn trace<M>(mut board: Board, moves: M) -> impl Iterator<Item = TraceStep> + use<M>
where
    M: IntoIterator<Item = Direction>,
{
    (1..).zip(moves).map_while(move |(number, direction)| {
        let played = board.step(direction)?;
        let exchanged = Transposition::of_cells(played.blank_before, board.blank());
        Some(TraceStep { number, direction, exchanged, product: Permutation::of(&board) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_22_moves_is_reproduced() {
        let transpositions = "(4,5) (5,6) (3,6) (2,3) (2,5) (5,6) (3,6) (2,3) (1,2) (1,4) (4,5) \
                              (5,6) (3,6) (2,3) (2,5) (5,6) (3,6) (2,3) (1,2) (1,4) (4,5) (5,6)";
        let products = "(1,3,2,4,6,5); (1,3,2,4,5); (1,6,3,2,4,5); (1,6,2,4,5); (1,6,5)(2,4); \
                        (1,5)(2,4); (1,5)(2,4)(3,6); (1,5)(2,4,3,6); (1,5,2,4,3,6); \
                        (1,5,2)(3,6,4); (1,4,3,6,5,2); (1,4,3,5,2); (1,4,6,3,5,2); \
                        (1,4,6,2)(3,5); (1,4,6,5,3,2); (1,4,5,3,2); (1,4,5,6,3,2); (1,4,5,6,2); \
                        (1,4,5,6); (4,5,6); (5,6); e";
        let board: Board = "5 3 1/0 2 4".parse().unwrap();
        let way = |letter| Direction::ALL.into_iter().find(|way| way.letter() == letter).unwrap();
        let steps: Vec<_> = trace(board, "LLDRULDRRULLDRULDRRULL".chars().map(way)).collect();
        assert_eq!(
            steps.iter().map(|step| step.number).collect::<Vec<_>>(),
            Vec::from_iter(1..=22)
        );
        let exchanged: Vec<_> = steps.iter().map(|step| step.exchanged.to_string()).collect();
        assert_eq!(exchanged, transpositions.split_whitespace().collect::<Vec<_>>());
        let seen: Vec<_> = steps.iter().map(|step| step.product.to_string()).collect();
        assert_eq!(seen, products.split("; ").map(str::trim).collect::<Vec<_>>());
    }

    #[test]
    fn a_trace_ends_at_the_first_impossible_move() {
        let board: Board = "1 2/3 0".parse().unwrap();
        let moves = [Direction::Right, Direction::Right, Direction::Left];
        assert_eq!(trace(board, moves).count(), 1);
    }
}
