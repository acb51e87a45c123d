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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::HINT_BUDGET;
    use crate::slide::HeatSize;
    use proptest::prelude::*;

    fn board(rows: usize, cols: usize, seed: u32) -> Board {
        let size: HeatSize = format!("{rows}x{cols}").parse().unwrap();
        size.board(&format!("s{seed}").parse().unwrap())
    }

    fn play(board: &mut Board, hint: Hint) -> u32 {
        let Move::Slide(cell) = hint.play;
        board.play(cell).unwrap().tiles.into()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn whoever_follows_guides_to_their_ends_gets_home(
            rows in 2usize..6, cols in 2usize..6, seed in 0u32..1_000, sight in 0u8..7,
        ) {
            let mut board = board(rows, cols, seed);
            let mut bound = u32::MAX;
            while !board.is_solved() {
                let mut guide = Guide::plan(&board, sight, HINT_BUDGET).unwrap();
                while let Some(hint) = guide.next(&board) {
                    prop_assert!(hint.remaining <= bound, "a new plan is never the longer one");
                    bound = hint.remaining - play(&mut board, hint);
                }
            }
            prop_assert_eq!(bound, 0);
        }

        #[test]
        fn only_boards_ahead_on_the_way_have_a_hint(seed in 0u32..1_000) {
            let start = board(4, 4, seed);
            let guide = Guide::plan(&start, 0, HINT_BUDGET).unwrap();
            let Some(first) = guide.clone().next(&start) else { return Ok(()) };
            let mut ahead = start.clone();
            play(&mut ahead, first);
            prop_assert_eq!(guide.clone().next(&ahead), {
                let mut stepwise = guide.clone();
                stepwise.next(&start);
                stepwise.next(&ahead)
            });
            let aside = start.legal_moves().find(|&cell| Move::Slide(cell) != first.play
                && start.slide_of(cell).unwrap().1 != *guide.ahead.last().unwrap());
            if let Some(cell) = aside {
                let mut off = start.clone();
                off.play(cell).unwrap();
                // The way may come by later on, but never backwards.
                let hint = guide.clone().next(&off);
                prop_assert!(hint.is_none_or(|hint| hint.remaining < first.remaining));
            }
        }
    }
}
