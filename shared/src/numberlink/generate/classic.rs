//! The classic generator: paths are drawn at random, and only their ends are kept.
//!
//! A path begins with a random pair of free neighbours, and grows from its head into a random
//! free neighbour that touches the path nowhere else, until there is none. Single cells
//! that are left over become solid. Union-find tells which cells are of one path.

use crate::grid::{Cell, Size};
use crate::hint::Budget;
use crate::numberlink::solve::{Verdict, count};
use crate::numberlink::{Puzzle, Rule, Touch};
use crate::seed::{PortableRng, Seed};

/// How many boards are drawn at most until one has a single solution: of large ones hardly
/// any has.
const TRIES: u32 = 400;
/// The work that the proof of one may cost.
const PROOF_BUDGET: Budget = Budget(20_000);

/// Draws boards until one has a single solution, or enough were drawn.
pub(super) fn classic(size: Size, seed: &Seed) -> Puzzle {
    let mut chance = seed.rng("gridrace link classic", &size.to_string());
    let mut tries = 1;
    loop {
        if let Some(puzzle) = draw(size, &mut chance) {
            let solutions = count(&puzzle, Rule::of(&puzzle), PROOF_BUDGET);
            if tries >= TRIES || matches!(solutions.verdict, Verdict::Unique(_)) {
                return puzzle;
            }
        }
        tries += 1;
    }
}

/// Draws paths until no two neighbours are free.
fn draw(size: Size, chance: &mut PortableRng) -> Option<Puzzle> {
    let mut paths = Paths::new(size);
    let mut terminals = Vec::new();
    for number in 1u16.. {
        let Some(path) = paths.draw(chance) else {
            break;
        };
        terminals.extend([(number, *path.first()?), (number, *path.last()?)]);
    }
    let solids: Vec<Cell> = paths.cells().filter(|&cell| paths.is_free(cell)).collect();
    Puzzle::new(size, &terminals, &solids, Touch::Free).ok()
}

/// The paths so far: a cell's root is that of its path, and a free cell's its own.
struct Paths {
    size: Size,
    parents: Vec<Cell>,
    free: Vec<bool>,
}

impl Paths {
    fn new(size: Size) -> Self {
        let mut paths = Self {
            size,
            parents: Vec::new(),
            free: vec![true; size.cells()],
        };
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

    /// Takes a cell into the path of another.
    fn join(&mut self, cell: Cell, path: Cell) {
        let (root, cell) = (self.root(path), usize::from(cell.0));
        self.parents[cell] = root;
        self.free[cell] = false;
    }

    /// Draws one path; nothing where no two neighbours are free.
    fn draw(&mut self, chance: &mut PortableRng) -> Option<Vec<Cell>> {
        let free = |cell: Cell| {
            self.size
                .neighbours(cell)
                .filter(|&next| self.is_free(next))
        };
        let cells = self.cells().filter(|&cell| self.is_free(cell));
        let pairs: Vec<[Cell; 2]> = cells
            .flat_map(|cell| free(cell).map(move |next| [cell, next]))
            .collect();
        let [tail, mut head] = pick(&pairs, chance)?;
        self.free[usize::from(tail.0)] = false;
        self.join(head, tail);
        let mut path = vec![tail, head];
        while let Some(next) = pick(&self.ways_on(head), chance) {
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

fn pick<T: Copy>(among: &[T], chance: &mut PortableRng) -> Option<T> {
    let count = u32::try_from(among.len()).ok().filter(|&count| count > 0)?;
    among.get(chance.below(count) as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numberlink::solve::first;

    #[test]
    fn every_board_has_a_solution_that_touches_nowhere_and_most_small_ones_only_one() {
        let mut single = 0;
        for n in 0..40 {
            let size = ["4x4", "5x7", "8x8", "12x9"][n % 4].parse().unwrap();
            let puzzle = classic(size, &format!("seed-{n}").parse().unwrap());
            let found = first(&puzzle, Rule::Full, Budget(10_000_000));
            assert!(found.solution.is_ok());
            let solutions = count(&puzzle, Rule::Full, PROOF_BUDGET);
            single += usize::from(matches!(solutions.verdict, Verdict::Unique(_)));
        }
        assert!(single >= 20, "{single}");
    }

    #[test]
    fn no_two_cells_that_are_left_over_are_neighbours() {
        let mut chance = "friday".parse::<Seed>().unwrap().rng("test", "");
        for _ in 0..20 {
            let size: Size = "9x9".parse().unwrap();
            let mut paths = Paths::new(size);
            while let Some(path) = paths.draw(&mut chance) {
                assert!(path.len() > 1);
                assert!(
                    path.windows(2)
                        .all(|two| size.distance(two[0], two[1]) == 1)
                );
            }
            let free = |cell: &Cell| paths.is_free(*cell);
            for cell in paths.cells().filter(free) {
                assert!(!size.neighbours(cell).any(|next| paths.is_free(next)));
            }
        }
    }
}
