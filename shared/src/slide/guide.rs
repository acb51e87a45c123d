//! A solver's plan as hints and bots follow it.

use crate::grid::{Cell, Direction};
use crate::hint::{Budget, Hint, Unsolved};
use crate::puzzle::Move;
use crate::slide::Board;
use crate::slide::solve::{constructive, shorten};
use serde::{Deserialize, Serialize};

/// A stretch of a plan, up to the end of the stage in which it is taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guide {
    /// The board on the way at which the last hint was given.
    here: Board,
    /// The single-tile moves from `here` to the end of the stretch, the next one last.
    ahead: Vec<Direction>,
    /// How many moves the plan has after the stretch.
    beyond: u32,
}

impl Guide {
    /// Plans from a board; see [`crate::hint::Guide::plan`].
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within the budget.
    pub fn plan(board: &Board, sight: u8, budget: Budget) -> Result<Self, Unsolved> {
        let solution = constructive(board, budget)?;
        let better = shorten(board, solution.moves(), sight, budget);
        let taken_up = better.replaces;
        let end = solution
            .stages()
            .iter()
            .copied()
            .find(|&stage| stage >= taken_up.max(1));
        let end = end.unwrap_or(solution.moves().len());
        let mut ahead = better.beginning;
        ahead.extend(&solution.moves()[taken_up..end]);
        ahead.reverse();
        let beyond = u32::try_from(solution.moves().len() - end).unwrap_or(u32::MAX);
        Ok(Self {
            here: board.clone(),
            ahead,
            beyond,
        })
    }

    /// Returns the hint for a board that lies ahead on the way; nothing for any other.
    pub fn next(&mut self, board: &Board) -> Option<Hint> {
        let passed = self.steps_to(board)?;
        self.here = board.clone();
        self.ahead.truncate(self.ahead.len() - passed);
        let remaining = self.beyond + u32::try_from(self.ahead.len()).ok()?;
        let play = Move::Slide(self.tile_to_slide()?);
        Some(Hint { play, remaining })
    }

    /// Counts the moves from `here` to a board ahead on the way.
    fn steps_to(&self, board: &Board) -> Option<usize> {
        let mut on_way = self.here.clone();
        for (steps, &direction) in self.ahead.iter().rev().enumerate() {
            if on_way == *board {
                return Some(steps);
            }
            let cell = on_way.cell_for(direction)?;
            on_way.play(cell).ok()?;
        }
        None
    }

    /// Returns the tile that makes all moves of the way up to its next turn at once.
    fn tile_to_slide(&self) -> Option<Cell> {
        let &direction = self.ahead.last()?;
        let straight = self
            .ahead
            .iter()
            .rev()
            .take_while(|&&next| next == direction);
        straight.into_iter().try_fold(self.here.blank(), |cell, _| {
            self.here.size().neighbour(cell, direction.opposite())
        })
    }
}
