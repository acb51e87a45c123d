//! What a board needs: the optimum, or how near to it the solvers come.

use crate::hint::{Budget, Unsolved};
use crate::slide::Board;
use crate::slide::guide::has_shortest;
use crate::slide::solve::tables::Tables;
use crate::slide::solve::{Anytime, Improvement, Quality, solve};
use crate::standings::Best;

/// Nodes that the search for the optimum may take, with tables: a few seconds, a dozen
/// times what the hardest of 4×4 needs.
const OPTIMAL_BUDGET: Budget = Budget(40_000_000);
/// Nodes that the search for a short solution takes between two pauses: tens of
/// milliseconds, so that whoever waits for a hint doesn't wait for this.
const SLICE: Budget = Budget(200_000);
/// How many such slices at most: seconds on one core.
const SLICES: u32 = 25;

/// Finds out how many moves a board needs; see [`crate::hint::rate`].
///
/// # Errors
/// [`Unsolved::Unsolvable`].
pub fn rate(board: &Board, tables: &Tables, pause: &dyn Fn()) -> Result<Best, Unsolved> {
    if has_shortest(board, tables) {
        match solve(board, Quality::Optimal, OPTIMAL_BUDGET, tables) {
            Ok(solution) => return Ok(Best::of(solution.at_least(), solution.len())),
            Err(Unsolved::Unsolvable) => return Err(Unsolved::Unsolvable),
            Err(Unsolved::OverBudget) => pause(),
        }
    }
    let mut search = Anytime::new(board, tables)?;
    for _ in 0..SLICES {
        pause();
        match search.improve(SLICE) {
            Improvement::Better | Improvement::NotYet => {}
            Improvement::Finished => break,
        }
    }
    let best = search.best();
    Ok(Best::of(best.at_least(), best.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide::HeatSize;
    use std::cell::Cell;

    fn board(size: &str) -> Board {
        let size: HeatSize = size.parse().unwrap();
        size.board(&"friday".parse().unwrap())
    }

    #[test]
    fn small_boards_have_their_optimum() {
        let board = board("3x3");
        let best = rate(&board, &Tables::none(), &|| {}).unwrap();
        let optimum = solve(&board, Quality::Optimal, OPTIMAL_BUDGET, &Tables::none()).unwrap();
        assert_eq!(best, Best::of(optimum.len(), optimum.len()));
    }

    #[test]
    fn large_boards_have_a_bound_and_others_may_go_first() {
        let pauses = Cell::new(0);
        let pause = || pauses.set(pauses.get() + 1);
        let best = rate(&board("6x6"), &Tables::none(), &pause).unwrap();
        assert!(0 < best.at_least && best.at_least <= best.at_most);
        assert!(pauses.get() > 0);
    }

    #[test]
    fn a_board_of_the_wrong_class_has_no_rating() {
        let board: Board = "1 2 3/4 5 6/8 7 0".parse().unwrap();
        let rated = rate(&board, &Tables::none(), &|| {});
        assert_eq!(rated, Err(Unsolved::Unsolvable));
    }
}
