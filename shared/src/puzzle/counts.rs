//! Counts of every family: moves, bounds on moves, efficiency.

use serde::{Deserialize, Serialize};

/// A count of moves, in the two ways in which each family's players count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MoveCount {
    /// Moves by which solutions are compared. Of the sliding puzzle: single-tile moves, so
    /// that a slide of three tiles counts three. Of Numberlink: strokes of another number
    /// than the last.
    pub moves: u32,
    /// What was played, move by move. Of the sliding puzzle: multi-tile moves. Of
    /// Numberlink: strokes.
    pub acts: u32,
}

/// Bounds on the fewest moves that solve a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveBounds {
    pub at_least: u32,
    /// Moves of the best known solution: the optimum if equal to `at_least`.
    pub at_most: u32,
}

/// A player's moves as a multiple of the best known solution, in hundredths: 246 for 2.46.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Efficiency(pub u32);

impl MoveBounds {
    /// Makes bounds; a lower bound above the upper one is reduced to it.
    pub fn of(at_least: u32, at_most: u32) -> Self {
        Self { at_least: at_least.min(at_most), at_most }
    }

    /// Returns true if the optimum is known.
    pub const fn is_optimal(self) -> bool {
        self.at_least == self.at_most
    }

    /// Returns the efficiency of `moves`, rounded up, so that only the best has 1.00.
    ///
    /// ```
    /// use gridrace_shared::puzzle::{Efficiency, MoveBounds};
    /// let best = MoveBounds::of(50, 52);
    /// assert_eq!(best.efficiency_of(128), Some(Efficiency(247)));
    /// assert_eq!(Efficiency(247).to_string(), "2.47");
    /// ```
    pub fn efficiency_of(self, moves: u32) -> Option<Efficiency> {
        if self.at_most == 0 {
            return None;
        }
        let hundredths = (u64::from(moves) * 100).div_ceil(u64::from(self.at_most));
        u32::try_from(hundredths).ok().map(Efficiency)
    }
}

impl std::fmt::Display for Efficiency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}.{:02}", self.0 / 100, self.0 % 100))
    }
}

/// What of a board is done, piece by piece, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceProgress {
    pub done: u16,
    pub of: u16,
    pub covered: u16,
    pub cells: u16,
}

/// Shows the links, `5/8`.
impl std::fmt::Display for PieceProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}/{}", self.done, self.of))
    }
}

impl std::ops::AddAssign for MoveCount {
    fn add_assign(&mut self, more: Self) {
        self.moves = self.moves.saturating_add(more.moves);
        self.acts = self.acts.saturating_add(more.acts);
    }
}
