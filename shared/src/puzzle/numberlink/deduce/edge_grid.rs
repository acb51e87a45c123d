//! The state of every edge between two cells: on, off, or unknown.

use crate::puzzle::numberlink::deduce::explanation::Justification;
use crate::puzzle::numberlink::{Puzzle, Square};
use crate::util::grid::{Cell, Size};

/// The index of a cell in a grid with a margin of one cell on every side, in which every cell of
/// the puzzle has four neighbours.
pub(super) type GridIndex = usize;

/// The four directions of an edge as bits: left, up, right, down.
pub(super) type DirectionMask = u8;

/// The known edges of a puzzle's links, with a trail that undoes changes.
///
/// Edges that are on form runs of cells. Each end of a run stores the other one, and every cell of
/// a run with a terminal stores its number.
#[derive(Debug, Clone)]
pub(super) struct EdgeGrid {
    size: Size,
    offsets: [isize; 4],
    /// The number of edges that each cell must have: 0 for solid cells and the margin.
    pub need: Vec<u8>,
    pub on: Vec<DirectionMask>,
    /// The edges that are on or unknown.
    pub open: Vec<DirectionMask>,
    /// At an end of a run: the other end. A cell without edges is its own mate.
    pub mate: Vec<u16>,
    /// The number of the link that is known to contain a cell, or 0.
    pub label: Vec<u16>,
    /// The reason for the state of an edge, for each cell and direction.
    why: Vec<[Justification; 4]>,
    pub pairs: Vec<[GridIndex; 2]>,
    pub unlinked: usize,
    trail: Vec<TrailEntry>,
    queue: WorkQueue,
    /// The cells to examine for the touch rule.
    deferred: WorkQueue,
    pub edges_on: usize,
}

/// A FIFO queue that holds each cell at most once.
#[derive(Debug, Clone)]
struct WorkQueue {
    cells: Vec<u16>,
    /// The number of cells that have been removed.
    gone: usize,
    waits: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TrailMark {
    trail: usize,
    unlinked: usize,
    edges_on: usize,
}

#[derive(Debug, Clone, Copy)]
enum TrailEntry {
    Edges { at: u16, on: DirectionMask, open: DirectionMask },
    Mate { at: u16, was: u16 },
    Label { at: u16 },
}

/// The error of setting an edge on: a cell is full, or the edge would close a ring or join two
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EdgeConflict;

impl EdgeGrid {
    /// Creates the grid of a puzzle without drawn links; every cell is enqueued.
    pub fn new(puzzle: &Puzzle) -> Self {
        let size = puzzle.size();
        let stride = size.cols() + 2;
        let area = stride * (size.rows() + 2);
        let step = stride as isize; // at most 42
        let mut grid = Self {
            size,
            offsets: [-1, -step, 1, step],
            need: vec![0; area],
            on: vec![0; area],
            open: vec![0; area],
            mate: (0..area).map(to_u16).collect(),
            label: vec![0; area],
            why: vec![[Justification::GIVEN; 4]; area],
            pairs: Vec::with_capacity(puzzle.pairs().len()),
            unlinked: puzzle.pairs().len(),
            trail: Vec::with_capacity(4 * area),
            queue: WorkQueue::new(area),
            deferred: WorkQueue::new(area),
            edges_on: 0,
        };
        for (cell, square) in (0u16..).map(Cell).zip(puzzle.squares()) {
            let at = grid.at(cell);
            (grid.need[at], grid.label[at]) = match *square {
                Square::Open => (2, 0),
                Square::Solid => (0, 0),
                Square::Terminal(number) => (1, number),
            };
        }
        let pairs = puzzle.pairs().iter();
        grid.pairs = pairs.map(|pair| pair.map(|cell| grid.at(cell))).collect();
        for at in 0..area {
            if grid.need[at] > 0 {
                let bits = (0..4).filter(|&way| grid.need[grid.next(at, way)] > 0);
                grid.open[at] = bits.map(|way| 1 << way).sum();
                grid.enqueue(at);
            }
        }
        grid
    }

