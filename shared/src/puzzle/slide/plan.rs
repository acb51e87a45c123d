//! A solver's plan as hints and bots follow it.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::solve::{
    IdaStar, Quality, Solution, StageMoves, constructive, constructive_by_stages, solve,
};
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::util::grid::{Cell, Direction};
use serde::{Deserialize, Serialize};

/// How many moves a hint shows beyond the next one: what a glance can keep in mind.
pub const MOVES_AHEAD: usize = 4;

/// Budget of judging the last move where the shortest way is known: some 8 ms.
pub(super) const JUDGE_BUDGET: Budget = Budget(120_000);

/// Boards of up to this many cells have their shortest solution found without tables, within a
/// few ten thousand nodes.
const CELLS_WITHOUT_TABLES: usize = 9;
/// How many single-tile moves ahead a board is looked for: a player who plays on that long
/// without asking has a way of their own, and it bounds the time that looking takes.
const SEEN_AHEAD: usize = 512;

/// Nodes that the search for a short way takes at most, whatever the budget: some 20 ms,
/// after which more of them save few moves.
const NEAR_MOST: u64 = 300_000;
/// The same where the search for a shortest way has spent its budget before.
const NEAR_AFTER_ALL: u64 = 100_000;
/// Nodes after which a search is asked what it knows by now: a millisecond.
const SLICE: u64 = 16_384;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlideHint {
    pub play: Cell,
    /// Those after it, the nearest first; [`MOVES_AHEAD`] at most.
    pub then: Vec<Cell>,
    /// How many single-tile moves every way home has from here, `play` included.
    pub at_least: u32,
    /// How many the solver's way has. No way is shorter where it is as many as `at_least`.
    pub at_most: u32,
    /// In a hint by method the stage of the moves, and how many single-tile moves are left of it.
    pub stage: Option<StageMoves>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlidePlan {
    /// The board on the way for which the last hint was given.
    here: Board,
    /// The single-tile moves from `here` to the end, the next one last.
    ahead: Vec<Direction>,
    /// No way home from `here` has fewer moves.
    at_least: u32,
    /// Of a plan by method, the stages of the moves ahead, the next one last.
    stages: Vec<StageMoves>,
}

impl SlidePlan {
    /// Plans from a board; see [`crate::solver::plan::Plan::plan`]. Adds the search nodes to
    /// `spent`.
    ///
    /// # Errors
    /// [`Unsolved`] if there is no solution, or none within the budget.
    pub fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        tables: &Tables,
        spent: &mut NodesUsed,
    ) -> Result<Self, Unsolved> {
        let (solution, at_least) = solution(board, aim, budget, tables, spent)?;
        let ahead = solution.moves().iter().rev().copied().collect();
        Ok(Self { here: board.clone(), ahead, at_least, stages: Vec::new() })
    }

    /// Plans by a person's method, with its stages. Each stage is the method's first one that the
    /// board still needs, so a player who left the way is led on from the board as it is.
    ///
    /// # Errors
    /// [`Unsolved`] if there is no solution, or its moves are more than the budget.
    pub fn by_method(
        board: &Board,
        budget: Budget,
        spent: &mut NodesUsed,
    ) -> Result<Self, Unsolved> {
        let (solution, mut stages) = constructive_by_stages(board, budget)?;
        spent.0 += solution.nodes();
        stages.reverse();
        let ahead = solution.moves().iter().rev().copied().collect();
        Ok(Self { here: board.clone(), ahead, at_least: solution.at_least(), stages })
    }

    /// Returns the hint for a board that lies ahead on the way; nothing for any other.
    pub fn next(&mut self, board: &Board) -> Option<SlideHint> {
        let passed = self.steps_to(board)?;
        self.ahead.truncate(self.ahead.len() - passed);
        self.pass_stages(passed);
        // A move brings home nearer by one at most.
        let known = self.at_least.saturating_sub(count(passed));
        self.at_least = known.max(board.manhattan_distance());
        self.here = board.clone();
        let stage = self.stages.last().copied();
        let mut moves = self.moves(stage.map_or(SEEN_AHEAD, |stage| stage.moves as usize));
        let play = moves.next()?;
        let then = moves.take(MOVES_AHEAD).collect();
        let (at_least, at_most) = (self.at_least, count(self.ahead.len()));
        Some(SlideHint { play, then, at_least, at_most, stage })
    }

    /// Drops what was played of the stages ahead.
    fn pass_stages(&mut self, passed: usize) {
        let mut passed = count(passed);
        while let Some(stage) = self.stages.last_mut() {
            if passed < stage.moves {
                stage.moves -= passed;
                return;
            }
            passed -= stage.moves;
            self.stages.pop();
        }
    }

    /// Returns how many moves are left from a board ahead on the way.
    pub fn remaining(&self, board: &Board) -> Option<u32> {
        let passed = self.steps_to(board)?;
        Some(count(self.ahead.len() - passed))
    }

    /// Says whether no way home is shorter than what is left of this one.
    pub fn is_shortest(&self) -> bool {
        self.at_least == count(self.ahead.len())
    }

    /// Says how many moves further from home the move has led that leads from `before` to
    /// here, and takes the way from there where it turns out to be the shorter one. Nothing
    /// where no move leads from there to here, or the budget doesn't tell. Where this way
    /// isn't known to be the shortest, a short one from there is looked for with as much
    /// work as this one had. Counts what it takes.
    #[must_use]
    pub fn judge(
        self,
        before: &Board,
        budget: Budget,
        tables: &Tables,
        spent: &mut NodesUsed,
    ) -> (Self, Option<i32>) {
        let Some((back, steps)) = self.way_back(before) else {
            return (self, None);
        };
        if self.is_shortest() {
            let further = self.further_than(before, steps, budget, tables, spent);
            return (self, further);
        }
        let most = if has_shortest(before, tables) { NEAR_AFTER_ALL } else { NEAR_MOST };
        match Self::plan(before, Aim::Short, Budget(most), tables, spent) {
            Ok(from_before) => self.compare(&from_before, back, steps),
            Err(_) => (self, None),
        }
    }

    /// Judges a move of several tiles from what the board before it needs at least: that is
    /// found out without the search's last and longest stretch where the move was good.
    fn further_than(
        &self,
        before: &Board,
        steps: usize,
        budget: Budget,
        tables: &Tables,
        spent: &mut NodesUsed,
    ) -> Option<i32> {
        let (now, steps) = (count(self.ahead.len()), count(steps));
        let most = now + steps;
        let mut search = IdaStar::new(before, tables).ok()?;
        let was = loop {
            if search.at_least() >= most {
                break most;
            }
            let used = search.nodes();
            let left = budget.0.checked_sub(used).filter(|&left| left > 0)?;
            let found = search.search(Budget(left.min(SLICE)));
            spent.0 += search.nodes() - used;
            if let Some(solution) = found {
                break solution.len();
            }
        };
        i32::try_from(i64::from(now) - i64::from(was)).ok()
    }

    /// Judges a move by two plans, none of them known to be the shortest, and keeps to the
    /// shorter one: here one could have come from there, and go back.
    fn compare(self, before: &Self, back: Direction, steps: usize) -> (Self, Option<i32>) {
        let old = count(before.ahead.len());
        // The old way may come by here, or has to be gone back to.
        let (mut ahead, steps_back) = match before.steps_to(&self.here) {
            Some(passed) => (before.ahead[..before.ahead.len() - passed].to_vec(), 0),
            None => (before.ahead.clone(), steps),
        };
        ahead.extend(std::iter::repeat_n(back, steps_back));
        let now = if ahead.len() < self.ahead.len() { Self { ahead, ..self } } else { self };
        let new = count(now.ahead.len());
        let old = old.min(new + count(steps));
        (now, i32::try_from(i64::from(new) - i64::from(old)).ok())
    }

    /// Returns the move that leads back from here, by its direction and tiles.
    fn way_back(&self, before: &Board) -> Option<(Direction, usize)> {
        let mut board = self.here.clone();
        let played = board.play(before.blank()).ok()?;
        let steps = usize::from(played.tiles);
        (board == *before).then_some((played.direction, steps))
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

    /// Returns the moves of the way's next single-tile moves, each as far as it goes straight on.
    fn moves(&self, steps: usize) -> impl Iterator<Item = Cell> {
        let mut board = self.here.clone();
        let steps = steps.min(SEEN_AHEAD);
        let steps: Vec<Direction> = self.ahead.iter().rev().take(steps).copied().collect();
        let runs: Vec<(Direction, usize)> = steps
            .chunk_by(|one, next| one == next)
            .filter_map(|run| Some((*run.first()?, run.len())))
            .collect();
        runs.into_iter().map_while(move |(direction, tiles)| {
            let size = board.size();
            let cell = (0..tiles)
                .try_fold(board.blank(), |cell, _| size.neighbour(cell, direction.opposite()))?;
            board.play(cell).ok()?;
            Some(cell)
        })
    }
}

/// Solves a board as well as the aim, the tables and the budget allow, and says how many
/// moves every solution has at least.
fn solution(
    board: &Board,
    aim: Aim,
    budget: Budget,
    tables: &Tables,
    spent: &mut NodesUsed,
) -> Result<(Solution, u32), Unsolved> {
    let mut known = |solution: Solution| {
        spent.0 += solution.nodes();
        let at_least = solution.at_least();
        (solution, at_least)
    };
    let near = |most| solve(board, Quality::Near, Budget(budget.0.min(most)), tables);
    match aim {
        Aim::Plain => constructive(board, budget).map(known),
        Aim::Shortest if has_shortest(board, tables) => {
            let mut search = IdaStar::new(board, tables)?;
            if let Some(shortest) = search.search(budget) {
                return Ok(known(shortest));
            }
            let (solution, at_least) = near(NEAR_AFTER_ALL).map(&mut known)?;
            spent.0 += search.nodes();
            Ok((solution, at_least.max(search.at_least())))
        }
        Aim::Short | Aim::Shortest => near(NEAR_MOST).map(known),
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
