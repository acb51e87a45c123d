//! Traces: a solution move by move, with the permutation after each.
//!
//! [`crate::puzzle::slide::cycles`] defines the notation.

use std::fmt;

use crate::puzzle::slide::Board;
use crate::puzzle::slide::cycles::{Permutation, Transposition};
use crate::util::grid::Direction;

/// ```
/// use gridrace_shared::util::grid::Direction;
/// use gridrace_shared::puzzle::slide::{Board, solve::Trace};
/// let board: Board = "1 2 3/4 0 5".parse()?;
/// let step = Trace::new(board, [Direction::Left]).next().ok_or("no step")??;
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

/// The error for a move that no tile can make.
///
/// ```
/// use gridrace_shared::util::grid::Direction;
/// use gridrace_shared::puzzle::slide::{Board, solve::{TraceError, Trace}};
/// let board: Board = "1 2/3 0".parse()?;
/// let mut trace = Trace::new(board, [Direction::Left]);
/// assert_eq!(trace.next(), Some(Err(TraceError { number: 1 })));
/// assert_eq!(trace.next(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("move {number} has no tile that could travel that way")]
pub struct TraceError {
    /// The number of the move, from 1.
    pub number: usize,
}

/// Iterates over the moves of a solution, one [`TraceStep`] at a time.
///
/// Steps are computed lazily, since each holds a permutation of the whole board. The iterator ends
/// after the first move that cannot be made.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::{Trace, constructive}};
/// let board: Board = "5 3 1/0 2 4".parse()?;
/// let solution = constructive(&board, Budget(1_000))?;
/// let last = Trace::new(board, solution.moves().to_vec()).last().ok_or("no step")??;
/// assert!(last.product.is_identity());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Trace<M> {
    board: Board,
    product: Permutation,
    moves: M,
    number: usize,
    stuck: bool,
}

impl<M: Iterator<Item = Direction>> Trace<M> {
    /// Starts at a board; the moves are directions of single tiles.
    pub fn new(board: Board, moves: impl IntoIterator<IntoIter = M>) -> Self {
        let (product, moves) = (Permutation::of(&board), moves.into_iter());
        Self { board, product, moves, number: 0, stuck: false }
    }

    /// Plays a move and multiplies the product by its transposition.
    fn make(&mut self, direction: Direction) -> Option<Transposition> {
        let played = self.board.step(direction)?;
        let (size, blank) = (self.board.size(), self.board.blank());
        let exchanged = Transposition::of_cells(size, played.blank_before, blank)?;
        self.product.apply(exchanged);
        Some(exchanged)
    }
}

impl<M: Iterator<Item = Direction>> Iterator for Trace<M> {
    type Item = Result<TraceStep, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stuck {
            return None;
        }
        let direction = self.moves.next()?;
        self.number += 1;
        let number = self.number;
        let Some(exchanged) = self.make(direction) else {
            self.stuck = true;
            return Some(Err(TraceError { number }));
        };
        let product = self.product.clone();
        Some(Ok(TraceStep { number, direction, exchanged, product }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::parity::is_solvable;
    use crate::puzzle::slide::scramble::any_board;
    use crate::puzzle::slide::solve::constructive;
    use crate::solver::budget::Budget;
    use proptest::prelude::*;

    #[test]
    fn the_worked_example_is_traced_as_published() {
        let board: Board = "5 3 1/0 2 4".parse().unwrap();
        let steps = [
            "1 L (4,5) (1,3,2,4,6,5)",
            "2 L (5,6) (1,3,2,4,5)",
            "3 D (3,6) (1,6,3,2,4,5)",
            "4 R (2,3) (1,6,2,4,5)",
        ];
        let moves = crate::puzzle::slide::notation::read_moves("L2DR", Default::default()).unwrap();
        let traced: Vec<String> =
            Trace::new(board, moves).map(|step| step.unwrap().to_string()).collect();
        assert_eq!(traced, steps);
    }

    #[test]
    fn a_trace_ends_after_the_first_impossible_move() {
        let board: Board = "1 2/3 0".parse().unwrap();
        let moves = [Direction::Right, Direction::Right, Direction::Left];
        let traced: Vec<bool> = Trace::new(board, moves).map(|step| step.is_ok()).collect();
        assert_eq!(traced, [true, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_trace_of_a_solution_ends_in_the_identity(board in any_board()) {
            prop_assume!(is_solvable(&board) && !board.is_solved());
            let solution = constructive(&board, Budget(100_000)).unwrap();
            let mut now = board.clone();
            let mut last = None;
            for (step, &direction) in Trace::new(board, solution.moves().to_vec()).zip(solution.moves()) {
                now.step(direction).unwrap();
                let step = step.unwrap();
                prop_assert_eq!(&step.product, &Permutation::of(&now));
                last = Some(step);
            }
            let last = last.unwrap();
            prop_assert_eq!(last.number, solution.moves().len());
            prop_assert!(last.product.is_identity());
        }
    }
}
