//! Parts of a board in which a second solution is searched for: it is found there in a fraction
//! of the time that the whole board takes (large neighbourhood search: Shaw 1998).

use super::row_layout::SolvedBoard;
use super::state_hash::bits;
use crate::puzzle::numberlink::generate::second_solution::{SecondSolution, SecondSolutionSearch};
use crate::util::grid::{Cell, Size};

/// A set of paths, a bit each.
pub(super) type PathSet = u32;

/// The sides of square windows, and the distances between two of them.
const WINDOWS: [(usize, usize); 2] = [(8, 2), (12, 4)];

/// The number of paths whose cells are a region.
const PATHS: usize = 4;

/// The node budgets of a window's search, and of a set of paths'. What is undecided counts as
/// having no second solution.
const WINDOW_NODES: u64 = 100_000;
const PATHS_NODES: u64 = 3_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Region {
    /// A square of cells by its side, first row and first column.
    Window(usize, usize, usize),
    /// The cells of some paths.
    Paths(PathSet),
}

/// What differs between two boards: the rows and columns of the cells whose edges do, and paths.
struct Changes {
    cells: Vec<(usize, usize)>,
    paths: PathSet,
}

/// The regions of a board and what was found there.
#[derive(Debug, Clone, Default)]
pub(super) struct CheckedRegions {
    links: Vec<Vec<Cell>>,
    /// The regions, in order, each with the paths in which a second solution differs; with none if
    /// none was found.
    regions: Vec<(Region, PathSet)>,
    /// The number of regions with a second solution.
    pub(super) ambiguous: usize,
}

impl CheckedRegions {
    /// Checks the windows of a board, and the connected sets of paths if `with_paths`. Regions that
    /// are the same as here are not checked again. Returns `None` if more than `most` have a second
    /// solution.
    pub(super) fn check(
        &self,
        size: Size,
        links: Vec<Vec<Cell>>,
        with_paths: bool,
        most: usize,
        search: &mut SecondSolutionSearch,
    ) -> Option<Self> {
        let mut all: Vec<Region> = windows(size).collect();
        if with_paths {
            all.extend(neighbouring_paths(size, &links).into_iter().map(Region::Paths));
        }
        let changes = Changes::new(size, &self.links, &links);
        let mut checked = Self { links, regions: Vec::with_capacity(all.len()), ambiguous: 0 };
        for region in all {
            let known = self.regions.binary_search_by_key(&region, |&(known, _)| known);
            let changed = match known {
                Ok(known) if !changes.affect(region) => self.regions[known].1,
                Ok(_) | Err(_) => region.second_solution(size, &checked.links, search),
            };
            checked.ambiguous += usize::from(changed != 0);
            if checked.ambiguous > most {
                return None;
            }
            checked.regions.push((region, changed));
        }
        Some(checked)
    }

    /// Returns the paths in which the second solution of an ambiguous region differs.
    pub(super) fn changed(&self, ambiguous: usize) -> Vec<u16> {
        let mut changed = self.regions.iter().map(|&(_, changed)| changed).filter(|&set| set != 0);
        changed.nth(ambiguous).map_or_else(Vec::new, paths)
    }
}

impl Region {
    fn size(self, board: Size) -> Size {
        match self {
            Self::Window(side, ..) => Size::new(side, side).unwrap_or(board),
            Self::Paths(_) => board,
        }
    }

    /// Returns the parts of links inside the region that have at least two cells, and their links.
    fn part(self, board: Size, links: &[Vec<Cell>]) -> (Vec<Vec<Cell>>, Vec<u16>) {
        let mut parts = Vec::new();
        let mut owners = Vec::new();
        for (owner, link) in (0u16..).zip(links) {
            match self {
                Self::Paths(set) if set >> owner & 1 != 0 => {
                    parts.push(link.clone());
                    owners.push(owner);
                }
                Self::Paths(_) => {}
                Self::Window(side, row, col) => {
                    let own = self.size(board);
                    let inside = |cell: &Cell| {
                        let row = board.row_of(*cell).checked_sub(row)?;
                        let col = board.col_of(*cell).checked_sub(col)?;
                        (row < side && col < side).then(|| own.cell(row, col))
                    };
                    let runs = link.chunk_by(|a, b| inside(a).is_some() == inside(b).is_some());
                    for run in runs {
                        let part: Vec<Cell> = run.iter().filter_map(inside).collect();
                        if part.len() > 1 {
                            parts.push(part);
                            owners.push(owner);
                        }
                    }
                }
            }
        }
        (parts, owners)
    }

    /// Returns the paths in which a second solution of the region differs, if one is found.
    fn second_solution(
        self,
        board: Size,
        links: &[Vec<Cell>],
        search: &mut SecondSolutionSearch,
    ) -> PathSet {
        let (links, owners) = self.part(board, links);
        let limit = match self {
            Self::Window(..) => WINDOW_NODES,
            Self::Paths(_) => PATHS_NODES,
        };
        let solved = SolvedBoard { size: self.size(board), links: &links, full: false };
        match search.run(&solved, limit) {
            SecondSolution::Some(changed) => {
                changed.iter().fold(0, |set, &at| set | 1 << owners[usize::from(at)])
            }
            SecondSolution::None | SecondSolution::Unknown => 0,
        }
    }
}

