//! Goals other than the standard one.
//!
//! The tiles are renumbered so that the goal becomes the standard one, and the board is mirrored
//! when the goal's blank is in another corner. When it is in no corner, the goal is a short walk
//! of the blank away from one that is; a bound for that one less the walk is a bound for this one.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::parity::equivalent;
use crate::puzzle::slide::solve::Solution;
use crate::solver::budget::Unsolved;
use crate::util::grid::{Cell, Direction, Size};

/// The transformation that maps a goal to the standard one, or to a board a short walk of the blank
/// away from it. Searches take the transformed board and the walk.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::Board;
/// use gridrace_shared::puzzle::slide::solve::{GoalTransform, IdaStar, tables::Tables};
/// let board: Board = "1 2 3/4 5 6/7 8 0".parse()?;
/// let transform = GoalTransform::new(&"1 2 3/4 0 5/7 8 6".parse()?);
/// let start = transform.transform_board(&board)?;
/// let mut search = IdaStar::towards(&start, transform.walk(), &Tables::none())?;
/// let solution = transform.restore(&search.search(Budget(100)).ok_or("over budget")?);
/// assert_eq!(solution.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GoalTransform {
    goal: Board,
    size: Size,
    flipped: [bool; 2],
    /// For each tile, its number after the transformation.
    numbers: Vec<u16>,
    /// The transformed moves from the standard goal to this one.
    walk: Vec<Direction>,
}

