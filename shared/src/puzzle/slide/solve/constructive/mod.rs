//! The constructive solver: solves any M×N board line by line, as people do, in linear memory.
//!
//! While three rows remain, the top row is solved from left to right, its last two tiles together:
//! the last but one is parked at the row's end, the last one below it, then both are rotated in.
//! The last two rows are solved column by column in the same way, and the last three tiles by a
//! search. Each tile takes the cheapest route around the finished ones. In the worst case
//! Parberry's greedy method ("A real-time algorithm for the (n²−1)-puzzle", 1995) needs 5n³ moves;
//! this is the same idea.

mod local_bfs;
pub(super) mod route;
mod stages;

pub use stages::{ConstructiveStage, Line, StageMoves};

use crate::puzzle::slide::board::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Size};

/// Solves a board of any size; a node is a move.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::constructive};
/// let board: Board = "5 3 1/0 2 4".parse()?;
/// assert!(constructive(&board, Budget(1_000))?.solves(&board));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] for an unsolvable board, [`Unsolved::OverBudget`] when more moves are
/// needed than the budget has nodes.
pub fn constructive(board: &Board, budget: Budget) -> Result<Solution, Unsolved> {
    constructive_by_stages(board, budget).map(|(solution, _)| solution)
}

/// Solves a board of any size, and names the stages of the method with their moves, in order. Stages
/// that need no move are left out.
///
/// # Errors
/// Those of [`constructive()`].
pub fn constructive_by_stages(
    board: &Board,
    budget: Budget,
) -> Result<(Solution, Vec<StageMoves>), Unsolved> {
    if !is_solvable(board) {
        return Err(Unsolved::Unsolvable);
    }
    let mut carrier = TileCarrier::new(board.clone(), budget);
    let size = board.size();
    if size.rows() == 1 || size.cols() == 1 {
        carrier.walk_blank(size.last(), &[])?;
        carrier.end_stage(ConstructiveStage::SingleLine);
    } else {
        restore(&mut carrier, size)?;
    }
    let stages = carrier.take_stages();
    Ok((carrier.solution(board), stages))
}

/// Solves what is unsolved; locked tiles at home cost nothing.
pub(super) fn restore(carrier: &mut TileCarrier, size: Size) -> Result<(), Unsolved> {
    let (last_row, last_col) = (size.rows() - 1, size.cols() - 1);
    for row in 0..size.rows() - 2 {
        let line = Line::Row(row as u16 + 1);
        for col in 0..last_col - 1 {
            let home = size.cell(row, col);
            carrier.carry(home, home)?;
            carrier.lock(home);
            carrier.end_stage(ConstructiveStage::Tile { tile: tile_of(home), line });
        }
        restore_pair(carrier, line, |depth, side| size.cell(row + depth, last_col - 1 + side))?;
    }
    for col in 0..size.cols() - 2 {
        let line = Line::Column(col as u16 + 1);
        restore_pair(carrier, line, |depth, side| size.cell(last_row - 1 + side, col + depth))?;
    }
    let (above, left) = (last_row - 1, last_col - 1);
    let corner = [
        size.cell(above, left),
        size.cell(above, last_col),
        size.cell(last_row, left),
        size.cell(last_row, last_col),
    ];
    carrier.solve_window(&corner, &corner[..3])?;
    let tiles = [corner[0], corner[1], corner[2]].map(tile_of);
    carrier.end_stage(ConstructiveStage::LastThree { tiles });
    Ok(())
}

/// Solves the last two tiles of a line; `at(depth, side)` returns the cells behind their homes,
/// which are at depth 0.
fn restore_pair(
    carrier: &mut TileCarrier,
    line: Line,
    at: impl Fn(usize, usize) -> Cell,
) -> Result<(), Unsolved> {
    let homes = [at(0, 0), at(0, 1)];
    let tiles = homes.map(tile_of);
    let window = [at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0), at(2, 1)];
    let inside = |carrier: &TileCarrier, home| window.contains(&carrier.cell_of(home));
    if !carrier.is_home(homes[0]) || !carrier.is_home(homes[1]) {
        let near = inside(carrier, homes[0]) && inside(carrier, homes[1]);
        if !near || !carrier.can_enter_window(&window, &homes) {
            // Parks the first at the line's end and the second behind it, unless the window is
            // enough already. Side by side at the far end of the window the two might block the
            // blank; parked they cannot.
            carrier.carry(homes[0], homes[1])?;
            carrier.end_stage(ConstructiveStage::Park { tile: tiles[0], line });
            carrier.lock(homes[1]);
            if !inside(carrier, homes[1]) {
                carrier.carry(homes[1], at(1, 1))?;
                carrier.end_stage(ConstructiveStage::ParkBehind { tiles, line });
            }
            carrier.unlock(homes[1]);
        }
        carrier.enter_window(&window, &homes)?;
        carrier.solve_window(&window, &homes)?;
    }
    homes.into_iter().for_each(|home| carrier.lock(home));
    carrier.end_stage(ConstructiveStage::Pair { tiles, line });
    Ok(())
}