    /// Draws links.
    ///
    /// # Errors
    /// [`EdgeConflict`] when they are not sequences of adjacent cells, or conflict.
    pub fn draw(&mut self, links: &[Vec<Cell>]) -> Result<(), EdgeConflict> {
        for two in links.iter().flat_map(|link| link.windows(2)) {
            if !self.size.contains(two[0]) || !self.size.contains(two[1]) {
                return Err(EdgeConflict);
            }
            let (from, to) = (self.at(two[0]), self.at(two[1]));
            let way = (0..4).find(|&way| self.next(from, way) == to).ok_or(EdgeConflict)?;
            if self.unknown(from) & 1 << way == 0 {
                return Err(EdgeConflict);
            }
            self.set_on(from, way, Justification::GIVEN)?;
        }
        Ok(())
    }

    pub fn at(&self, cell: Cell) -> GridIndex {
        let (row, col) = (self.size.row_of(cell), self.size.col_of(cell));
        (row + 1) * (self.size.cols() + 2) + col + 1
    }

    /// Returns the puzzle's cell; `at` must not be in the margin.
    pub fn cell(&self, at: GridIndex) -> Cell {
        let stride = self.size.cols() + 2;
        self.size.cell(at / stride - 1, at % stride - 1)
    }

    /// Returns the indices of all cells of the puzzle.
    pub fn indices(&self) -> impl Iterator<Item = GridIndex> + use<> {
        let stride = self.size.cols() + 2;
        let cols = 1..=self.size.cols();
        (1..=self.size.rows()).flat_map(move |row| cols.clone().map(move |col| row * stride + col))
    }

    /// Returns the neighbour in a direction; `at` must not be in the margin.
    pub fn next(&self, at: GridIndex, way: usize) -> GridIndex {
        at.wrapping_add_signed(self.offsets[way])
    }

    pub fn unknown(&self, at: GridIndex) -> DirectionMask {
        self.open[at] & !self.on[at]
    }

    pub fn is_full(&self, at: GridIndex) -> bool {
        self.on[at].count_ones() >= u32::from(self.need[at])
    }

    pub fn why(&self, at: GridIndex, way: usize) -> Justification {
        self.why[at][way]
    }

    pub fn hardest_off_reason(&self, at: GridIndex) -> Justification {
        let off = ways(!self.open[at] & 0b1111);
        off.map(|way| self.why[at][way]).max().unwrap_or_default()
    }

    /// Returns the open ends of a number that is not linked.
    pub fn ends(&self, number: usize) -> [GridIndex; 2] {
        self.pairs[number].map(|terminal| usize::from(self.mate[terminal]))
    }

    pub fn is_linked(&self, number: usize) -> bool {
        let [from, to] = self.pairs[number];
        usize::from(self.mate[from]) == to && self.on[from] != 0
    }

    pub fn enqueue(&mut self, at: GridIndex) {
        if self.need[at] > 0 {
            self.queue.push(at);
        }
    }

    pub const fn waiting(&self) -> usize {
        self.queue.cells.len() - self.queue.gone
    }

    pub fn pop(&mut self) -> Option<GridIndex> {
        self.queue.pop()
    }

    pub fn defer(&mut self, at: GridIndex) {
        self.deferred.push(at);
    }

    pub fn pop_deferred(&mut self) -> Option<GridIndex> {
        self.deferred.pop()
    }

    pub fn mark(&self) -> TrailMark {
        TrailMark { trail: self.trail.len(), unlinked: self.unlinked, edges_on: self.edges_on }
    }