impl GoalTransform {
    pub fn new(goal: &Board) -> Self {
        let size = goal.size();
        let (row, col) = (size.row_of(goal.blank()), size.col_of(goal.blank()));
        let mut transform = Self {
            goal: goal.clone(),
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

    /// Returns the moves from the standard goal to the transformed one.
    pub fn walk(&self) -> &[Direction] {
        &self.walk
    }

    /// Maps a board.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] when no moves lead from it to the goal, or their sizes differ.
    pub fn transform_board(&self, board: &Board) -> Result<Board, Unsolved> {
        if board.size() != self.size || !equivalent(board, &self.goal) {
            return Err(Unsolved::Unsolvable);
        }
        let mut tiles = vec![0; self.size.cells()];
        for (&tile, cell) in board.tiles().iter().zip(0..) {
            tiles[usize::from(self.transform_cell(Cell(cell)).0)] = self.numbers[usize::from(tile)];
        }
        Board::from_tiles(self.size, tiles).map_err(|_| Unsolved::Unsolvable)
    }

    /// Maps a solution of a transformed board to one of the board.
    pub fn restore(&self, solution: &Solution) -> Solution {
        let moves = solution.moves().iter().map(|&way| self.transform_direction(way));
        Solution::new(moves.collect(), solution.at_least(), solution.nodes())
    }

    /// Maps a solution that ends at the standard goal to one of the board.
    pub fn restore_with_walk(&self, solution: &Solution) -> Solution {
        let walk = self.walk.len() as u32;
        let mut moves = solution.moves().to_vec();
        for &way in &self.walk {
            if moves.last() == Some(&way.opposite()) {
                moves.pop();
            } else {
                moves.push(way);
            }
        }
        let at_least = solution.at_least().saturating_sub(walk);
        self.restore(&Solution::new(moves, at_least, solution.nodes()))
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::puzzle::slide::solve::tables::{Tables, build};
    use crate::puzzle::slide::solve::{
        Enumeration, Extent, IdaStar, MtmSearch, NextSolution, Quality, ShortestSearch, solve,
    };
    use crate::solver::budget::Budget;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    const BUDGET: Budget = Budget(50_000_000);

    fn leads(solution: &Solution, from: &Board, to: &Board) -> bool {
        let mut board = from.clone();
        let legal = solution.moves().iter().all(|&way| board.step(way).is_some());
        legal && board == *to
    }

    fn shortest(from: &Board, to: &Board) -> Solution {
        let transform = GoalTransform::new(to);
        let start = transform.transform_board(from).unwrap();
        let search = IdaStar::towards(&start, transform.walk(), &Tables::none());
        transform.restore(&search.unwrap().search(BUDGET).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn optimal_solutions_to_any_goal_are_as_long_as_their_reverses(
            rows in 2usize..4, cols in 2usize..4, seeds in (0u32..1_000, 0u32..1_000),
        ) {
            let (from, to) = (scrambled(rows, cols, seeds.0), scrambled(rows, cols, seeds.1));
            let transform = GoalTransform::new(&to);
            if !equivalent(&from, &to) {
                prop_assert_eq!(transform.transform_board(&from), Err(Unsolved::Unsolvable));
                return Ok(());
            }
            let (walked, back) = (shortest(&from, &to), shortest(&to, &from));
            prop_assert!(leads(&walked, &from, &to) && leads(&back, &to, &from));
            prop_assert_eq!(walked.len(), back.len());
            let start = transform.transform_board(&from).unwrap();
            for quality in [Quality::Quick, Quality::Near] {
                let corner = solve(&start, quality, BUDGET, &Tables::none()).unwrap();
                let way = transform.restore_with_walk(&corner);
                prop_assert!(leads(&way, &from, &to));
                prop_assert!(way.at_least() <= walked.len() && walked.len() <= way.len());
            }
        }
    }

    /// For each board of a size, its distance from a board and the number of its shortest ways, by
    /// breadth-first search.
    fn counted(
        goal: &Board,
        children: impl Fn(&Board) -> Vec<Board>,
    ) -> HashMap<Board, (u32, usize)> {
        let mut found = HashMap::from([(goal.clone(), (0, 1))]);
        let mut layer = vec![goal.clone()];
        for depth in 1.. {
            let mut next = Vec::new();
            for board in &layer {
                let ways = found[board].1;
                for child in children(board) {
                    let (distance, count) = found.entry(child.clone()).or_insert_with(|| {
                        next.push(child);
                        (depth, 0)
                    });
                    if *distance == depth {
                        *count += ways;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        found
    }

    #[test]
    fn the_shortest_ways_to_any_goal_are_as_many_as_breadth_first_search_counts() {
        let specs = ["3x3-default", "3x3-mtm", "2x4-default", "2x4-mtm"];
        let built = specs.map(|spec| build(spec.parse().unwrap(), &|work| work(), &|_| {}));
        let built = built.into_iter().map(Arc::new);
        let tables = built.fold(Tables::none(), |tables, table| tables.with(table));
        let steps = |board: &Board| {
            let step = |way| {
                let mut child = board.clone();
                child.step(way).map(|_| child)
            };
            Direction::ALL.into_iter().filter_map(step).collect()
        };
        let slides = |board: &Board| {
            let slide = |cell| {
                let mut child = board.clone();
                child.play(cell).map(|_| child).unwrap()
            };
            board.legal_moves().map(slide).collect()
        };
        // The blank in the middle, at two sides, and in two corners; on two rows at a side of each row and
        // in a corner.
        for goal in [
            "1 2 3/4 0 5/6 7 8",
            "8 0 1/2 3 4/5 7 6",
            "4 3 2/0 8 7/1 5 6",
            "0 1 2/3 4 5/6 8 7",
            "7 1 0 2/3 4 5 6",
            "1 2 3 4/5 0 6 7",
            "3 2 1 0/7 6 5 4",
        ] {
            let goal: Board = goal.parse().unwrap();
            let transform = GoalTransform::new(&goal);
            let (single, multi) = (counted(&goal, steps), counted(&goal, slides));
            let mut boards: Vec<_> = single.keys().collect();
            boards.sort_unstable_by_key(|board| board.tiles());
            for board in boards.into_iter().step_by(2_503) {
                let start = transform.transform_board(board).unwrap();
                let walk = transform.walk();
                let by_steps = IdaStar::towards(&start, walk, &tables).unwrap();
                let by_slides = MtmSearch::towards(&start, walk, &tables).unwrap();
                for (search, (distance, count), is_multi) in [
                    (ShortestSearch::SingleTile(by_steps), single[board], false),
                    (ShortestSearch::MultiTile(by_slides), multi[board], true),
                ] {
                    let mut ways = Enumeration::new(search, Extent::Shortest);
                    let mut listed = 0;
                    while let NextSolution::Found(way) = ways.advance(BUDGET) {
                        let way = transform.restore(&way);
                        let moves = if is_multi { way.count().acts } else { way.len() };
                        assert!(leads(&way, board, &goal) && moves == distance, "{board} {goal}");
                        listed += 1;
                    }
                    assert_eq!(listed, count, "{board} {goal} {is_multi}");
                }
            }
        }
    }

    #[test]
    fn the_standard_goal_changes_nothing() {
        let board = scrambled(3, 4, 1);
        let transform = GoalTransform::new(&Board::solved(board.size()));
        assert_eq!(transform.transform_board(&board).unwrap(), board);
        assert!(transform.walk().is_empty());
    }

    #[test]
    fn in_a_single_row_the_blank_moves_to_its_goal() {
        let (from, to): (Board, Board) =
            ("1 0 2 3 4".parse().unwrap(), "1 2 3 0 4".parse().unwrap());
        let transform = GoalTransform::new(&to);
        let start = transform.transform_board(&from).unwrap();
        for quality in [Quality::Quick, Quality::Near] {
            let corner = solve(&start, quality, Budget(1_000), &Tables::none()).unwrap();
            let way = transform.restore_with_walk(&corner);
            assert!(leads(&way, &from, &to) && way.len() == 2);
        }
        assert_eq!(shortest(&from, &to).len(), 2);
        let mut slides = MtmSearch::towards(&start, transform.walk(), &Tables::none()).unwrap();
        let way = transform.restore(&slides.search(Budget(1_000)).unwrap());
        assert!(leads(&way, &from, &to) && way.count().acts == 1);
    }
}
