//! A solver's plan as hints and bots follow it.

use crate::grid::Direction;
use crate::hint::{Aim, Budget, Hint, MOVES_AHEAD, Unsolved};
use crate::puzzle::Move;
use crate::slide::Board;
use crate::slide::solve::tables::Tables;
use crate::slide::solve::{Quality, Solution, manhattan, solve};
use serde::{Deserialize, Serialize};

/// Boards of so many cells have their shortest solution found without tables, within a
/// few ten thousand nodes.
const CELLS_WITHOUT_TABLES: usize = 9;
/// How many single-tile moves ahead a board is looked for: whoever plays on that long
/// without asking has a way of their own, and it bounds the time that looking takes.
const SEEN_AHEAD: usize = 512;

/// A whole way home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guide {
    /// The board on the way for which the last hint was given.
    here: Board,
    /// The single-tile moves from `here` to the end, the next one last.
    ahead: Vec<Direction>,
    /// No way home from `here` has fewer moves.
    at_least: u32,
}

impl Guide {
    /// Plans from a board; see [`crate::hint::Guide::plan`].
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within the budget.
    pub fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        tables: &Tables,
    ) -> Result<Self, Unsolved> {
        let solution = solution(board, aim, budget, tables)?;
        let ahead = solution.moves().iter().rev().copied().collect();
        Ok(Self {
            here: board.clone(),
            ahead,
            at_least: solution.at_least(),
        })
    }

    /// Returns the hint for a board that lies ahead on the way; nothing for any other.
    pub fn next(&mut self, board: &Board) -> Option<Hint> {
        let passed = self.steps_to(board)?;
        self.ahead.truncate(self.ahead.len() - passed);
        // A move brings home nearer by one at most.
        let known = self.at_least.saturating_sub(count(passed));
        self.at_least = known.max(manhattan(board));
        self.here = board.clone();
        let mut moves = self.moves();
        let play = moves.next()?;
        let then = moves.take(MOVES_AHEAD).collect();
        Some(Hint {
            play,
            then,
            at_least: self.at_least,
            at_most: count(self.ahead.len()),
        })
    }

    /// Returns how many moves are left from a board ahead on the way.
    #[must_use]
    pub fn remaining(&self, board: &Board) -> Option<u32> {
        let passed = self.steps_to(board)?;
        Some(count(self.ahead.len() - passed))
    }

    /// Says whether no way home is shorter than what is left of this one.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        self.at_least == count(self.ahead.len())
    }

    /// Makes the guide for a board no longer than going back and following the guide for
    /// the board before the last move, and says how many moves further from home the move
    /// has led; nothing where no move leads from there to here.
    #[must_use]
    pub fn compare(now: Self, before: &Self) -> (Self, Option<i32>) {
        let Some((back, steps)) = now.way_back(before) else {
            return (now, None);
        };
        let old = count(before.ahead.len());
        // The old way may come by here, or has to be gone back to.
        let (mut ahead, steps_back) = match before.steps_to(&now.here) {
            Some(passed) => (before.ahead[..before.ahead.len() - passed].to_vec(), 0),
            None => (before.ahead.clone(), steps),
        };
        ahead.extend(std::iter::repeat_n(back, steps_back));
        let now = if ahead.len() < now.ahead.len() {
            Self { ahead, ..now }
        } else {
            now
        };
        let new = count(now.ahead.len());
        // In the other direction, too: before the move one could have made it.
        let old = old.min(new + count(steps));
        (now, i32::try_from(i64::from(new) - i64::from(old)).ok())
    }

    /// Returns the move that leads back from here to another guide's board.
    fn way_back(&self, before: &Self) -> Option<(Direction, usize)> {
        let mut board = self.here.clone();
        let played = board.play(before.here.blank()).ok()?;
        let steps = usize::from(played.tiles);
        (board == before.here).then_some((played.direction, steps))
    }

    /// Counts the moves from `here` to a board ahead on the way.
    fn steps_to(&self, board: &Board) -> Option<usize> {
        let mut on_way = self.here.clone();
        if on_way == *board {
            return Some(0);
        }
        for (steps, &direction) in (1..).zip(self.ahead.iter().rev().take(SEEN_AHEAD)) {
            on_way.step(direction)?;
            if on_way == *board {
                return Some(steps);
            }
        }
        None
    }

    /// Returns the moves of the way, each as far as it goes straight on.
    fn moves(&self) -> impl Iterator<Item = Move> {
        let mut board = self.here.clone();
        let steps: Vec<Direction> = self.ahead.iter().rev().take(SEEN_AHEAD).copied().collect();
        let runs: Vec<(Direction, usize)> = steps
            .chunk_by(|one, next| one == next)
            .filter_map(|run| Some((*run.first()?, run.len())))
            .collect();
        runs.into_iter().map_while(move |(direction, tiles)| {
            let size = board.size();
            let cell = (0..tiles).try_fold(board.blank(), |cell, _| {
                size.neighbour(cell, direction.opposite())
            })?;
            board.play(cell).ok()?;
            Some(Move::Slide(cell))
        })
    }
}

/// Solves a board as well as the aim, the tables and the budget allow.
fn solution(
    board: &Board,
    aim: Aim,
    budget: Budget,
    tables: &Tables,
) -> Result<Solution, Unsolved> {
    match aim {
        Aim::Plain => solve(board, Quality::Quick, budget, tables),
        Aim::Short => solve(board, Quality::Near, budget, tables),
        Aim::Shortest if !has_shortest(board, tables) => {
            solve(board, Quality::Near, budget, tables)
        }
        Aim::Shortest => match solve(board, Quality::Optimal, budget, tables) {
            Err(Unsolved::OverBudget) => solve(board, Quality::Near, budget, tables),
            found @ (Ok(_) | Err(Unsolved::Unsolvable)) => found,
        },
    }
}

/// Says whether looking for a shortest solution is worth the nodes.
pub(super) fn has_shortest(board: &Board, tables: &Tables) -> bool {
    let size = board.size();
    size.cells() <= CELLS_WITHOUT_TABLES || tables.best(size).is_some()
}

fn count(moves: usize) -> u32 {
    u32::try_from(moves).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
