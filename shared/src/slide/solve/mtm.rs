//! Shortest solutions in multi-tile moves, for small boards.

use crate::grid::{Cell, Direction};
use crate::hint::{Budget, Unsolved};
use crate::slide::Board;
use crate::slide::parity::is_solvable;
use crate::slide::solve::{Solution, manhattan};
use std::collections::HashMap;

/// The largest board that is searched, in cells: four bits a cell.
const MAX_CELLS: usize = 16;

/// Finds a solution with the fewest multi-tile moves (MTM), by a search in breadth from
/// both ends. Boards of 3×3 take a few thousand nodes; larger ones soon too many.
///
/// ```
/// use gridrace_shared::hint::Budget;
/// use gridrace_shared::slide::{Board, solve::shortest_mtm};
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// assert_eq!(shortest_mtm(&board, Budget(200_000))?.count().mtm, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] for a board of the wrong class; [`Unsolved::OverBudget`] where
/// the budget is spent first, and for boards of more than 16 cells.
pub fn shortest_mtm(board: &Board, budget: Budget) -> Result<Solution, Unsolved> {
    if !is_solvable(board) {
        return Err(Unsolved::Unsolvable);
    }
    let goal = Board::solved(board.size()).map_err(|_| Unsolved::OverBudget)?;
    if board.size().cells() > MAX_CELLS {
        return Err(Unsolved::OverBudget);
    }
    let mut ends = [End::new(board), End::new(&goal)];
    let mut met = (*board == goal).then(|| board.clone());
    while met.is_none() {
        let nodes = (ends[0].seen.len() + ends[1].seen.len()) as u64;
        if nodes > budget.0 {
            return Err(Unsolved::OverBudget);
        }
        // The narrower end goes on.
        let [one, other] = &mut ends;
        met = if one.layer.len() <= other.layer.len() {
            one.deepen(other)
        } else {
            other.deepen(one)
        };
    }
    let nodes = ends.iter().map(|end| end.seen.len() as u64).sum();
    let middle = met.ok_or(Unsolved::Unsolvable)?;
    let mut moves: Vec<Direction> = Vec::new();
    for (way, tiles) in ends[0].back(&middle) {
        moves.extend(std::iter::repeat_n(way.opposite(), tiles));
    }
    moves.reverse();
    for (way, tiles) in ends[1].back(&middle) {
        moves.extend(std::iter::repeat_n(way, tiles));
    }
    Ok(Solution::new(moves, manhattan(board), nodes))
}

/// The search from one end.
struct End {
    /// For each board seen, the way back to the end: which cell to slide.
    seen: HashMap<u64, Option<Cell>>,
    layer: Vec<Board>,
}

impl End {
    fn new(board: &Board) -> Self {
        Self {
            seen: HashMap::from([(key(board), None)]),
            layer: vec![board.clone()],
        }
    }

    /// Looks at all boards one move farther, and returns one that the other end has seen.
    fn deepen(&mut self, other: &Self) -> Option<Board> {
        let mut met = None;
        for board in std::mem::take(&mut self.layer) {
            for cell in board.legal_moves() {
                let mut next = board.clone();
                let Ok(played) = next.play(cell) else {
                    continue;
                };
                let key = key(&next);
                if self.seen.contains_key(&key) {
                    continue;
                }
                self.seen.insert(key, Some(played.blank_before));
                if met.is_none() && other.seen.contains_key(&key) {
                    met = Some(next.clone());
                }
                self.layer.push(next);
            }
        }
        met
    }

    /// Returns the moves from a board that was seen back to the end.
    fn back(&self, from: &Board) -> Vec<(Direction, usize)> {
        let mut board = from.clone();
        let mut moves = Vec::new();
        while let Some(Some(cell)) = self.seen.get(&key(&board)).copied() {
            let Ok(played) = board.play(cell) else { break };
            moves.push((played.direction, usize::from(played.tiles)));
        }
        moves
    }
}

/// Returns the tiles as one number, four bits each.
fn key(board: &Board) -> u64 {
    let tiles = board.tiles().iter();
    tiles.fold(0, |key, &tile| key << 4 | u64::from(tile))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide::scramble::{Variant, scramble};

    #[test]
    fn no_solution_has_fewer_multi_tile_moves() {
        // A flood of multi-tile moves from the goal knows every board's distance.
        for size in ["2x2", "2x3", "3x2", "1x4"] {
            let goal = Board::solved(size.parse().unwrap()).unwrap();
            let mut all = vec![(goal.clone(), 0)];
            let mut next = 0;
            while let Some((board, depth)) = all.get(next).cloned() {
                next += 1;
                for cell in board.legal_moves() {
                    let mut there = board.clone();
                    there.play(cell).unwrap();
                    if all.iter().all(|(known, _)| *known != there) {
                        all.push((there, depth + 1));
                    }
                }
            }
            for (board, depth) in all {
                let solution = shortest_mtm(&board, Budget(10_000)).unwrap();
                assert!(solution.solves(&board), "{board}");
                assert_eq!(solution.count().mtm, depth, "{board}");
            }
        }
    }

    #[test]
    fn a_board_that_is_too_much_is_an_error() {
        let seed = "x".parse().unwrap();
        let board = scramble("3x3".parse().unwrap(), &seed, Variant::BlankAnywhere).unwrap();
        assert_eq!(shortest_mtm(&board, Budget(100)), Err(Unsolved::OverBudget));
        let board = scramble("5x5".parse().unwrap(), &seed, Variant::BlankAnywhere).unwrap();
        assert_eq!(shortest_mtm(&board, Budget(100)), Err(Unsolved::OverBudget));
        let wrong = "2 1/3 0".parse().unwrap();
        assert_eq!(shortest_mtm(&wrong, Budget(100)), Err(Unsolved::Unsolvable));
    }
}
