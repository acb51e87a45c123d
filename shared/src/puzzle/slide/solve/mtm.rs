//! Shortest solutions in multi-tile moves, for small boards.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction, Size};
use std::collections::HashMap;

/// The largest board that is searched, in cells: 16 cells of four bits.
const MAX_CELLS: usize = 16;

/// Finds a solution with the fewest multi-tile moves (MTM) by bidirectional breadth-first search.
/// Boards of 3×3 take a few thousand nodes; larger boards quickly exceed any budget.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::{Board, solve::shortest_mtm};
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// assert_eq!(shortest_mtm(&board, Budget(200_000))?.count().acts, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] for an unsolvable board; [`Unsolved::OverBudget`] when the budget is
/// spent, and for boards of more than 16 cells.
pub fn shortest_mtm(board: &Board, budget: Budget) -> Result<Solution, Unsolved> {
    if !is_solvable(board) {
        return Err(Unsolved::Unsolvable);
    }
    let goal = Board::solved(board.size());
    if board.size().cells() > MAX_CELLS {
        return Err(Unsolved::OverBudget);
    }
    let mut sides = [SearchSide::new(board), SearchSide::new(&goal)];
    let mut met = (*board == goal).then(|| key(board));
    while met.is_none() {
        // The side with the smaller layer is expanded.
        let [one, other] = &mut sides;
        met = if one.layer.len() <= other.layer.len() {
            one.deepen(other, budget)?
        } else {
            other.deepen(one, budget)?
        };
    }
    let nodes = sides.iter().map(|side| side.seen.len() as u64).sum();
    let middle = met.ok_or(Unsolved::Unsolvable)?;
    let mut moves: Vec<Direction> = Vec::new();
    for Slide { blank, tiles } in sides[0].slides_to(middle) {
        moves.extend(std::iter::repeat_n(blank.opposite(), tiles.into()));
    }
    moves.reverse();
    for Slide { blank, tiles } in sides[1].slides_to(middle) {
        moves.extend(std::iter::repeat_n(blank, tiles.into()));
    }
    Ok(Solution::new(moves, board.manhattan_distance(), nodes))
}

/// The search from one side. Boards are stored as their keys, since there are millions.
struct SearchSide {
    size: Size,
    /// For each visited board, the slide that first led to it; `None` for the first one.
    seen: HashMap<u64, Option<Slide>>,
    layer: Vec<u64>,
}

/// A multi-tile move: the blank's direction, and the number of tiles.
#[derive(Debug, Clone, Copy)]
struct Slide {
    blank: Direction,
    tiles: u8,
}

impl SearchSide {
    fn new(board: &Board) -> Self {
        Self {
            size: board.size(),
            seen: HashMap::from([(key(board), None)]),
            layer: vec![key(board)],
        }
    }

    /// Expands the boards of the current layer and returns the first one that the other side has
    /// visited: none is nearer to both.
    ///
    /// # Errors
    /// [`Unsolved::OverBudget`] when both sides together would visit more boards than the budget.
    fn deepen(&mut self, other: &Self, Budget(budget): Budget) -> Result<Option<u64>, Unsolved> {
        for board in std::mem::take(&mut self.layer) {
            let home = blank(self.size, board);
            for way in Direction::ALL {
                let (mut next, mut at) = (board, home);
                let mut tiles = 0;
                while let Some(cell) = self.size.neighbour(at, way) {
                    (next, at, tiles) = (swapped(next, at, cell), cell, tiles + 1);
                    if self.seen.contains_key(&next) {
                        continue;
                    }
                    if (self.seen.len() + other.seen.len()) as u64 >= budget {
                        return Err(Unsolved::OverBudget);
                    }
                    self.seen.insert(next, Some(Slide { blank: way, tiles }));
                    if other.seen.contains_key(&next) {
                        return Ok(Some(next));
                    }
                    self.layer.push(next);
                }
            }
        }
        Ok(None)
    }

