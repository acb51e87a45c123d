//! The cost of a tile's route.

use crate::puzzle::slide::solve::quick::position::Position;

/// Estimates the moves of a tile's route without obstacles: the blank moves to the side of the
/// destination; each further step costs three moves after a turn and five straight on.
pub(super) fn carry_cost(tile: Position, goal: Position, blank: Position) -> i32 {
    let (down, right) = (goal.row - tile.row, goal.col - tile.col);
    let (vertical, horizontal) = (down.abs(), right.abs());
    let mut least = i32::MAX;
    if vertical > 0 {
        let side = tile.row + down.signum();
        let straight_behind = blank.col == tile.col && (blank.row - tile.row) * down < 0;
        let approach = (blank.row - side).abs()
            + (blank.col - tile.col).abs()
            + if straight_behind { 2 } else { 0 };
        least = approach + step_cost(vertical, horizontal);
    }
    if horizontal > 0 {
        let side = tile.col + right.signum();
        let straight_behind = blank.row == tile.row && (blank.col - tile.col) * right < 0;
        let approach = (blank.col - side).abs()
            + (blank.row - tile.row).abs()
            + if straight_behind { 2 } else { 0 };
        least = least.min(approach + step_cost(horizontal, vertical));
    }
    if least == i32::MAX { 0 } else { least }
}

/// Estimates the moves of a tile's route with the blank in front of it.
pub(super) fn route_cost(tile: Position, goal: Position) -> i32 {
    let (vertical, horizontal) = ((goal.row - tile.row).abs(), (goal.col - tile.col).abs());
    match (vertical, horizontal) {
        (0, 0) => 0,
        (along, 0) | (0, along) => step_cost(along, 0),
        _ => step_cost(vertical, horizontal).min(step_cost(horizontal, vertical)),
    }
}

/// Returns the moves of a tile's steps that begin along one axis with the blank in front.
const fn step_cost(along: i32, across: i32) -> i32 {
    let turns = if across >= along { 2 * along - 1 } else { 2 * across };
    1 + 3 * turns + 5 * (along + across - 1 - turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::Board;
    use crate::puzzle::slide::solve::constructive::route::TileCarrier;
    use crate::solver::budget::Budget;
    use crate::util::grid::{Cell, Size};

    #[test]
    fn without_obstacles_the_estimate_is_exact() {
        let size = Size::new(9, 9).unwrap();
        let goal = size.cell(4, 4);
        let solved = Board::solved(size);
        for blank in [(8, 8), (4, 0), (0, 4), (5, 5)] {
            for from in (0..81).map(Cell) {
                let (row, col) = (size.row_of(from), size.col_of(from));
                let inside = (2..7).contains(&row) && (2..7).contains(&col);
                if !inside || size.cell(blank.0, blank.1) == from {
                    continue;
                }
                let mut carrier = TileCarrier::new(solved.clone(), Budget(1_000));
                carrier.walk_blank(size.cell(blank.0, blank.1), &[]).unwrap();
                let tile = carrier.board.home(carrier.board.tile(from));
                let walked = carrier.nodes;
                let position = |cell| Position::of(size, cell);
                let estimate =
                    carry_cost(position(from), position(goal), position(carrier.board.blank()));
                carrier.carry(tile, goal).unwrap();
                let cost = carrier.nodes - walked;
                assert_eq!(estimate as u64, cost, "{from} {blank:?}");
            }
        }
    }
}
