//! Goals other than the standard one.
//!
//! The tiles are renumbered so that the goal becomes the standard one, and the board is mirrored
//! when the goal's blank is in another corner. When it is in no corner, the goal is a short walk
//! of the blank away from one that is; a bound for that one less the walk is a bound for this one.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::equivalent;
use crate::puzzle::slide::solve::optimal::IdaStar;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::solve::{Quality, Solution, solve};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::{Cell, Direction, Size};

/// Solves a board for any goal; see [`solve`].
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::Board;
/// use gridrace_shared::puzzle::slide::solve::{Quality, solve_to, tables::Tables};
/// let board: Board = "1 2 3/4 5 6/7 8 0".parse()?;
/// let goal: Board = "1 2 3/4 0 5/7 8 6".parse()?;
/// let way = solve_to(&board, &goal, Quality::Optimal, Budget(100), &Tables::none())?;
/// assert_eq!(way.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unsolved::Unsolvable`] when no moves lead from one board to the other, or their sizes differ;
/// [`Unsolved::OverBudget`] as for [`solve`].
pub fn solve_to(
    board: &Board,
    goal: &Board,
    quality: Quality,
    budget: Budget,
    tables: &Tables,
) -> Result<Solution, Unsolved> {
    if board.size() != goal.size() || !equivalent(board, goal) {
        return Err(Unsolved::Unsolvable);
    }
    let transform = GoalTransform::new(goal);
    let start = transform.transform_board(board).ok_or(Unsolved::Unsolvable)?;
    let solution = match quality {
        Quality::Optimal => IdaStar::towards(&start, &transform.walk, tables)?
            .search(budget)
            .ok_or(Unsolved::OverBudget)?,
        Quality::Quick | Quality::Near => {
            let corner = solve(&start, quality, budget, tables)?;
            let walk = transform.walk.len() as u32;
            let at_least = corner.at_least().saturating_sub(walk);
            let mut moves = corner.moves().to_vec();
            for &way in &transform.walk {
                if moves.last() == Some(&way.opposite()) {
                    moves.pop();
                } else {
                    moves.push(way);
                }
            }
            Solution::new(moves, at_least, corner.nodes())
        }
    };
    let moves = solution.moves().iter().map(|&way| transform.transform_direction(way));
    Ok(Solution::new(moves.collect(), solution.at_least(), solution.nodes()))
}

/// The transformation that maps a goal to the standard one.
struct GoalTransform {
    size: Size,
    flipped: [bool; 2],
    /// For each tile, its number after the transformation.
    numbers: Vec<u16>,
    /// The transformed moves from the standard goal to this one.
    walk: Vec<Direction>,
}

impl GoalTransform {
    fn new(goal: &Board) -> Self {
        let size = goal.size();
        let (row, col) = (size.row_of(goal.blank()), size.col_of(goal.blank()));
        let mut transform = Self {
            size,
            flipped: [2 * row + 1 < size.rows(), 2 * col + 1 < size.cols()],
            numbers: (0..size.cells() as u16).collect(),
            walk: Vec::new(),
        };
        // Moves the goal's blank to the nearest corner; the walk is the reverse.
        let mut corner = goal.clone();
        let mut walked = Vec::new();
        for way in [Direction::Up, Direction::Left] {
            while transform.transform_cell(corner.blank()) != size.last() {
                let Some(played) = corner.step(transform.transform_direction(way)) else {
                    break;
                };
                walked.push(played.direction);
            }
        }
        let back = walked.iter().rev().map(|way| transform.transform_direction(way.opposite()));
        transform.walk = back.collect();
        for (&tile, cell) in corner.tiles().iter().zip(0..) {
            if tile != 0 {
                transform.numbers[usize::from(tile)] = transform.transform_cell(Cell(cell)).0 + 1;
            }
        }
        transform
    }

    /// Maps a cell; the inverse is the same.
    fn transform_cell(&self, cell: Cell) -> Cell {
        let [rows, cols] = self.flipped;
        let (row, col) = (self.size.row_of(cell), self.size.col_of(cell));
        let row = if rows { self.size.rows() - 1 - row } else { row };
        let col = if cols { self.size.cols() - 1 - col } else { col };
        self.size.cell(row, col)
    }

    /// Maps a direction; the inverse is the same.
    fn transform_direction(&self, way: Direction) -> Direction {
        let [rows, cols] = self.flipped;
        match way {
            Direction::Up | Direction::Down if rows => way.opposite(),
            Direction::Left | Direction::Right if cols => way.opposite(),
            Direction::Up | Direction::Down | Direction::Left | Direction::Right => way,
        }
    }

    fn transform_board(&self, board: &Board) -> Option<Board> {
        let mut tiles = vec![0; self.size.cells()];
        for (&tile, cell) in board.tiles().iter().zip(0..) {
            tiles[usize::from(self.transform_cell(Cell(cell)).0)] = self.numbers[usize::from(tile)];
        }
        Board::from_tiles(self.size, tiles).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use proptest::prelude::*;

    fn leads(solution: &Solution, from: &Board, to: &Board) -> bool {
        let mut board = from.clone();
        let legal = solution.moves().iter().all(|&way| board.step(way).is_some());
        legal && board == *to
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn optimal_solutions_to_any_goal_are_as_long_as_their_reverses(
            rows in 2usize..4, cols in 2usize..4, seeds in (0u32..1_000, 0u32..1_000),
        ) {
            let (from, to) = (scrambled(rows, cols, seeds.0), scrambled(rows, cols, seeds.1));
            let solve = |a: &Board, b: &Board, quality| {
                solve_to(a, b, quality, Budget(50_000_000), &Tables::none())
            };
            if !equivalent(&from, &to) {
                prop_assert_eq!(solve(&from, &to, Quality::Quick), Err(Unsolved::Unsolvable));
                return Ok(());
            }
            let walked = solve(&from, &to, Quality::Optimal).unwrap();
            let back = solve(&to, &from, Quality::Optimal).unwrap();
            prop_assert!(leads(&walked, &from, &to) && leads(&back, &to, &from));
            prop_assert_eq!(walked.len(), back.len());
            for quality in [Quality::Quick, Quality::Near] {
                let way = solve(&from, &to, quality).unwrap();
                prop_assert!(leads(&way, &from, &to));
                prop_assert!(way.at_least() <= walked.len() && walked.len() <= way.len());
            }
        }
    }

    #[test]
    fn the_standard_goal_gives_the_standard_solution() {
        let board = scrambled(3, 4, 1);
        let goal = Board::solved(board.size());
        let [plain, to] = [
            solve(&board, Quality::Quick, Budget(10_000), &Tables::none()),
            solve_to(&board, &goal, Quality::Quick, Budget(10_000), &Tables::none()),
        ];
        assert_eq!(plain, to);
    }

    #[test]
    fn in_a_single_row_the_blank_moves_to_its_goal() {
        let (from, to): (Board, Board) =
            ("1 0 2 3 4".parse().unwrap(), "1 2 3 0 4".parse().unwrap());
        for quality in [Quality::Quick, Quality::Near, Quality::Optimal] {
            let way = solve_to(&from, &to, quality, Budget(1_000), &Tables::none()).unwrap();
            assert!(leads(&way, &from, &to));
            assert_eq!(way.len(), 2);
        }
    }
}
