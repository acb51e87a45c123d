//! Solutions with bounds.

use crate::puzzle::MoveCount;
use crate::puzzle::slide::Board;
use crate::util::grid::Direction;

/// Moves that solve a board, with a lower bound on the shortest solution.
///
/// Every solution has at least [`Solution::at_least`] single-tile moves; this one has
/// [`Solution::len`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    moves: Vec<Direction>,
    at_least: u32,
    nodes: u64,
}

impl Solution {
    /// Creates a solution; `at_least` is a lower bound on the shortest one's moves.
    pub(super) fn new(moves: Vec<Direction>, at_least: u32, nodes: u64) -> Self {
        debug_assert!(at_least as usize <= moves.len(), "the bound is above a solution");
        Self { moves, at_least, nodes }
    }

    pub(super) fn note(&mut self, at_least: u32, nodes: u64) {
        self.at_least = self.at_least.max(at_least).min(self.len());
        self.nodes = nodes;
    }

    /// Returns the single-tile moves as directions of their tiles.
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Returns a lower bound on the single-tile moves of every solution.
    pub const fn at_least(&self) -> u32 {
        self.at_least
    }

    /// Returns whether no solution has fewer single-tile moves.
    pub fn is_optimal(&self) -> bool {
        self.at_least == self.len()
    }

    /// Returns an upper bound on the single-tile moves above the optimum.
    pub fn at_most_too_long(&self) -> u32 {
        self.len() - self.at_least
    }

    /// Returns the nodes used: boards generated.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the single-tile moves, and the multi-tile moves as acts: a run in one direction.
    pub fn count(&self) -> MoveCount {
        let runs = self.moves.chunk_by(|one, next| one == next).count();
        MoveCount { moves: self.len(), acts: u32::try_from(runs).unwrap_or(u32::MAX) }
    }

    /// Returns whether the moves are legal and solve a board.
    pub fn solves(&self, board: &Board) -> bool {
        let mut board = board.clone();
        let legal = self.moves.iter().all(|&way| board.step(way).is_some());
        legal && board.is_solved()
    }
}
