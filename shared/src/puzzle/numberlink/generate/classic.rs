//! The classic generator: draws random paths and keeps only their ends.
//!
//! A path starts with a random pair of free neighbours and grows from its head into a random free
//! neighbour that touches the path nowhere else, until there is none. Single cells that are left
//! over become solid. Union-find tells which cells belong to the same path.
//!
//! Most boards up to 10×10 have one full solution, hardly any of the largest has. So boards are
//! drawn until one is proved to have one, or until there are [`MAX_ATTEMPTS`] of them; the last is
//! then returned unproved. It is playable all the same, since any full solution wins.

use super::generated_puzzle::{GeneratedPuzzle, puzzle_of};
use super::row_layout::{LAYOUT_SIDES, SolvedBoard};
use crate::puzzle::numberlink::Rule;
use crate::puzzle::numberlink::generate::second_solution::{SecondSolution, SecondSolutionSearch};
use crate::util::grid::{Cell, Size};
use crate::util::seed::{PortableRng, Seed};

/// The maximum number of boards drawn.
const MAX_ATTEMPTS: u32 = 400;

/// The node budget of a proof per cell: boards that need more are mostly not unique.
const PROOF_NODES_PER_CELL: u64 = 100;

/// Generates the classic board of a seed.
pub(super) fn make<E>(
    size: Size,
    seed: &Seed,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<GeneratedPuzzle, E> {
    let mut rng = seed.rng("gridrace link classic", &size.to_string());
    let mut search = SecondSolutionSearch::default();
    let mut attempts = 0;
    loop {
        go_on()?;
        let links = draw(size, &mut rng);
        attempts += 1;
        let can_be_proved = LAYOUT_SIDES.contains(&size.rows().max(size.cols()));
        let is_unique = can_be_proved && is_unique(size, &links, &mut search);
        if is_unique || !can_be_proved || attempts == MAX_ATTEMPTS {
            let (puzzle, solution) = puzzle_of(size, links);
            let unique = is_unique.then_some(Rule::Full);
            return Ok(GeneratedPuzzle { puzzle, solution, unique });
        }
    }
}

fn is_unique(size: Size, links: &[Vec<Cell>], search: &mut SecondSolutionSearch) -> bool {
    let solved = SolvedBoard { size, links, full: true };
    let limit = size.cells() as u64 * PROOF_NODES_PER_CELL;
    search.run(&solved, limit) == SecondSolution::None
}

/// Draws paths until no two neighbours are free.
fn draw(size: Size, rng: &mut PortableRng) -> Vec<Vec<Cell>> {
    let mut paths = Paths::new(size);
    std::iter::from_fn(|| paths.draw(rng)).collect()
}

/// The paths so far: a cell's root identifies its path; that of a free cell is itself.
struct Paths {
    size: Size,
    parents: Vec<Cell>,
    free: Vec<bool>,
}

impl Paths {
    fn new(size: Size) -> Self {
        let mut paths = Self { size, parents: Vec::new(), free: vec![true; size.cells()] };
        paths.parents = paths.cells().collect();
        paths
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        (0..u16::try_from(self.size.cells()).unwrap_or(u16::MAX)).map(Cell)
    }

    fn is_free(&self, cell: Cell) -> bool {
        self.free[usize::from(cell.0)]
    }

    fn root(&self, mut cell: Cell) -> Cell {
        while self.parents[usize::from(cell.0)] != cell {
            cell = self.parents[usize::from(cell.0)];
        }
        cell
    }

    fn join(&mut self, cell: Cell, path: Cell) {
        let (root, cell) = (self.root(path), usize::from(cell.0));
        self.parents[cell] = root;
        self.free[cell] = false;
    }

    /// Draws one path; returns `None` when no two neighbours are free.
    fn draw(&mut self, rng: &mut PortableRng) -> Option<Vec<Cell>> {
        let free = |cell: Cell| self.size.neighbours(cell).filter(|&next| self.is_free(next));
        let cells = self.cells().filter(|&cell| self.is_free(cell));
        let pairs: Vec<[Cell; 2]> =
            cells.flat_map(|cell| free(cell).map(move |next| [cell, next])).collect();
        let [tail, mut head] = pick(&pairs, rng)?;
        self.free[usize::from(tail.0)] = false;
        self.join(head, tail);
        let mut path = vec![tail, head];
        while let Some(next) = pick(&self.ways_on(head), rng) {
            self.join(next, head);
            path.push(next);
            head = next;
        }
        Some(path)
    }

    /// Returns the free neighbours of a path's head that touch it nowhere else.
    fn ways_on(&self, head: Cell) -> Vec<Cell> {
        let path = self.root(head);
        let touches = |cell: Cell| {
            let neighbours = self.size.neighbours(cell);
            neighbours.filter(|&next| self.root(next) == path).count()
        };
        let neighbours = self.size.neighbours(head);
        let ways = neighbours.filter(|&next| self.is_free(next) && touches(next) == 1);
        ways.collect()
    }
}

fn pick<T: Copy>(among: &[T], rng: &mut PortableRng) -> Option<T> {
    let count = u32::try_from(among.len()).ok().filter(|&count| count > 0)?;
    among.get(rng.below(count) as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_leftover_cells_are_neighbours() {
        let mut rng = "friday".parse::<Seed>().unwrap().rng("test", "");
        for _ in 0..20 {
            let size: Size = "9x9".parse().unwrap();
            let mut paths = Paths::new(size);
            while let Some(path) = paths.draw(&mut rng) {
                assert!(path.len() > 1);
                assert!(path.windows(2).all(|two| size.distance(two[0], two[1]) == 1));
            }
            let free = |cell: &Cell| paths.is_free(*cell);
            for cell in paths.cells().filter(free) {
                assert!(!size.neighbours(cell).any(|next| paths.is_free(next)));
            }
        }
    }

    #[test]
    fn sizes_beyond_the_proof_have_boards_too() {
        for size in ["2x2", "2x40", "40x40", "33x3"] {
            let seed = "large".parse().unwrap();
            let Ok(made) =
                make(size.parse().unwrap(), &seed, &crate::puzzle::numberlink::generate::always);
            assert!(made.solution.solves(&made.puzzle, Rule::FullNoTouch));
        }
    }
}
