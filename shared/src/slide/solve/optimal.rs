//! Shortest solutions, by iterative-deepening A* (Korf 1985).

use crate::grid::Direction;
use crate::hint::{Budget, Unsolved};
use crate::slide::Board;
use crate::slide::parity::is_solvable;
use crate::slide::solve::tables::Tables;
use crate::slide::solve::{Solution, manhattan};

const WAYS: [Direction; 4] = [
    Direction::Left,
    Direction::Up,
    Direction::Right,
    Direction::Down,
];

/// Finds a shortest solution.
///
/// # Errors
/// [`Unsolved::Unsolvable`] for a board of the wrong class, [`Unsolved::OverBudget`] where
/// the budget is spent first.
pub fn optimal(board: &Board, budget: Budget, _tables: &Tables) -> Result<Solution, Unsolved> {
    if !is_solvable(board) {
        return Err(Unsolved::Unsolvable);
    }
    let mut search = Search {
        board: board.clone(),
        moves: Vec::new(),
        nodes: 0,
        budget: budget.0,
    };
    let mut limit = manhattan(board);
    loop {
        if search.deepen(limit)? {
            let len = u32::try_from(search.moves.len()).unwrap_or(u32::MAX);
            return Ok(Solution::new(search.moves, len, search.nodes));
        }
        limit += 2;
    }
}

struct Search {
    board: Board,
    moves: Vec<Direction>,
    nodes: u64,
    budget: u64,
}

impl Search {
    fn deepen(&mut self, left: u32) -> Result<bool, Unsolved> {
        if self.nodes == self.budget {
            return Err(Unsolved::OverBudget);
        }
        self.nodes += 1;
        if self.board.is_solved() {
            return Ok(true);
        }
        if manhattan(&self.board) > left {
            return Ok(false);
        }
        for way in WAYS {
            if self.moves.last() == Some(&way.opposite()) {
                continue;
            }
            let Some(played) = self.board.step(way) else {
                continue;
            };
            self.moves.push(way);
            if left > 0 && self.deepen(left - 1)? {
                return Ok(true);
            }
            self.moves.pop();
            self.board.undo(played);
        }
        Ok(false)
    }
}
