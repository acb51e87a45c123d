//! What a solver answers.

use crate::puzzle::slide::{Board, MoveCount};
use crate::util::grid::Direction;

/// Moves that solve a board, with what is known of the shortest.
///
/// The bound holds for the board that was asked about: no solution has fewer single-tile
/// moves than [`Solution::at_least`], and this one has [`Solution::len`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    moves: Vec<Direction>,
    at_least: u32,
    nodes: u64,
}

impl Solution {
    /// Makes a solution; `at_least` is a lower bound on the shortest one's moves.
    pub(super) fn new(moves: Vec<Direction>, at_least: u32, nodes: u64) -> Self {
        debug_assert!(at_least as usize <= moves.len(), "the bound is above a solution");
        Self { moves, at_least, nodes }
    }

    /// Takes note of a lower bound, and of the nodes spent so far.
    pub(super) fn note(&mut self, at_least: u32, nodes: u64) {
        self.at_least = self.at_least.max(at_least).min(self.len());
        self.nodes = nodes;
    }

    /// Returns the single-tile moves, each by the way its tile travels.
    #[must_use]
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Returns the number of single-tile moves (STM).
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    /// Says whether the board was solved already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Returns how many single-tile moves every solution has at least.
    #[must_use]
    pub const fn at_least(&self) -> u32 {
        self.at_least
    }

    /// Says whether no solution is shorter (in single-tile moves).
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.at_least == self.len()
    }

    /// Returns how many single-tile moves too long it is at most.
    #[must_use]
    pub fn at_most_too_long(&self) -> u32 {
        self.len() - self.at_least
    }

    /// Returns the nodes that it took: boards looked at.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts the moves in both metrics: a run in one direction is one multi-tile move.
    #[must_use]
    pub fn count(&self) -> MoveCount {
        let runs = self.moves.chunk_by(|one, next| one == next).count();
        MoveCount { stm: self.len(), mtm: u32::try_from(runs).unwrap_or(u32::MAX) }
    }

    /// Plays the moves on a copy of a board and says whether they are legal and solve it.
    #[must_use]
    pub fn solves(&self, board: &Board) -> bool {
        let mut board = board.clone();
        let legal = self.moves.iter().all(|&way| board.step(way).is_some());
        legal && board.is_solved()
    }
}
