//! All solutions of a board, from the shortest on.
//!
//! The iterations of IDA* are continued behind each solution. Several paths to one board belong to
//! several solutions, so that of single-tile moves only those are pruned which take the one before
//! back. Multi-tile moves take turns along the two axes, since two along one are one.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::optimal::IterationStatus;
use crate::puzzle::slide::solve::shortest_search::ShortestSearch;
use crate::puzzle::slide::solve::solution::Solution;
use crate::solver::budget::Budget;
use crate::util::grid::{Direction, Size};
use std::collections::HashSet;

/// A resumable enumeration of solutions by their moves of one metric, then in a fixed order. No
/// solution passes the same board twice.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::solve::{
///     Enumeration, Extent, IdaStar, NextSolution, ShortestSearch, tables::Tables,
/// };
/// let search = IdaStar::new(&"8 6 7/2 5 4/3 0 1".parse()?, &Tables::none())?;
/// let mut all = Enumeration::new(ShortestSearch::SingleTile(search), Extent::Shortest);
/// let mut count = 0;
/// while let NextSolution::Found(solution) = all.advance(Budget(10_000_000)) {
///     assert_eq!(solution.len(), 31);
///     count += 1;
/// }
/// assert_eq!(count, 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Enumeration {
    search: ShortestSearch,
    extent: Extent,
    /// The most moves of a solution that is still searched.
    longest: u32,
    shortest: Option<u32>,
    is_finished: bool,
}

/// Which solutions are enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Those with the fewest moves.
    Shortest,
    /// The longer ones, too.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextSolution {
    Found(Solution),
    /// There are no more.
    Finished,
    OverBudget,
}

impl Enumeration {
    /// Continues a search behind each solution, by its metric.
    pub fn new(mut search: ShortestSearch, extent: Extent) -> Self {
        if let ShortestSearch::SingleTile(search) = &mut search {
            search.keep_all_paths();
        }
        let longest = longest_path(search.board().size());
        Self { search, extent, longest, shortest: None, is_finished: false }
    }

    /// Returns the lower bound on the moves of the solutions that are left.
    pub const fn at_least(&self) -> u32 {
        self.search.at_least()
    }

    /// Returns the nodes so far.
    pub const fn nodes(&self) -> u64 {
        self.search.nodes()
    }

    /// Continues to the next solution, for at most `budget` nodes, or some hundred more.
    pub fn advance(&mut self, budget: Budget) -> NextSolution {
        let end = self.nodes().saturating_add(budget.0);
        while !self.is_finished {
            let left = Budget(end.saturating_sub(self.nodes()));
            match self.search.advance(left, self.longest) {
                IterationStatus::Found => {
                    let moves = self.search.pass_solution();
                    // No path returns to the goal.
                    self.is_finished = moves.is_empty();
                    let length = self.at_least();
                    let shortest = *self.shortest.get_or_insert(length);
                    if self.extent == Extent::Shortest {
                        self.longest = shortest;
                    }
                    if is_simple(self.search.board(), &moves) {
                        let at_least = match &self.search {
                            ShortestSearch::SingleTile(_) => shortest,
                            ShortestSearch::MultiTile(search) => search.at_least_single_tile(),
                        };
                        let solution = Solution::new(moves, at_least, self.nodes());
                        return NextSolution::Found(solution);
                    }
                }
                IterationStatus::Nothing => self.is_finished = true,
                IterationStatus::Interrupted => return NextSolution::OverBudget,
            }
        }
        NextSolution::Finished
    }
}

/// Returns whether the moves pass no board twice.
fn is_simple(board: &Board, moves: &[Direction]) -> bool {
    let mut board = board.clone();
    let mut passed = HashSet::from([board.clone()]);
    moves.iter().all(|&way| board.step(way).is_some() && passed.insert(board.clone()))
}

