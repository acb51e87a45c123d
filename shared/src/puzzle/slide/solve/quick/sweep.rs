//! Brings all tiles near their homes, in any order.
//!
//! Where the blank has passed, the tiles have come nearer, and most moves back make them worse: it
//! gets stuck, above all in the corners, from which most tiles want to leave. So a layer of the beam
//! keeps one state for each cell of the blank. When the tiles come nearer too slowly, the blank
//! walks to a part of the board where as many tiles want to go one way as the other, along each
//! axis: there it can move them in circles.

use crate::puzzle::slide::solve::constructive::route::TileCarrier;
use crate::puzzle::slide::solve::near_optimal::MAX_CELLS;
use crate::puzzle::slide::solve::quick::position::Position;
use crate::puzzle::slide::solve::quick::sweep_beam::{MOST_NODES, SweepBeam};
use crate::solver::budget::Unsolved;
use crate::util::grid::{Direction, Size};

/// The number of moves that are played of a search's result, at least.
const MOVES_PER_SEARCH: usize = 20;

/// The sweep ends when the tiles are this near on average: then lines and a beam take fewer moves.
const NEAR: usize = 2;
/// The same where a beam solves the whole board: it takes fewer moves than the sweep, and more time.
const NEAR_FOR_BEAM: usize = 4;

/// It ends when the tiles come no nearer for this many moves per row and column.
const STALE_MOVES_PER_SIDE: usize = 8;

/// The moves over which the sweep's progress is measured.
const PATIENCE: usize = 30;
/// The blank walks elsewhere when the tiles come nearer by less than this percentage of the moves.
const LEAST_PERCENT: i64 = 40;

/// The most moves of a sweep, in products of cells and longer side; no board measured took half.
const MOST_MOVES: usize = 2;

/// The side of the parts of the board that are compared for a walk.
const PART_SIDE: usize = 8;

/// The cost of a cell between the blank and the end of its walk. It grows until the blank comes
/// nearer.
const WALK_COST: i32 = 1_200;
/// More than all tiles of a patch can gain.
const MOST_WALK_COST: i32 = 1 << 20;

/// A walk of the blank.
#[derive(Debug, Clone, Copy)]
struct BlankWalk {
    to: Position,
    cost: i32,
}

/// Brings all tiles near their homes.
pub(super) fn sweep(carrier: &mut TileCarrier) -> Result<(), Unsolved> {
    let size = carrier.board.size();
    let mut beam = SweepBeam::new(size);
    let mut walk: Option<BlankWalk> = None;
    let mut last = None;
    let mut distance = i64::from(carrier.board.manhattan_distance());
    let near = (near_on_average(size) * size.cells()) as i64;
    let mut moves = 0;
    let (mut least, mut least_after) = (distance, 0);
    let (mut mark, mut mark_after) = (distance, 0);
    let most = MOST_MOVES * size.cells() * size.rows().max(size.cols());
    while distance > near
        && moves < most
        && moves <= least_after + STALE_MOVES_PER_SIDE * (size.rows() + size.cols())
        && carrier.may_spend(MOST_NODES)
    {
        let cost_of_blank =
            |blank: Position| walk.map_or(0, |walk| walk.cost * blank.distance(walk.to));
        let (found, nodes) = beam.search(carrier, last, cost_of_blank);
        carrier.spend(nodes);
        let count = beam.commit(MOVES_PER_SEARCH);
        if count == 0 {
            break;
        }
        let before = Position::of(size, carrier.board.blank());
        for &way in &found[..count] {
            distance += step(carrier, way)?;
            last = Some(way);
        }
        moves += count;
        if distance < least {
            (least, least_after) = (distance, moves);
        }
        let blank = Position::of(size, carrier.board.blank());
        if let Some(going) = &mut walk {
            let left = blank.distance(going.to);
            if left <= 2 {
                walk = None;
                (mark, mark_after) = (distance, moves);
            } else if before.distance(going.to) - left < count as i32 / 4 {
                going.cost = (going.cost + going.cost / 2).min(MOST_WALK_COST);
            }
        } else if moves >= mark_after + PATIENCE {
            let least = LEAST_PERCENT * (moves - mark_after) as i64 / 100;
            if mark - distance < least {
                let to = busiest_part(carrier);
                walk = Some(BlankWalk { to, cost: WALK_COST });
            }
            (mark, mark_after) = (distance, moves);
        }
    }
    Ok(())
}

const fn near_on_average(size: Size) -> usize {
    if size.cells() <= MAX_CELLS { NEAR_FOR_BEAM } else { NEAR }
}

/// Plays a move and returns the change of the tile's distance.
fn step(carrier: &mut TileCarrier, way: Direction) -> Result<i64, Unsolved> {
    let to = carrier.board.blank();
    carrier.step(way)?;
    let (board, size) = (&carrier.board, carrier.board.size());
    let home = board.home(board.tile(to));
    Ok(size.distance(home, to) as i64 - size.distance(home, board.blank()) as i64)
}

/// Returns the middle of the part of the board, other than the blank's, in which the most tiles have
/// a counterpart that wants to go the opposite way.
fn busiest_part(carrier: &TileCarrier) -> Position {
    let (board, size) = (&carrier.board, carrier.board.size());
    let blank = Position::of(size, board.blank());
    let mut best = (i32::MIN, blank);
    for top in (0..size.rows()).step_by(PART_SIDE) {
        for left in (0..size.cols()).step_by(PART_SIDE) {
            let (bottom, right) =
                ((top + PART_SIDE).min(size.rows()), (left + PART_SIDE).min(size.cols()));
            let middle = Position::of(size, size.cell((top + bottom) / 2, (left + right) / 2));
            if middle.distance(blank) < PART_SIDE as i32 {
                continue;
            }
            let mut wanted = [0; 4];
            for row in top..bottom {
                for col in left..right {
                    let home = board.home(board.tile(size.cell(row, col)));
                    let (home_row, home_col) = (size.row_of(home), size.col_of(home));
                    wanted[0] += i32::from(home_row < row);
                    wanted[1] += i32::from(home_row > row);
                    wanted[2] += i32::from(home_col < col);
                    wanted[3] += i32::from(home_col > col);
                }
            }
            let pairs = wanted[0].min(wanted[1]) + wanted[2].min(wanted[3]);
            if pairs > best.0 {
                best = (pairs, middle);
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::solver::budget::Budget;

    #[test]
    fn a_sweep_brings_all_tiles_near_their_homes() {
        for (rows, cols) in [(5, 5), (12, 12), (6, 20), (24, 24)] {
            let board = scrambled(rows, cols, 1);
            let mut carrier = TileCarrier::new(board, Budget(100_000_000));
            sweep(&mut carrier).unwrap();
            let distance = carrier.board.manhattan_distance() as usize;
            let near = near_on_average(carrier.board.size());
            assert!(distance <= near * rows * cols, "{}", carrier.board);
        }
    }

    #[test]
    fn a_sweep_ends_when_the_budget_does() {
        let mut carrier = TileCarrier::new(scrambled(12, 12, 1), Budget(100_000));
        sweep(&mut carrier).unwrap();
        assert!(carrier.nodes <= 50_000);
    }
}