    /// Returns the slides that led from the first board to a visited one, in reverse order.
    fn slides_to(&self, mut board: u64) -> Vec<Slide> {
        let mut slides = Vec::new();
        while let Some(&Some(slide)) = self.seen.get(&board) {
            let mut at = blank(self.size, board);
            for _ in 0..slide.tiles {
                if let Some(cell) = self.size.neighbour(at, slide.blank.opposite()) {
                    (board, at) = (swapped(board, at, cell), cell);
                }
            }
            slides.push(slide);
        }
        slides
    }
}

/// Returns the tiles as one number, four bits each, the first cell lowest.
fn key(board: &Board) -> u64 {
    let tiles = board.tiles().iter().rev();
    tiles.fold(0, |key, &tile| key << 4 | u64::from(tile))
}

/// Returns the cell whose four bits are 0.
fn blank(size: Size, key: u64) -> Cell {
    let cells = (0..=size.last().0).map(Cell);
    let mut blank = cells.filter(|&cell| tile(key, cell) == 0);
    blank.next().unwrap_or(size.last())
}

fn tile(key: u64, cell: Cell) -> u64 {
    key >> (4 * cell.0) & 0xf
}

fn swapped(key: u64, blank: Cell, cell: Cell) -> u64 {
    let tile = tile(key, cell);
    key ^ tile << (4 * cell.0) ^ tile << (4 * blank.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;

    #[test]
    fn no_solution_has_fewer_multi_tile_moves() {
        // A breadth-first search from the goal gives the distance of every board.
        for size in ["2x2", "2x3", "3x2", "1x4"] {
            let goal = Board::solved(size.parse().unwrap());
            let mut all = vec![(goal.clone(), 0)];
            let mut next = 0;
            while let Some((board, depth)) = all.get(next).cloned() {
                next += 1;
                for cell in board.legal_moves() {
                    let mut moved = board.clone();
                    moved.play(cell).unwrap();
                    if all.iter().all(|(known, _)| *known != moved) {
                        all.push((moved, depth + 1));
                    }
                }
            }
            for (board, depth) in all {
                let solution = shortest_mtm(&board, Budget(10_000)).unwrap();
                assert!(solution.solves(&board), "{board}");
                assert_eq!(solution.count().acts, depth, "{board}");
            }
        }
    }

    #[test]
    fn the_budget_bounds_the_visited_boards() {
        // Layers of 4×4 grow by a factor of three: each budget ends within another layer.
        let board = scrambled(4, 4, 1);
        let goal = Board::solved(board.size());
        for budget in [10, 100, 1_000, 10_000] {
            let [mut one, mut other] = [SearchSide::new(&board), SearchSide::new(&goal)];
            let over = loop {
                let deeper = one.deepen(&other, Budget(budget));
                std::mem::swap(&mut one, &mut other);
                match deeper {
                    Ok(met) => assert_eq!(met, None),
                    Err(over) => break over,
                }
            };
            assert_eq!(over, Unsolved::OverBudget);
            assert_eq!((one.seen.len() + other.seen.len()) as u64, budget);
            let solved = shortest_mtm(&board, Budget(budget));
            assert_eq!(solved, Err(Unsolved::OverBudget));
        }
    }

    #[test]
    fn the_farthest_3x3_board_has_pinned_nodes() {
        let board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
        let nodes = shortest_mtm(&board, Budget(200_000)).unwrap().nodes();
        assert_eq!(nodes, 5_779);
        assert!(shortest_mtm(&board, Budget(nodes)).is_ok());
        let short = shortest_mtm(&board, Budget(nodes - 1));
        assert_eq!(short, Err(Unsolved::OverBudget));
    }

    #[test]
    fn boards_over_budget_or_unsolvable_are_errors() {
        for board in [scrambled(3, 3, 1), scrambled(5, 5, 1)] {
            assert_eq!(shortest_mtm(&board, Budget(100)), Err(Unsolved::OverBudget));
        }
        let wrong = "2 1/3 0".parse().unwrap();
        assert_eq!(shortest_mtm(&wrong, Budget(100)), Err(Unsolved::Unsolvable));
    }
}
