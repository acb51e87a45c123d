//! The answer on one board: its solution, checked, or why there is none.

use super::search::{FoundSolution, NotFound, OPTIMAL_CELLS, Searches};
use crate::commands::check;
use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::reachability::Reachability;
use gridrace_shared::puzzle::slide::solve::Solution;
use gridrace_shared::util::grid::Size;

/// A solution, and its moves counted by the rules of a heat.
pub struct SlideAnswer {
    pub found: FoundSolution,
    pub moves: MoveCount,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("this board can't be solved: {0}")]
    Unsolvable(String),
    #[error("--metric mtm takes boards of up to {OPTIMAL_CELLS} cells, and this one is {0}")]
    TooLarge(Size),
    #[error("the budget was spent before a solution was found{}", proven(*.0))]
    OverBudget(u32),
    /// Ctrl-C came first.
    #[error("interrupted{}", proven(*.0))]
    Interrupted(u32),
    /// The solver gave moves that don't solve it.
    #[error("the moves don't solve the board: this is a fault of the program")]
    Wrong,
}

/// Solves a board, and plays the moves by the rules of a heat.
pub fn answer(board: &Board, searches: &Searches) -> Result<SlideAnswer, AnswerError> {
    let found = searches.solve(board).map_err(|not_found| match not_found {
        NotFound::Unsolvable => AnswerError::Unsolvable(why_unsolvable(board, searches.goal())),
        NotFound::TooLarge => AnswerError::TooLarge(board.size()),
        NotFound::OverBudget { at_least } => AnswerError::OverBudget(at_least),
        NotFound::Interrupted { at_least } => AnswerError::Interrupted(at_least),
    })?;
    let moves = count_moves(board, searches.goal(), &found.solution).ok_or(AnswerError::Wrong)?;
    Ok(SlideAnswer { found, moves })
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

/// Says why no moves lead from a board to the goal, or to the board in order.
pub fn why_unsolvable(board: &Board, goal: Option<&Board>) -> String {
    let solved = Board::solved(board.size());
    let to = if goal.is_some() { "the goal" } else { "the one in order" };
    let compared = Reachability::of(board, goal.unwrap_or(&solved));
    format!("no moves lead from it to {to}: {}", check::why(&compared))
}