impl Changes {
    fn new(size: Size, from: &[Vec<Cell>], to: &[Vec<Cell>]) -> Self {
        let cells = edges(size, from).into_iter().zip(edges(size, to)).enumerate();
        let changed = cells.filter(|(_, (from, to))| from != to);
        let place = |at: usize| (at / size.cols(), at % size.cols());
        let is_changed = |&path: &usize| from.get(path) != to.get(path);
        let paths = (0..to.len()).filter(is_changed).fold(0, |set, path| set | 1 << path);
        Self { cells: changed.map(|(at, _)| place(at)).collect(), paths }
    }

    fn affect(&self, region: Region) -> bool {
        match region {
            Region::Paths(set) => set & self.paths != 0,
            Region::Window(side, row, col) => {
                let is_inside = |&(r, c): &(usize, usize)| {
                    (row..row + side).contains(&r) && (col..col + side).contains(&c)
                };
                self.cells.iter().any(is_inside)
            }
        }
    }
}

/// Returns the cells before and after each cell on its link, the lower first.
fn edges(size: Size, links: &[Vec<Cell>]) -> Vec<[Option<Cell>; 2]> {
    let mut edges = vec![[None; 2]; size.cells()];
    for link in links {
        for (at, &cell) in link.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| link.get(before)).copied();
            let mut both = [before, link.get(at + 1).copied()];
            both.sort_unstable();
            edges[usize::from(cell.0)] = both;
        }
    }
    edges
}

/// Returns the windows of a board, in order.
fn windows(size: Size) -> impl Iterator<Item = Region> {
    WINDOWS.into_iter().flat_map(move |(side, stride)| {
        let starts = move |length: usize| (0..=length.saturating_sub(side)).step_by(stride);
        let row = move |row| starts(size.cols()).map(move |col| Region::Window(side, row, col));
        starts(size.rows()).flat_map(row)
    })
}

/// Returns the path of each cell.
pub(super) fn owners(size: Size, links: &[Vec<Cell>]) -> Vec<usize> {
    let mut owners = vec![0; size.cells()];
    for (path, link) in links.iter().enumerate() {
        for cell in link {
            owners[usize::from(cell.0)] = path;
        }
    }
    owners
}

/// Returns the connected sets of [`PATHS`] paths, in order.
fn neighbouring_paths(size: Size, links: &[Vec<Cell>]) -> Vec<PathSet> {
    let owners = owners(size, links);
    let beside = |link: &Vec<Cell>| {
        let cells = link.iter().flat_map(|&cell| size.neighbours(cell));
        cells.fold(0, |set: PathSet, cell| set | 1 << owners[usize::from(cell.0)])
    };
    let beside: Vec<PathSet> = links.iter().map(beside).collect();
    let mut sets: Vec<PathSet> = (0..links.len()).map(|path| 1 << path).collect();
    for _ in 1..PATHS {
        let grown = |set: PathSet| {
            let near = bits(set).fold(0, |near, path| near | beside[path]);
            bits(near & !set).map(move |path| set | 1 << path)
        };
        sets = sets.into_iter().flat_map(grown).collect();
        sets.sort_unstable();
        sets.dedup();
    }
    sets
}

fn paths(set: PathSet) -> Vec<u16> {
    bits(set).map(|path| path as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::numberlink::Mode;
    use crate::puzzle::numberlink::generate::make;
    use crate::puzzle::numberlink::generate::partition::Partition;

    fn check(
        size: Size,
        links: &[Vec<Cell>],
        with_paths: bool,
        most: usize,
    ) -> Option<CheckedRegions> {
        let mut search = SecondSolutionSearch::default();
        CheckedRegions::default().check(size, links.to_vec(), with_paths, most, &mut search)
    }

    #[test]
    fn no_region_of_a_board_with_one_solution_has_a_second() {
        let size = Size::new(12, 12).unwrap();
        for seed in 0..4 {
            let seed = format!("region{seed}").parse().unwrap();
            let made = make(size, Mode::Any, &seed).unwrap();
            let checked = check(size, &made.solution.0, true, 0).unwrap();
            assert_eq!(checked.ambiguous, 0);
            assert!(checked.regions.len() > 10);
            assert!(checked.regions.is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn second_solutions_are_found_with_the_paths_that_differ() {
        let size = Size::new(12, 12).unwrap();
        // Each path leads there and back.
        let links = Partition::snake(size, 6).links();
        for with_paths in [false, true] {
            let checked = check(size, &links, with_paths, usize::MAX).unwrap();
            assert!(checked.ambiguous > 0);
            assert!(!checked.changed(0).is_empty());
            let fewer = checked.ambiguous - 1;
            assert!(check(size, &links, with_paths, fewer).is_none());
        }
    }

    #[test]
    fn sets_of_paths_are_connected() {
        let size = Size::new(12, 12).unwrap();
        // Two rows each, so each is next to the one before and the one after.
        let sets = neighbouring_paths(size, &Partition::snake(size, 6).links());
        assert_eq!(sets, [0b00_1111, 0b01_1110, 0b11_1100]);
    }
}
