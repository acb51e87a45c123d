//! The answer on one board: its solution, checked, or why there is none.

use super::search::{Found, NotFound, OPTIMAL_CELLS, Searches};
use crate::commands::check;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::reachability::Reachability;
use gridrace_shared::puzzle::slide::solve::Solution;
use gridrace_shared::util::grid::Size;

/// A solution, and its moves counted by the rules of a heat.
pub struct Answer {
    pub found: Found,
    pub moves: MoveCount,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("this board can't be solved: {0}")]
    Unsolvable(String),
    #[error("--metric mtm takes boards of up to {OPTIMAL_CELLS} cells, and this one is {0}")]
    TooLarge(Size),
    #[error("the budget was spent before one was found{}", proven(*.0))]
    OverBudget(u32),
    /// Ctrl-C came first.
    #[error("interrupted{}", proven(*.0))]
    Interrupted(u32),
    /// The solver gave moves that don't solve it.
    #[error("the moves don't solve the board: this is a fault of the program")]
    Wrong,
}

/// Solves a board, and plays the moves by the rules of a heat.
pub fn answer(board: &Board, searches: &Searches) -> Result<Answer, NoAnswer> {
    let found = searches.solve(board).map_err(|not_found| match not_found {
        NotFound::Unsolvable => NoAnswer::Unsolvable(why_unsolvable(board, searches.goal())),
        NotFound::TooLarge => NoAnswer::TooLarge(board.size()),
        NotFound::OverBudget { at_least } => NoAnswer::OverBudget(at_least),
        NotFound::Interrupted { at_least } => NoAnswer::Interrupted(at_least),
    })?;
    let moves = count_moves(board, searches.goal(), &found.solution).ok_or(NoAnswer::Wrong)?;
    Ok(Answer { found, moves })
}

/// Plays the moves, each run in one direction as one slide, and counts them. None if one of them
/// is illegal or they end elsewhere than at the goal, the board in order or another.
pub fn count_moves(board: &Board, goal: Option<&Board>, solution: &Solution) -> Option<MoveCount> {
    let (mut board, mut moves) = (board.clone(), MoveCount::default());
    for run in solution.moves().chunk_by(|one, next| one == next) {
        let back = run[0].opposite();
        let cell =
            run.iter().try_fold(board.blank(), |cell, _| board.size().neighbour(cell, back))?;
        moves += MoveCount { moves: board.play(cell).ok()?.tiles.into(), acts: 1 };
    }
    let there = goal.map_or_else(|| board.is_solved(), |goal| board == *goal);
    there.then_some(moves)
}

/// Says what is proven of all solutions, where something is.
fn proven(at_least: u32) -> String {
    match at_least {
        0 => String::new(),
        moves => format!("; every solution has {moves} moves or more"),
    }
}

/// Says why a board can't be solved: for the board in order by parity.
pub fn why_unsolvable(board: &Board, goal: Option<&Board>) -> String {
    let size = board.size();
    match goal {
        Some(goal) if goal.size() != size => {
            return format!("it is {size}, and the goal is {}", goal.size());
        }
        Some(goal) if !goal.is_solved() => {
            let why = check::why(&Reachability::of(board, goal));
            return format!("no moves lead from it to the goal: {why}");
        }
        Some(_) | None => {}
    }
    if size.rows() == 1 || size.cols() == 1 {
        return "in a single row or column no tile passes another, and these aren't in order"
            .to_owned();
    }
    let counts = Reachability::of(board, &Board::solved(size)).from;
    let (swaps, steps) = (counts.swaps, counts.blank_steps);
    format!(
        "swaps that bring everything home: {swaps}, steps of the blank to its own: {steps}; \
         {swaps} + {steps} is odd, and no move changes that"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsolvable_board_is_explained_by_parity() {
        let why = |text: &str| why_unsolvable(&text.parse().unwrap(), None);
        assert!(why("2 1/3 0").contains("1 + 0 is odd"), "{}", why("2 1/3 0"));
        assert!(why("2 1 0").contains("single row"));
    }
}
