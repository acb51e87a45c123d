//! The solvers compared with an independent count on every instance of 3×3 and 4×4.

use super::samples::solutions as exhaustive;
use super::{RULES, counted};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution, Touch};
use crate::util::grid::{Cell, Direction, Size};
use std::collections::BTreeMap;

/// Solves every instance of a square with a full solution. Returns the number of instances, of
/// those with one full solution, of those whose only full solution has no touch, and of those with
/// one full solution without touches among any others.
fn census(side: usize) -> [usize; 4] {
    let size = Size::new(side, side).unwrap();
    let mut instances: BTreeMap<Vec<(u16, Cell)>, Vec<Solution>> = BTreeMap::new();
    for cover in covers(size) {
        instances.entry(terminals_of(&cover)).or_default().push(cover);
    }
    let mut census = [instances.len(), 0, 0, 0];
    for (n, (terminals, solutions)) in instances.iter().enumerate() {
        let puzzle = Puzzle::new(size, terminals, &[], Touch::Free).unwrap();
        let calm = |solution: &&Solution| solution.touches(&puzzle) == 0;
        let calm = solutions.iter().filter(calm).count();
        assert_eq!(counted(&puzzle, Rule::Full), solutions.len().min(2), "{puzzle:?}");
        assert_eq!(counted(&puzzle, Rule::FullNoTouch), calm.min(2), "{puzzle:?}");
        let loose = counted(&puzzle, Rule::Loose);
        if side < 4 || n % 100 == 0 {
            let all = RULES.map(|rule| exhaustive(&puzzle, rule).len());
            assert_eq!(all[1..], [solutions.len(), calm], "{puzzle:?}");
            assert_eq!(loose, all[0].min(2), "{puzzle:?}");
        }
        census[1] += usize::from(solutions.len() == 1);
        census[2] += usize::from(solutions.len() == 1 && calm == 1);
        census[3] += usize::from(calm == 1);
    }
    census
}

#[test]
fn every_instance_of_3x3_is_counted_correctly() {
    assert_eq!(census(3), [196, 150, 86, 86]);
}

/// 16,410 is the published number of 4×4 instances with a unique full solution. It counts
/// instances whose only full solution, including those that touch themselves, has no touch.
/// Rotations and reflections count separately; renumberings do not.
#[test]
fn every_instance_of_4x4_is_counted_correctly() {
    assert_eq!(census(4), [70_938, 51_836, 16_410, 16_454]);
}

/// Self-avoiding walks across a square of points, OEIS A007764; those through every point, OEIS
/// A001184, of which none is without a touch.
#[test]
fn counts_of_corner_to_corner_paths_match_published_ones() {
    for (side, counts) in [(2, [2, 0, 0]), (3, [12, 2, 0]), (4, [184, 0, 0]), (5, [8_512, 104, 0])]
    {
        let size = Size::new(side, side).unwrap();
        let ends = [(1, Cell(0)), (1, Cell(size.cells() as u16 - 1))];
        let puzzle = Puzzle::new(size, &ends, &[], Touch::Free).unwrap();
        assert_eq!(RULES.map(|rule| exhaustive(&puzzle, rule).len()), counts);
    }
}

/// Returns every cover, its links in the order of their first cells.
fn covers(size: Size) -> Vec<Solution> {
    let mut covers = Vec::new();
    settle(size, 0, &mut vec![Vec::new(); size.cells()], &mut covers);
    covers
}

/// Returns the terminals of a cover, numbered in the order of its links.
fn terminals_of(cover: &Solution) -> Vec<(u16, Cell)> {
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
