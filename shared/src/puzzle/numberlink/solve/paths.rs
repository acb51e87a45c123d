//! Links from edges, and solutions derived from others.

use super::layout::Layout;
use crate::puzzle::numberlink::{Puzzle, Solution, Square};
use crate::util::grid::Cell;
use std::collections::VecDeque;

/// Traces the edges of a solved layout from each number's first terminal to its second.
pub(super) fn links(puzzle: &Puzzle, layout: &Layout, rights: &[u64], downs: &[u64]) -> Solution {
    let cols = layout.cols;
    let mut next: Vec<Vec<Cell>> = vec![Vec::new(); layout.cells.len()];
    let mut edge = |from: usize, to: usize| {
        let (from, to) = (layout.origin[from], layout.origin[to]);
        next[usize::from(from.0)].push(to);
        next[usize::from(to.0)].push(from);
    };
    for at in 0..layout.cells.len() {
        let (row, col) = (at / cols, at % cols);
        if rights[row] >> col & 1 != 0 {
            edge(at, at + 1);
        }
        if downs[row] >> col & 1 != 0 {
            edge(at, at + cols);
        }
    }
    let link = |&[from, to]: &[Cell; 2]| {
        let mut link = vec![from];
        let (mut last, mut at) = (from, from);
        while at != to {
            let on = next[usize::from(at.0)].iter().find(|&&on| on != last);
            let Some(&on) = on else { break };
            (last, at) = (at, on);
            link.push(at);
        }
        link
    };
    Solution(puzzle.pairs().iter().map(link).collect())
}

/// Returns another solution, possibly with empty cells, that is one step away from a given one: a
/// link shortened where it touches itself, or led through empty cells.
///
/// Every solution becomes a taut one by shortening links and pushing corners downwards. So if
/// there is one taut solution and no other is a step away from it, there is no other.
pub(super) fn another(puzzle: &Puzzle, solution: &Solution) -> Option<Solution> {
    let mut is_free: Vec<bool> = puzzle.squares().iter().map(|s| *s == Square::Open).collect();
    for cell in solution.0.iter().flatten() {
        is_free[usize::from(cell.0)] = false;
    }
    (0..solution.0.len()).find_map(|n| {
        let link = &solution.0[n];
        let shorter = shortened(puzzle, link);
        let changed = shorter.or_else(|| rerouted(puzzle, link, &is_free))?;
        let mut links = solution.0.clone();
        links[n] = changed;
        Some(Solution(links))
    })
}

fn shortened(puzzle: &Puzzle, link: &[Cell]) -> Option<Vec<Cell>> {
    let size = puzzle.size();
    (0..link.len()).find_map(|from| {
        let to =
            (from + 2..link.len()).rev().find(|&to| size.distance(link[from], link[to]) == 1)?;
        Some([&link[..=from], &link[to..]].concat())
    })
}

/// Leads a link through empty cells between two of its cells.
fn rerouted(puzzle: &Puzzle, link: &[Cell], is_free: &[bool]) -> Option<Vec<Cell>> {
    (0..link.len()).find_map(|from| {
        let (way, to) = way_through(puzzle, link, from, is_free)?;
        Some([&link[..=from], &way, &link[to..]].concat())
    })
}

/// Returns a path of empty cells from one cell of a link to a later one, and the index of the
/// latter.
fn way_through(
    puzzle: &Puzzle,
    link: &[Cell],
    from: usize,
    is_free: &[bool],
) -> Option<(Vec<Cell>, usize)> {
    let size = puzzle.size();
    let mut came_from: Vec<Option<Cell>> = vec![None; size.cells()];
    let mut queue = VecDeque::from([link[from]]);
    while let Some(cell) = queue.pop_front() {
        for next in size.neighbours(cell) {
            let at = usize::from(next.0);
            if is_free[at] && came_from[at].is_none() {
                came_from[at] = Some(cell);
                queue.push_back(next);
            }
            let later = link[from + 1..].iter().position(|&on| on == next);
            let Some(later) = later.filter(|_| cell != link[from]) else {
                continue;
            };
            let mut way = vec![cell];
            while let Some(&Some(before)) = way.last().map(|cell| &came_from[usize::from(cell.0)]) {
                if before == link[from] {
                    break;
                }
                way.push(before);
            }
            way.reverse();
            return Some((way, from + 1 + later));
        }
    }
    None
}
