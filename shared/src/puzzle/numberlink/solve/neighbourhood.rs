//! Large neighbourhood search: a second solution that differs from a known one in a square window
//! (Shaw, "Using constraint programming and local search methods to solve vehicle routing
//! problems", 1998).
//!
//! The parts of the known links inside a window are a puzzle of their own, in which the cells
//! where a link enters or leaves are terminals. A second solution of it is one of the whole
//! puzzle. The windows grow, since small ones are searched in microseconds.

use super::portfolio::{Portfolio, PortfolioStatus};
use super::row_search::SolutionClass;
use crate::puzzle::numberlink::{Puzzle, Rule, Solution, Square, Touch};
use crate::util::grid::{Cell, Size};

const FIRST_WINDOW_SIDE: usize = 6;
/// A window is moved by its side divided by this.
const STRIDE_DIVISOR: usize = 4;

/// The node limit of a window.
const MAX_WINDOW_NODES: u64 = 1 << 20;

/// The search for a full solution without touches, which is found at once where there is one, and
/// then for another near it.
#[derive(Debug)]
pub(super) struct NeighbourhoodSearch<'a> {
    puzzle: &'a Puzzle,
    rule: Rule,
    /// Every solution is one step away from one of this class.
    class: SolutionClass,
    full: Portfolio<'a>,
    known: Option<Solution>,
    next_window: Option<Window>,
    window_nodes: u64,
}

/// A square of cells by its first row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    side: usize,
    row: usize,
    col: usize,
}

impl<'a> NeighbourhoodSearch<'a> {
    pub const fn new(puzzle: &'a Puzzle, rule: Rule, class: SolutionClass) -> Self {
        Self {
            puzzle,
            rule,
            class,
            full: Portfolio::new(puzzle, SolutionClass::FullTaut, 0),
            known: None,
            next_window: Some(Window { side: FIRST_WINDOW_SIDE, row: 0, col: 0 }),
            window_nodes: 0,
        }
    }

    /// Returns the nodes used so far.
    pub const fn nodes(&self) -> u64 {
        self.full.nodes + self.window_nodes
    }

    /// Returns whether all windows were searched, or there is no solution from which to start.
    pub const fn is_exhausted(&self) -> bool {
        self.next_window.is_none()
    }

    /// Searches the next window, or continues to look for a first solution; uses about `budget`
    /// nodes at most. Returns two solutions, if it finds them.
    pub fn resume(&mut self, budget: u64) -> Option<[Solution; 2]> {
        let Some(known) = &self.known else {
            match self.full.resume(budget) {
                PortfolioStatus::Found(found) if found.solves(self.puzzle, self.rule) => {
                    self.known = Some(found);
                }
                PortfolioStatus::Found(_) | PortfolioStatus::Spent => {}
                PortfolioStatus::Exhausted => self.next_window = None,
            }
            return None;
        };
        let size = self.puzzle.size();
        let window = self.next_window?;
        self.next_window = window.next(size);
        let part = window.puzzle(self.puzzle, known)?;
        let mut inside = Portfolio::new(&part, self.class, 0);
        let limit = budget.min(MAX_WINDOW_NODES);
        let mut second = None;
        while let PortfolioStatus::Found(found) = inside.resume(limit - inside.nodes.min(limit)) {
            let other = window.replace(size, known, &found);
            if other != *known && other.solves(self.puzzle, self.rule) {
                second = Some([known.clone(), other]);
                break;
            }
        }
        self.window_nodes += inside.nodes;
        second
    }
}

impl Window {
    /// Returns the next window: to the right, then below, then larger, up to nearly the whole
    /// board.
    fn next(self, size: Size) -> Option<Self> {
        let Self { side, row, col } = self;
        let stride = side / STRIDE_DIVISOR;
        let after = |at: usize, length: usize| {
            let last = length.saturating_sub(side);
            (at < last).then(|| (at + stride).min(last))
        };
        if let Some(col) = after(col, size.cols()) {
            Some(Self { side, row, col })
        } else if let Some(row) = after(row, size.rows()) {
            Some(Self { side, row, col: 0 })
        } else {
            let side = side + 2;
            (side < size.rows().min(size.cols())).then_some(Self { side, row: 0, col: 0 })
        }
    }

    fn size(self, board: Size) -> Option<Size> {
        Size::new(self.side.min(board.rows()), self.side.min(board.cols())).ok()
    }