/// Returns an upper bound on the moves that pass no board twice: one less than the boards that can
/// be reached.
fn longest_path(size: Size) -> u32 {
    let cells = size.cells() as u32;
    let boards = match size.rows().min(size.cols()) {
        1 => cells,
        _ => (3..=cells).fold(1, u32::saturating_mul),
    };
    boards - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::puzzle::slide::solve::tables::{TableGrade, TableSpec, Tables, build};
    use crate::puzzle::slide::solve::{IdaStar, MtmSearch};
    use std::collections::HashMap;
    use std::sync::Arc;

    fn enumerate(board: &Board, extent: Extent, tables: &Tables, most: usize) -> Vec<Solution> {
        let search = ShortestSearch::SingleTile(IdaStar::new(board, tables).unwrap());
        let search = Enumeration::new(search, extent);
        let solutions = run(search, board, most);
        assert!(solutions.is_sorted_by_key(Solution::len), "{board}");
        solutions
    }

    fn enumerate_mtm(board: &Board, extent: Extent, tables: &Tables, most: usize) -> Vec<Solution> {
        let search = ShortestSearch::MultiTile(MtmSearch::new(board, tables).unwrap());
        let search = Enumeration::new(search, extent);
        let solutions = run(search, board, most);
        assert!(solutions.is_sorted_by_key(|solution| solution.count().acts), "{board}");
        solutions
    }

    fn run(mut search: Enumeration, board: &Board, most: usize) -> Vec<Solution> {
        let mut solutions = Vec::new();
        while solutions.len() < most {
            match search.advance(Budget(100_000_000)) {
                NextSolution::Found(solution) => solutions.push(solution),
                NextSolution::Finished => break,
                NextSolution::OverBudget => panic!("{board}: over budget"),
            }
        }
        let distinct: HashSet<_> = solutions.iter().map(Solution::moves).collect();
        assert_eq!(distinct.len(), solutions.len(), "{board}");
        assert!(solutions.iter().all(|solution| solution.solves(board)), "{board}");
        solutions
    }

    fn children(board: &Board) -> impl Iterator<Item = Board> {
        Direction::ALL.into_iter().filter_map(|way| {
            let mut child = board.clone();
            child.step(way).map(|_| child)
        })
    }

    fn slides(board: &Board) -> impl Iterator<Item = Board> {
        board.legal_moves().map(|cell| {
            let mut child = board.clone();
            child.play(cell).unwrap();
            child
        })
    }

    /// For each board of 3×3, its distance from the goal and the number of its shortest solutions,
    /// by breadth-first search. The boards are in the order of the search.
    fn counted<C: Iterator<Item = Board>>(
        children: impl Fn(&Board) -> C,
    ) -> Vec<(Board, u32, usize)> {
        let goal = Board::solved("3x3".parse().unwrap());
        let mut index = HashMap::from([(goal.clone(), 0)]);
        let mut boards = vec![(goal, 0, 1)];
        let mut next = 0;
        while let Some((board, depth, count)) = boards.get(next).cloned() {
            next += 1;
            for child in children(&board) {
                let at = *index.entry(child.clone()).or_insert(boards.len());
                if at == boards.len() {
                    boards.push((child, depth + 1, 0));
                }
                if boards[at].1 == depth + 1 {
                    boards[at].2 += count;
                }
            }
        }
        boards
    }

    #[test]
    fn the_shortest_solutions_of_3x3_are_as_many_as_breadth_first_search_counts() {
        let spec = TableSpec::new("3x3".parse().unwrap(), TableGrade::Default);
        let table = spec.ok().map(|spec| Arc::new(build(spec, &|work| work(), &|_| {})));
        let tables = table.map_or_else(Tables::none, |table| Tables::none().with(table));
        let boards = counted(|board| children(board).collect::<Vec<_>>().into_iter());
        assert_eq!(boards.len(), 181_440);
        let farthest = boards.iter().rev().take(200);
        for (board, depth, count) in boards.iter().step_by(997).chain(farthest) {
            let solutions = enumerate(board, Extent::Shortest, &tables, usize::MAX);
            assert_eq!(solutions.len(), *count, "{board}");
            assert!(solutions.iter().all(|solution| solution.len() == *depth), "{board}");
        }
    }

    #[test]
    fn the_fewest_slides_of_3x3_are_found_in_as_many_ways_as_breadth_first_search_counts() {
        let spec = TableSpec::new("3x3".parse().unwrap(), TableGrade::Mtm).unwrap();
        let tables = Tables::none().with(Arc::new(build(spec, &|work| work(), &|_| {})));
        let boards = counted(|board| slides(board).collect::<Vec<_>>().into_iter());
        assert_eq!(boards.len(), 181_440);
        let farthest = boards.iter().rev().take(200);
        for (board, depth, count) in boards.iter().step_by(997).chain(farthest) {
            let solutions = enumerate_mtm(board, Extent::Shortest, &tables, usize::MAX);
            assert_eq!(solutions.len(), *count, "{board}");
            assert!(solutions.iter().all(|solution| solution.count().acts == *depth), "{board}");
        }
    }

    /// Counts the paths to the goal that pass no board twice, by their lengths.
    fn simple_paths(path: &mut Vec<Board>, counts: &mut [usize]) {
        let board = path[path.len() - 1].clone();
        if board.is_solved() {
            counts[path.len() - 1] += 1;
        } else if path.len() < counts.len() {
            for child in children(&board) {
                if !path.contains(&child) {
                    path.push(child);
                    simple_paths(path, counts);
                    path.pop();
                }
            }
        }
    }

    #[test]
    fn longer_solutions_follow_and_none_passes_a_board_twice() {
        // With a limit that paths which go around a block of 2×2 exceed.
        for (size, seed, longest) in
            [("2x3", 1, 34), ("3x2", 2, 34), ("2x3", 3, 34), ("2x2", 1, 11), ("2x2", 2, 11)]
        {
            let size: Size = size.parse().unwrap();
            let board = scrambled(size.rows(), size.cols(), seed);
            let mut counts = vec![0; longest + 1];
            simple_paths(&mut vec![board.clone()], &mut counts);
            let all = counts.iter().sum();
            let solutions = enumerate(&board, Extent::All, &Tables::none(), all);
            let mut found = vec![0; longest + 1];
            solutions.iter().for_each(|solution| found[solution.len() as usize] += 1);
            assert_eq!(found, counts, "{board}");
        }
    }

    #[test]
    fn solutions_of_more_slides_follow() {
        for (size, seed, most) in [("2x3", 1, 12), ("3x2", 2, 12), ("2x2", 1, 11)] {
            let size: Size = size.parse().unwrap();
            let board = scrambled(size.rows(), size.cols(), seed);
            // All single-tile paths with this number of slides that pass no board twice.
            let mut counts = vec![0; 2 * most + 1];
            let mut paths = vec![(vec![board.clone()], Vec::new())];
            while let Some((path, moves)) = paths.pop() {
                let solution = Solution::new(moves, 0, 0);
                let last = &path[path.len() - 1];
                if last.is_solved() {
                    counts[solution.count().acts as usize] += 1;
                    continue;
                }
                for way in Direction::ALL {
                    let mut child = last.clone();
                    let moves = [solution.moves(), &[way]].concat();
                    let acts = Solution::new(moves.clone(), 0, 0).count().acts as usize;
                    if acts <= most && child.step(way).is_some() && !path.contains(&child) {
                        paths.push(([&path[..], &[child]].concat(), moves));
                    }
                }
            }
            let all = counts.iter().sum();
            let solutions = enumerate_mtm(&board, Extent::All, &Tables::none(), all);
            let mut found = vec![0; counts.len()];
            solutions.iter().for_each(|solution| found[solution.count().acts as usize] += 1);
            assert_eq!(found, counts, "{board}");
        }
    }

    #[test]
    fn small_boards_have_few_solutions() {
        for (board, count) in [("1 2/0 3", 2), ("1 0 2 3", 1), ("1 2/3 0", 1), ("1 2 3 0", 1)] {
            let solutions =
                enumerate(&board.parse().unwrap(), Extent::All, &Tables::none(), usize::MAX);
            assert_eq!(solutions.len(), count, "{board}");
            let solutions =
                enumerate_mtm(&board.parse().unwrap(), Extent::All, &Tables::none(), usize::MAX);
            assert_eq!(solutions.len(), count, "{board}");
        }
    }

    #[test]
    fn slices_change_nothing() {
        let board = scrambled(3, 3, 5);
        let whole = enumerate(&board, Extent::All, &Tables::none(), 200);
        let search = IdaStar::new(&board, &Tables::none()).unwrap();
        let mut search = Enumeration::new(ShortestSearch::SingleTile(search), Extent::All);
        let mut sliced = Vec::new();
        while sliced.len() < whole.len() {
            match search.advance(Budget(3)) {
                NextSolution::Found(solution) => sliced.push(solution),
                NextSolution::Finished => panic!("{} of {}", sliced.len(), whole.len()),
                NextSolution::OverBudget => {}
            }
        }
        assert_eq!(sliced, whole);
    }
}
