//! All ways to cover a grid with links of two or more cells, by exhaustive search.

use gridrace_shared::puzzle::numberlink::Solution;
use gridrace_shared::util::grid::{Cell, Direction, Size};

/// Returns every cover, its links in the order of their first cells.
pub fn covers(size: Size) -> Vec<Solution> {
    let mut covers = Vec::new();
    settle(size, 0, &mut vec![Vec::new(); size.cells()], &mut covers);
    covers
}

/// Returns the terminals of a cover, numbered in the order of its links.
pub fn terminals_of(cover: &Solution) -> Vec<(u16, Cell)> {
    let ends = |(number, link): (u16, &Vec<Cell>)| {
        [link[0], link[link.len() - 1]].map(|end| (number, end))
    };
    (1..).zip(&cover.0).flat_map(ends).collect()
}

/// Chooses the edges of a cell to the right and downwards, then those of the later cells.
fn settle(size: Size, at: usize, joined: &mut Vec<Vec<Cell>>, covers: &mut Vec<Solution>) {
    if at == size.cells() {
        covers.push(cover(joined));
        return;
    }
    let cell = Cell(at as u16);
    for ways in
        [&[][..], &[Direction::Right], &[Direction::Down], &[Direction::Right, Direction::Down]]
    {
        let next: Option<Vec<Cell>> = ways.iter().map(|&way| size.neighbour(cell, way)).collect();
        let Some(next) = next else { continue };
        let mut drawn = 0;
        for &next in &next {
            let fits = joined[usize::from(next.0)].len() < 2 && end_of(joined, cell) != Some(next);
            if !fits {
                break;
            }
            joined[at].push(next);
            joined[usize::from(next.0)].push(cell);
            drawn += 1;
        }
        if drawn == next.len() && (1..=2).contains(&joined[at].len()) {
            settle(size, at + 1, joined, covers);
        }
        for next in &next[..drawn] {
            joined[at].pop();
            joined[usize::from(next.0)].pop();
        }
    }
}

/// Returns the cells of a link from one end to the other.
fn walk(joined: &[Vec<Cell>], from: Cell) -> Vec<Cell> {
    let mut link = vec![from];
    loop {
        let at = link[link.len() - 1];
        let next = joined[usize::from(at.0)]
            .iter()
            .find(|cell| !link[link.len().saturating_sub(2)..].contains(cell));
        match next {
            Some(&next) if next != from => link.push(next),
            _ => return link,
        }
    }
}

fn end_of(joined: &[Vec<Cell>], from: Cell) -> Option<Cell> {
    // A cell with two edges is no end and gets no third one.
    walk(joined, from).last().copied().filter(|&end| end != from)
}

fn cover(joined: &[Vec<Cell>]) -> Solution {
    let ends = (0..joined.len() as u16).map(Cell).filter(|at| joined[usize::from(at.0)].len() == 1);
    let links = ends.map(|end| walk(joined, end));
    Solution(links.filter(|link| link[0] < link[link.len() - 1]).collect())
}