    /// Returns the window's cell at a cell of the board, if it lies inside.
    fn inside(self, board: Size, cell: Cell) -> Option<Cell> {
        let own = self.size(board)?;
        let row = board.row_of(cell).checked_sub(self.row)?;
        let col = board.col_of(cell).checked_sub(self.col)?;
        (row < own.rows() && col < own.cols()).then(|| own.cell(row, col))
    }

    /// Splits a link into runs of cells that are all inside the window or all outside.
    fn runs(self, board: Size, link: &[Cell]) -> impl Iterator<Item = &[Cell]> {
        let is_inside = move |&cell: &Cell| self.inside(board, cell).is_some();
        link.chunk_by(move |a, b| is_inside(a) == is_inside(b))
    }

    /// Returns the puzzle of the window: a pair for each run of at least two cells.
    fn puzzle(self, puzzle: &Puzzle, known: &Solution) -> Option<Puzzle> {
        let board = puzzle.size();
        let cells = (0u16..).map(Cell).zip(puzzle.squares());
        let solid = cells.filter(|(_, square)| **square == Square::Solid);
        let mut solids: Vec<Cell> =
            solid.filter_map(|(cell, _)| self.inside(board, cell)).collect();
        let mut terminals = Vec::new();
        for run in known.0.iter().flat_map(|link| self.runs(board, link)) {
            let ends = [run.first(), run.last()].map(|end| self.inside(board, *end?));
            let [Some(from), Some(to)] = ends else { continue };
            if from == to {
                solids.push(from);
            } else {
                let number = terminals.len() as u16 / 2 + 1;
                terminals.extend([(number, from), (number, to)]);
            }
        }
        Puzzle::new(self.size(board)?, &terminals, &solids, Touch::Free).ok()
    }

    /// Returns a solution with the runs inside the window replaced.
    fn replace(self, board: Size, known: &Solution, inside: &Solution) -> Solution {
        let mut inside = inside.0.iter();
        let own = self.size(board).unwrap_or(board);
        let place =
            |cell: &Cell| board.cell(self.row + own.row_of(*cell), self.col + own.col_of(*cell));
        let mut replaced = |run: &[Cell]| {
            if run.len() == 1 || self.inside(board, run[0]).is_none() {
                return run.to_vec();
            }
            let mut link: Vec<Cell> = inside.next().into_iter().flatten().map(place).collect();
            if link.first() != run.first() {
                link.reverse();
            }
            link
        };
        let link = |link: &Vec<Cell>| self.runs(board, link).flat_map(&mut replaced).collect();
        Solution(known.0.iter().map(link).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::numberlink::Mode;
    use crate::puzzle::numberlink::generate::make;

    /// Searches all windows of a seed's board.
    fn search(size: &str, mode: Mode, seed: u32) -> Option<[Solution; 2]> {
        let seed = format!("window{seed}").parse().unwrap();
        let puzzle = make(size.parse().unwrap(), mode, &seed).unwrap().puzzle;
        let mut search = NeighbourhoodSearch::new(&puzzle, Rule::Loose, SolutionClass::Taut);
        while !search.is_exhausted() {
            if let Some(two) = search.resume(100_000) {
                assert!(two.iter().all(|one| one.solves(&puzzle, Rule::Loose)));
                assert_ne!(two[0], two[1]);
                return Some(two);
            }
        }
        None
    }

    #[test]
    fn no_window_of_a_board_with_one_solution_has_a_second() {
        for seed in 0..8 {
            assert_eq!(search("12x12", Mode::Any, seed), None);
            assert_eq!(search("7x11", Mode::Any, seed), None);
        }
    }

    #[test]
    fn second_solutions_are_found_beside_solid_cells() {
        assert!((0..40).any(|seed| search("11x9", Mode::Classic, seed).is_some()));
    }

    #[test]
    fn windows_cover_the_board_and_grow() {
        let size = Size::new(9, 12).unwrap();
        let first = Window { side: FIRST_WINDOW_SIDE, row: 0, col: 0 };
        let windows: Vec<Window> =
            std::iter::successors(Some(first), |window| window.next(size)).collect();
        for side in [6, 8] {
            let own = || windows.iter().filter(|window| window.side == side);
            assert!(
                (0u16..108).map(Cell).all(|cell| own().any(|w| w.inside(size, cell).is_some()))
            );
            assert!(own().all(|w| w.row + side <= 9 && w.col + side <= 12));
        }
        assert_eq!(windows.last(), Some(&Window { side: 8, row: 1, col: 4 }));
    }
}
