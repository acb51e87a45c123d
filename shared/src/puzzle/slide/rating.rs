//! Ratings of boards: the optimum, or bounds on it.

use crate::puzzle::counts::MoveBounds;
use crate::puzzle::slide::Board;
use crate::puzzle::slide::plan::has_shortest;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::solve::{AnytimeSearch, IdaStar, Improvement};
use crate::solver::budget::{Budget, Unsolved};

/// The node budget of the search for the optimum: several seconds, a dozen times what the hardest
/// 4×4 boards need with default tables.
const OPTIMAL_BUDGET: u64 = 100_000_000;
/// The nodes between two calls of `should_continue`: tens of milliseconds, so that a hint does not
/// wait for a rating.
const SLICE: Budget = Budget(200_000);
/// The maximum number of slices of the search for a short solution: seconds on one core.
const MAX_NEAR_SLICES: u32 = 50;

/// Bounds the number of moves that a board needs; see [`crate::solver::rating::rate`]. Returns
/// `None` when `should_continue` returns false.
pub fn rate(
    board: &Board,
    tables: &Tables,
    should_continue: &dyn Fn() -> bool,
) -> Result<Option<MoveBounds>, Unsolved> {
    let mut at_least = 0;
    if has_shortest(board, tables) {
        let mut search = IdaStar::new(board, tables)?;
        while search.nodes() < OPTIMAL_BUDGET {
            if let Some(shortest) = search.search(SLICE) {
                return Ok(Some(MoveBounds::of(shortest.at_least(), shortest.len())));
            }
            if !should_continue() {
                return Ok(None);
            }
        }
        at_least = search.at_least();
    }
    let mut search = AnytimeSearch::new(board, tables)?;
    for _ in 0..MAX_NEAR_SLICES {
        match search.improve(SLICE) {
            Improvement::Better | Improvement::NotYet => {}
            Improvement::Finished => break,
        }
        if !should_continue() {
            return Ok(None);
        }
    }
    let best = search.best();
    let at_least = best.at_least().max(at_least);
    Ok(Some(MoveBounds::of(at_least, best.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::SlideSpec;
    use crate::puzzle::slide::solve::optimal;
    use std::cell::Cell;

    fn board(size: &str) -> Board {
        let size: SlideSpec = size.parse().unwrap();
        size.board(&"friday".parse().unwrap())
    }

    #[test]
    fn small_boards_are_rated_with_their_optimum() {
        let board = board("3x3");
        let best = rate(&board, &Tables::none(), &|| true).unwrap();
        let optimum = optimal(&board, Budget(OPTIMAL_BUDGET), &Tables::none()).unwrap();
        assert_eq!(best, Some(MoveBounds::of(optimum.len(), optimum.len())));
    }

    #[test]
    fn large_boards_are_rated_with_bounds_in_slices() {
        let pauses = Cell::new(0);
        let pause = || {
            pauses.set(pauses.get() + 1);
            true
        };
        let best = rate(&board("5x4"), &Tables::none(), &pause).unwrap();
        let best = best.unwrap();
        assert!(0 < best.at_least && best.at_least <= best.at_most);
        assert!(pauses.get() <= MAX_NEAR_SLICES);
    }

    #[test]
    fn rating_stops_when_it_is_told_to() {
        // The first size is searched for the optimum, which takes long without tables; the second
        // for a short solution.
        for size in ["4x4", "6x6"] {
            for last in 1..4 {
                let looks = Cell::new(0);
                let should_continue = || {
                    looks.set(looks.get() + 1);
                    looks.get() < last
                };
                assert_eq!(rate(&board(size), &Tables::none(), &should_continue), Ok(None));
                assert_eq!(looks.get(), last, "{size}");
            }
        }
    }

    #[test]
    fn unsolvable_boards_have_no_rating() {
        let board: Board = "1 2 3/4 5 6/8 7 0".parse().unwrap();
        let rated = rate(&board, &Tables::none(), &|| true);
        assert_eq!(rated, Err(Unsolved::Unsolvable));
    }
}
