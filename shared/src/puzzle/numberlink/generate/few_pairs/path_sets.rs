//! Second solutions within sets of neighbouring paths, by learned clauses: such a set has a second
//! solution of most boards that have one, and is searched in a hundredth of the time that the whole
//! board takes.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::generate::generated_puzzle::puzzle_of;
use crate::puzzle::numberlink::generate::region::{PathSet, owners};
use crate::puzzle::numberlink::generate::state_hash::bits;
use crate::puzzle::numberlink::solve::{Uniqueness, UniquenessProof};
use crate::util::grid::{Cell, Size};
use std::collections::BTreeSet;

/// The numbers of paths in a set: more find hardly more second solutions.
const SET_SIZES: [usize; 2] = [6, 8];

/// The node budget of a set. What is undecided counts as having no second solution.
const SET_NODES: u64 = 2_000_000;

/// Returns the paths in which a second solution of some set of neighbouring paths differs; `None` if
/// none is found.
pub(super) fn second_solution<E>(
    size: Size,
    links: &[Vec<Cell>],
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Option<Vec<u16>>, E> {
    let borders = Borders::new(size, links);
    let mut checked = BTreeSet::new();
    for count in SET_SIZES {
        for is_relative in [true, false] {
            for first in 0..links.len() {
                let set = borders.grow(first, count, is_relative);
                if !checked.insert(set) {
                    continue;
                }
                go_on()?;
                let changed = second_solution_of_set(size, links, set);
                if changed.is_some() {
                    return Ok(changed);
                }
            }
        }
    }
    Ok(None)
}

/// Returns the paths of a set in which a second solution differs that leaves the other paths as they
/// are.
fn second_solution_of_set(size: Size, links: &[Vec<Cell>], set: PathSet) -> Option<Vec<u16>> {
    let paths: Vec<u16> = bits(set).map(|path| path as u16).collect();
    let part = paths.iter().map(|&path| links[usize::from(path)].clone()).collect();
    let (puzzle, known): (Puzzle, _) = puzzle_of(size, part);
    let Some(Uniqueness::Second(other)) = UniquenessProof::new(&puzzle)?.resume(&known, SET_NODES)
    else {
        return None;
    };
    let differs = known.0.iter().zip(&other.0).filter(|(one, other)| one != other);
    let changed: BTreeSet<Cell> = differs.filter_map(|(link, _)| link.first().copied()).collect();
    let is_changed = |path: &u16| {
        let link = &links[usize::from(*path)];
        [link.first(), link.last()].into_iter().flatten().any(|end| changed.contains(end))
    };
    Some(paths.into_iter().filter(is_changed).collect())
}

/// How long the borders between paths are, in pairs of adjacent cells.
struct Borders {
    lengths: Vec<usize>,
    /// For each two paths.
    between: Vec<Vec<usize>>,
}

impl Borders {
    fn new(size: Size, links: &[Vec<Cell>]) -> Self {
        let owners = owners(size, links);
        let mut between = vec![vec![0; links.len()]; links.len()];
        for (path, link) in links.iter().enumerate() {
            for near in link.iter().flat_map(|&cell| size.neighbours(cell)) {
                between[path][owners[usize::from(near.0)]] += 1;
            }
        }
        Self { lengths: links.iter().map(Vec::len).collect(), between }
    }

    /// Grows a set from a path on, always by the path with the longest border to it, or with the longest
    /// one for its length.
    fn grow(&self, first: usize, count: usize, is_relative: bool) -> PathSet {
        let mut set: PathSet = 1 << first;
        while set.count_ones() < count as u32 {
            let weight = |path: usize| {
                let border: usize = bits(set).map(|inside| self.between[inside][path]).sum();
                if is_relative { 1_000 * border / self.lengths[path] } else { border }
            };
            let outside = (0..self.lengths.len()).filter(|&path| set >> path & 1 == 0);
            let Some(next) = outside.max_by_key(|&path| (weight(path), path)) else { break };
            set |= 1 << next;
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::numberlink::generate::partition::Partition;
    use std::convert::Infallible;

    const SIZE: (usize, usize) = (12, 12);

    fn size() -> Size {
        Size::new(SIZE.0, SIZE.1).unwrap()
    }

    #[test]
    fn a_set_grows_along_its_borders() {
        // Two rows each, so each is next to the one before and the one after.
        let borders = Borders::new(size(), &Partition::snake(size(), 6).links());
        assert_eq!(borders.grow(0, 3, true), 0b00_0111);
        assert_eq!(borders.grow(5, 2, false), 0b11_0000);
        assert_eq!(borders.grow(2, 9, false), 0b11_1111);
    }

    #[test]
    fn the_paths_of_a_second_solution_are_found_and_none_where_there_is_none() {
        // Each path leads there and back.
        let links = Partition::snake(size(), 6).links();
        let go_on = || Ok::<(), Infallible>(());
        let Ok(found) = second_solution(size(), &links, &go_on);
        assert!(found.is_some_and(|paths| !paths.is_empty()));
        let row = |row: usize| (0..12).map(|col| size().cell(row, col)).collect();
        let rows: Vec<Vec<Cell>> = (0..12).map(row).collect();
        assert_eq!(second_solution(size(), &rows, &go_on), Ok(None));
    }
}
