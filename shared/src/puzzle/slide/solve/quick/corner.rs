//! Solves the corner that is left when the lines around it are finished, by a beam over whole corners.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::near_optimal::{
    Beam, BeamStatus, BeamWidth, Geometry, corner_tiles,
};
use crate::puzzle::slide::solve::tables::Tables;
use crate::solver::budget::Unsolved;
use crate::util::grid::{Cell, Size};

/// The boards that a beam keeps at first.
const FIRST_WIDTH: usize = 8;
/// Near the goal it keeps this percentage of the cells, and at least these.
const LAST_WIDTH_PERCENT: usize = 80;
const LEAST_LAST_WIDTH: usize = 128;
/// The width grows with this power of how far the boards have come.
const WIDTH_POWER: u32 = 3;

/// With more cells than this, and farther from home than this on average, the beam would take most of the
/// time. There it stays narrow for longer: 16×16 takes two thirds of the time and 4 % more moves than with
/// the width above.
const LARGE_BOARD_CELLS: usize = 200;
const FAR: usize = 3;
const LARGE_BOARD_LAST_WIDTH_PERCENT: usize = 70;
const LARGE_BOARD_WIDTH_POWER: u32 = 16;

/// Solves the cells to the right of a cell and below it, at most
/// [`MAX_CELLS`](crate::puzzle::slide::solve::near_optimal::MAX_CELLS), and returns whether it found a
/// solution. If not, it leaves the best board that it has seen.
pub(super) fn solve_corner(carrier: &mut TileCarrier, corner: Cell) -> Result<bool, Unsolved> {
    if carrier.board.is_solved() {
        return Ok(true);
    }
    let (size, tiles) = corner_tiles(&carrier.board, corner);
    let geometry = Geometry::new(size, &Tables::none());
    let width = beam_width(size, carrier.board.manhattan_distance() as usize);
    let mut beam = Beam::new(&geometry, tiles, width, u32::MAX);
    // The other half is for the lines, if it finds nothing.
    let granted = carrier.search_budget() / 2;
    let mut left = granted;
    let status = beam.advance(&geometry, &mut left);
    carrier.spend(granted - left);
    let (moves, is_solved) = match status {
        BeamStatus::Found(moves) => (moves, true),
        BeamStatus::Running | BeamStatus::Exhausted { .. } => (beam.path_to_best(), false),
    };
    moves.into_iter().try_for_each(|way| carrier.step(way))?;
    Ok(is_solved)
}

/// Returns the width for a corner whose tiles are at a distance from home.
fn beam_width(size: Size, distance: usize) -> BeamWidth {
    let cells = size.cells();
    let (percent, power) = if cells > LARGE_BOARD_CELLS && distance > FAR * cells {
        (LARGE_BOARD_LAST_WIDTH_PERCENT, LARGE_BOARD_WIDTH_POWER)
    } else {
        (LAST_WIDTH_PERCENT, WIDTH_POWER)
    };
    let last = cells * percent / 100;
    BeamWidth::growing([FIRST_WIDTH, last.max(LEAST_LAST_WIDTH)], power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::solver::budget::Budget;

    #[test]
    fn a_corner_is_solved_with_enough_budget_else_improved() {
        let board = scrambled(7, 8, 1);
        let mut carrier = TileCarrier::new(board.clone(), Budget(10_000_000));
        assert_eq!(solve_corner(&mut carrier, Cell(0)), Ok(true));
        assert!(carrier.solution(&board).solves(&board));

        let mut carrier = TileCarrier::new(board.clone(), Budget(40_000));
        assert_eq!(solve_corner(&mut carrier, Cell(0)), Ok(false));
        assert!((9_990..10_000 + 300).contains(&carrier.nodes), "{}", carrier.nodes);
        assert!(carrier.board.manhattan_distance() < board.manhattan_distance());
    }
}