    /// Undoes all changes after a mark and empties the queue.
    pub fn undo_to(&mut self, mark: TrailMark) {
        for change in self.trail.drain(mark.trail..).rev() {
            match change {
                TrailEntry::Edges { at, on, open } => {
                    self.on[usize::from(at)] = on;
                    self.open[usize::from(at)] = open;
                }
                TrailEntry::Mate { at, was } => self.mate[usize::from(at)] = was,
                TrailEntry::Label { at } => self.label[usize::from(at)] = 0,
            }
        }
        self.unlinked = mark.unlinked;
        self.edges_on = mark.edges_on;
        while self.queue.pop().is_some() {}
    }

    pub fn set_off(&mut self, at: GridIndex, way: usize, why: Justification) {
        self.decide(at, way, false, why);
    }

    /// Sets an unknown edge on, and joins the runs that it connects.
    ///
    /// # Errors
    /// [`EdgeConflict`] when they are the same run or have different numbers, or a cell is full.
    pub fn set_on(
        &mut self,
        at: GridIndex,
        way: usize,
        why: Justification,
    ) -> Result<(), EdgeConflict> {
        let to = self.next(at, way);
        let (one, other) = (usize::from(self.mate[at]), usize::from(self.mate[to]));
        let labels = (self.label[at], self.label[to]);
        let full = self.is_full(at) || self.is_full(to);
        if full || one == to || (labels.0 != 0 && labels.1 != 0 && labels.0 != labels.1) {
            return Err(EdgeConflict);
        }
        match labels {
            (0, number) if number != 0 => self.label_run(at, number),
            (number, 0) if number != 0 => self.label_run(to, number),
            (0, _) => {}
            _ => self.unlinked -= 1,
        }
        self.decide(at, way, true, why);
        self.set_mate(one, other);
        self.set_mate(other, one);
        self.enqueue(one);
        self.enqueue(other);
        self.edges_on += 1;
        Ok(())
    }

    fn decide(&mut self, at: GridIndex, way: usize, on: bool, why: Justification) {
        for (at, way) in [(at, way), (self.next(at, way), way ^ 2)] {
            self.trail.push(TrailEntry::Edges {
                at: to_u16(at),
                on: self.on[at],
                open: self.open[at],
            });
            self.why[at][way] = why;
            if on {
                self.on[at] |= 1 << way;
            } else {
                self.open[at] &= !(1 << way);
            }
            self.enqueue(at);
        }
    }

    fn set_mate(&mut self, at: GridIndex, mate: GridIndex) {
        let was = std::mem::replace(&mut self.mate[at], to_u16(mate));
        let at = to_u16(at);
        self.trail.push(TrailEntry::Mate { at, was });
    }

    /// Labels a run with its number from one end to the other, and enqueues the cells beside it.
    fn label_run(&mut self, end: GridIndex, number: u16) {
        let (mut at, mut from) = (end, 4);
        loop {
            self.label[at] = number;
            self.trail.push(TrailEntry::Label { at: to_u16(at) });
            self.enqueue(at);
            for way in ways(self.open[at] & !self.on[at]) {
                self.enqueue(self.next(at, way));
            }
            let mut ahead = ways(self.on[at]).filter(|way| *way != from);
            let Some(way) = ahead.next() else { break };
            at = self.next(at, way);
            from = way ^ 2;
        }
    }
}

impl WorkQueue {
    fn new(area: usize) -> Self {
        Self { cells: Vec::with_capacity(area), gone: 0, waits: vec![false; area] }
    }

    fn push(&mut self, at: GridIndex) {
        if !std::mem::replace(&mut self.waits[at], true) {
            self.cells.push(to_u16(at));
        }
    }

    fn pop(&mut self) -> Option<GridIndex> {
        let Some(&at) = self.cells.get(self.gone) else {
            self.cells.clear();
            self.gone = 0;
            return None;
        };
        self.gone += 1;
        self.waits[usize::from(at)] = false;
        Some(usize::from(at))
    }
}

pub(super) fn ways(mask: DirectionMask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let way = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(way)
    })
}

/// Converts an index to 16 bits: there are at most 42 × 42.
pub(super) const fn to_u16(at: GridIndex) -> u16 {
    at as u16
}
