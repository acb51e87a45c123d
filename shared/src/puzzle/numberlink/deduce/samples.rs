//! Puzzles for the tests of this folder.

use crate::puzzle::numberlink::{Puzzle, Solution, Touch};
use crate::util::grid::{Cell, Size};
use crate::util::seed::{PortableRng, Seed};

pub(super) fn puzzle(text: &str) -> Puzzle {
    text.parse().unwrap()
}

/// Returns a puzzle with a solution: random walks, with single cells solid. A random half of them
/// has no walk that touches itself.
pub(super) fn random_puzzle(size: Size, rng: &mut PortableRng) -> (Puzzle, Solution) {
    loop {
        let untouching = rng.below(2) == 0;
        let mut free = vec![true; size.cells()];
        let mut order: Vec<u16> = (0u16..).take(size.cells()).collect();
        rng.permute(&mut order);
        let (mut links, mut solids) = (Vec::new(), Vec::new());
        for start in order.into_iter().map(Cell) {
            if !free[usize::from(start.0)] {
                continue;
            }
            let mut link = vec![start];
            free[usize::from(start.0)] = false;
            while let Some(next) = free_neighbour(size, &link, &free, untouching, rng) {
                free[usize::from(next.0)] = false;
                link.push(next);
            }
            if link.len() == 1 {
                solids.push(start);
            } else {
                links.push(link);
            }
        }
        if links.is_empty() {
            continue;
        }
        for link in &mut links {
            if link.first() > link.last() {
                link.reverse();
            }
        }
        let ends = (1u16..)
            .zip(&links)
            .flat_map(|(number, link)| [link[0], *link.last().unwrap()].map(|cell| (number, cell)));
        let terminals: Vec<_> = ends.collect();
        let puzzle = Puzzle::new(size, &terminals, &solids, Touch::Free).unwrap();
        return (puzzle, Solution(links));
    }
}

fn free_neighbour(
    size: Size,
    link: &[Cell],
    free: &[bool],
    untouching: bool,
    rng: &mut PortableRng,
) -> Option<Cell> {
    let head = *link.last().unwrap();
    let beside = |cell: Cell| link.iter().filter(|&&other| size.distance(cell, other) == 1).count();
    let cells: Vec<Cell> = size
        .neighbours(head)
        .filter(|&cell| free[usize::from(cell.0)] && (!untouching || beside(cell) == 1))
        .collect();
    let index = rng.below(u32::try_from(cells.len()).unwrap());
    cells.get(index as usize).copied()
}

pub(super) fn test_rng(name: &str) -> PortableRng {
    name.parse::<Seed>().unwrap().rng("test", "reason")
}
