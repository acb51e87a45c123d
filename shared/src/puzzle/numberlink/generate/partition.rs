//! A partition of a grid into paths, and the moves that transform one partition into another.
//!
//! The end of a path moves into a neighbouring cell: of its own path, whose part up to there is
//! then reversed (the backbite move, Mansfield 1982), or of another path, whose part beyond that
//! cell it takes over. Both keep every cell covered and the number of paths.

use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;
use crate::util::grid::{Cell, Size};

/// The minimum number of cells of a path: two would be adjacent terminals.
pub(super) const MIN_PATH_CELLS: usize = 3;

/// The label of the border around the grid.
const BORDER: u16 = u16::MAX;

/// Paths that cover a grid. Cells are numbered row by row, including a border of one cell.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    pub(super) size: Size,
    stride: usize,
    label: Vec<u16>,
    /// The index of each cell on its path.
    at: Vec<u16>,
    pub(super) paths: Vec<Vec<u16>>,
    /// The number of adjacent cells of the same path without a step between them.
    pub(super) touches: i32,
}

/// A move of a path's end into another path, which loses the part beyond.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndMove {
    path: u16,
    head: bool,
    other: u16,
    place: usize,
    to_head: bool,
    pub(super) growth: i32,
}

impl Partition {
    /// Cuts the boustrophedon path through the grid into paths of nearly equal length.
    pub(super) fn snake(size: Size, paths: usize) -> Self {
        let stride = size.cols() + 2;
        let mut partition = Self {
            size,
            stride,
            label: vec![BORDER; stride * (size.rows() + 2)],
            at: vec![0; stride * (size.rows() + 2)],
            paths: Vec::with_capacity(paths),
            touches: 0,
        };
        let snake: Vec<u16> = (0..size.cells())
            .map(|step| {
                let (row, along) = (step / size.cols(), step % size.cols());
                let col = if row % 2 == 0 { along } else { size.cols() - 1 - along };
                ((row + 1) * stride + col + 1) as u16
            })
            .collect();
        for path in 0..paths {
            let cut = |path: usize| path * snake.len() / paths;
            partition.paths.push(snake[cut(path)..cut(path + 1)].to_vec());
            partition.relabel(path as u16, 0);
        }
        partition.touches = partition.count_touches();
        partition
    }

    pub(super) fn links(&self) -> Vec<Vec<Cell>> {
        let cell = |&cell: &u16| {
            let (row, col) = (usize::from(cell) / self.stride, usize::from(cell) % self.stride);
            self.size.cell(row - 1, col - 1)
        };
        let link = |path: &Vec<u16>| path.iter().map(cell).collect();
        self.paths.iter().map(link).collect()
    }

    fn around(&self, cell: u16) -> [u16; 4] {
        let stride = self.stride as u16;
        [cell - stride, cell - 1, cell + 1, cell + stride]
    }

    /// Proposes a random move of a path's end. A backbite is applied at once, since it changes no
    /// label and so no touch, and `None` is returned.
    pub(super) fn propose_move(&mut self, path: u16, rng: &mut SplitMix64) -> Option<EndMove> {
        let bits = rng.word();
        let head = bits & 1 == 1;
        let cells = &self.paths[usize::from(path)];
        let end = if head { cells[0] } else { cells[cells.len() - 1] };
        let into = self.around(end)[(bits >> 1 & 3) as usize];
        let other = self.label[usize::from(into)];
        if other == BORDER {
            return None;
        }
        let place = usize::from(self.at[usize::from(into)]);
        if other == path {
            self.backbite(path, place, head);
            return None;
        }
        let to_head = bits >> 3 & 1 == 1;
        let loser = &self.paths[usize::from(other)];
        let left = if to_head { loser.len() - 1 - place } else { place };
        if left < MIN_PATH_CELLS {
            return None;
        }
        let mut end_move = EndMove { path, head, other, place, to_head, growth: 0 };
        end_move.growth = self.growth(&end_move);
        Some(end_move)
    }

    pub(super) fn apply(&mut self, end_move: &EndMove) {
        let mut other = std::mem::take(&mut self.paths[usize::from(end_move.other)]);
        let path = usize::from(end_move.path);
        if end_move.head {
            self.paths[path].reverse();
        }
        let from = if end_move.head { 0 } else { self.paths[path].len() };
        if end_move.to_head {
            self.paths[path].extend(other[..=end_move.place].iter().rev());
            other.drain(..=end_move.place);
        } else {
            self.paths[path].extend_from_slice(&other[end_move.place..]);
            other.truncate(end_move.place);
        }
        self.paths[usize::from(end_move.other)] = other;
        self.relabel(end_move.path, from);
        if end_move.to_head {
            self.relabel(end_move.other, 0);
        }
        self.touches += end_move.growth;
    }

    /// Reverses a path's part before (or after) an index, so that its end changes.
    fn backbite(&mut self, path: u16, place: usize, head: bool) {
        let cells = &mut self.paths[usize::from(path)];
        let part = if head { &mut cells[..place] } else { &mut cells[place + 1..] };
        // The end's neighbour on the path is no new end.
        if part.len() > 1 {
            part.reverse();
            let from = if head { 0 } else { place + 1 };
            self.relabel(path, from);
        }
    }

    fn relabel(&mut self, path: u16, from: usize) {
        for (at, &cell) in self.paths[usize::from(path)].iter().enumerate().skip(from) {
            self.label[usize::from(cell)] = path;
            self.at[usize::from(cell)] = at as u16;
        }
    }

    /// Returns the number of touches that a move adds less those that it removes.
    fn growth(&self, end_move: &EndMove) -> i32 {
        let other = &self.paths[usize::from(end_move.other)];
        let part =
            if end_move.to_head { 0..end_move.place + 1 } else { end_move.place..other.len() };
        let mut growth = 0;
        for &cell in &other[part.clone()] {
            for beside in self.around(cell) {
                let label = self.label[usize::from(beside)];
                if label == end_move.path {
                    growth += 1;
                } else if label == end_move.other
                    && !part.contains(&usize::from(self.at[usize::from(beside)]))
                {
                    growth -= 1;
                }
            }
        }
        // One step is removed and one added; neither is a touch.
        growth
    }

    fn count_touches(&self) -> i32 {
        let mut adjacent = 0;
        for cells in &self.paths {
            for &cell in cells {
                let label = self.label[usize::from(cell)];
                for beside in &self.around(cell)[2..] {
                    adjacent += i32::from(self.label[usize::from(*beside)] == label);
                }
            }
        }
        let steps: usize = self.paths.iter().map(|cells| cells.len() - 1).sum();
        adjacent - steps as i32
    }
}
