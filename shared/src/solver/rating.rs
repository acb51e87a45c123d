//! Ratings: how many moves a board needs.

use crate::puzzle::{Board, MoveBounds, slide};
use crate::solver::budget::Unsolved;
use crate::solver::plan::SolverResources;

/// Finds out how many moves a board needs, as well as that is possible at a
/// cost that pays once a heat. `go_on` is called every tens of milliseconds: others may go
/// first, and where it says no, that is the end, and nothing has been found out.
///
/// # Errors
/// [`Unsolved::Unsolvable`].
pub fn rate(
    board: &Board,
    solvers: &SolverResources,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<MoveBounds>, Unsolved> {
    match board {
        Board::Slide(board) => slide::rate(board, &solvers.slide, go_on),
        // Each link needs a move of its own, and whoever knows their courses no more.
        Board::Link(drawing) => {
            let pairs = drawing.puzzle().pairs().len();
            let pairs = u32::try_from(pairs).unwrap_or(u32::MAX);
            Ok(Some(MoveBounds::of(pairs, pairs)))
        }
    }
}