/// Returns the tile that is at home in a cell.
const fn tile_of(home: Cell) -> u16 {
    home.0 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;

    const PLENTY: Budget = Budget(10_000_000);

    fn check(board: &Board) -> Solution {
        let solution = constructive(board, PLENTY).unwrap();
        assert!(solution.solves(board), "{board}");
        solution
    }

    #[test]
    fn every_size_is_solved() {
        for rows in 2..=9 {
            for cols in 2..=9 {
                (0..12).for_each(|seed| drop(check(&scrambled(rows, cols, seed))));
            }
        }
        for (rows, cols) in [(16, 16), (32, 32), (32, 2), (2, 32), (3, 32), (32, 3)] {
            check(&scrambled(rows, cols, 1));
        }
    }

    #[test]
    fn a_single_row_or_column_is_solved_by_moving_the_blank() {
        for text in ["1 2 0 3 4", "0/1/2", "1 2 3 0", "0"] {
            check(&text.parse().unwrap());
        }
        assert_eq!(constructive(&"2 1 0".parse().unwrap(), PLENTY), Err(Unsolved::Unsolvable));
    }

    #[test]
    fn the_stages_are_all_moves_in_order() {
        let sizes = [(2, 2), (2, 3), (3, 2), (4, 4), (3, 7), (7, 2)];
        let boards = sizes.map(|(rows, cols)| scrambled(rows, cols, 3));
        for board in ["1 0 2".parse().unwrap(), "0/1/2".parse().unwrap()].into_iter().chain(boards)
        {
            let (solution, stages) = constructive_by_stages(&board, PLENTY).unwrap();
            let moves: u32 = stages.iter().map(|stage| stage.moves).sum();
            assert_eq!(moves, solution.len(), "{board}");
            assert!(stages.iter().all(|stage| stage.moves > 0));
        }
    }

    #[test]
    fn each_stage_leaves_its_tiles_where_it_says() {
        let board = scrambled(5, 5, 8);
        let size = board.size();
        let (solution, stages) = constructive_by_stages(&board, PLENTY).unwrap();
        let mut now = board.clone();
        let mut moves = solution.moves().iter();
        for StageMoves { stage, moves: count } in stages {
            for &way in moves.by_ref().take(count as usize) {
                now.step(way).unwrap();
            }
            let is_home = |tile: u16| now.tile(Cell(tile - 1)) == tile;
            match stage {
                ConstructiveStage::Tile { tile, .. } => assert!(is_home(tile), "{now}"),
                ConstructiveStage::Park { tile, line: Line::Row(row) } => {
                    assert_eq!(
                        now.tile(size.cell(usize::from(row) - 1, size.cols() - 1)),
                        tile,
                        "{now}"
                    );
                }
                ConstructiveStage::Park { tile, line: Line::Column(column) } => {
                    let column = usize::from(column);
                    assert_eq!(now.tile(size.cell(size.rows() - 1, column - 1)), tile, "{now}");
                }
                ConstructiveStage::ParkBehind { tiles: [_, tile], line: Line::Row(row) } => {
                    assert_eq!(now.tile(size.cell(row.into(), size.cols() - 1)), tile, "{now}");
                }
                ConstructiveStage::ParkBehind { tiles: [_, tile], line: Line::Column(column) } => {
                    assert_eq!(now.tile(size.cell(size.rows() - 1, column.into())), tile, "{now}");
                }
                ConstructiveStage::Pair { tiles, .. } => assert!(tiles.into_iter().all(is_home)),
                ConstructiveStage::LastThree { tiles } => assert!(tiles.into_iter().all(is_home)),
                ConstructiveStage::SingleLine => panic!("{now}"),
            }
        }
        assert!(now.is_solved());
    }

    #[test]
    fn the_budget_bounds_the_moves() {
        let board = scrambled(8, 8, 1);
        let needed = check(&board).nodes();
        assert!(constructive(&board, Budget(needed)).is_ok());
        assert_eq!(constructive(&board, Budget(needed - 1)), Err(Unsolved::OverBudget));
    }

    #[test]
    fn moves_stay_well_below_the_greedy_bound() {
        for n in [4usize, 8, 16, 32] {
            let moves = check(&scrambled(n, n, 7)).moves().len();
            assert!(moves <= 3 * n * n * n, "{moves} moves on {n}x{n}");
        }
    }
}
