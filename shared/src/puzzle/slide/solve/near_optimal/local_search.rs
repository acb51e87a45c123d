//! Local search: shortens a solution segment by segment. For two boards of the solution some moves
//! apart, a beam searches for a shorter path within the window of the board that the blank crosses
//! between them. The cost does not depend on the size of the board.

use super::beam::{Beam, BeamStatus, BeamWidth};
use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::geometry::Geometry;
use crate::puzzle::slide::solve::tables::Tables;
use crate::util::grid::{Cell, Direction, Size};
use std::collections::VecDeque;
use std::sync::Arc;

/// Moves of a segment in the first round.
const FIRST_SEGMENT_MOVES: usize = 24;

const MAX_SEGMENT_MOVES: usize = 120;

/// Width of the beams of the first round, in boards.
const FIRST_BEAM_WIDTH: usize = 32;

/// Width of the widest beams, in boards; wider ones found almost nothing more.
const MAX_BEAM_WIDTH: usize = 4096;

const MAX_WINDOW_CELLS: usize = 100;

#[derive(Debug, Clone)]
pub struct LocalSearch {
    start: Board,
    /// The board between the played moves and those ahead.
    board: Board,
    played: Vec<Direction>,
    ahead: VecDeque<Direction>,
    segment: usize,
    width: usize,
    shortened: bool,
    search: Option<SegmentSearch>,
    /// Those of the windows so far, of a few dozen sizes.
    geometries: Vec<Arc<Geometry>>,
}

#[derive(Debug, Clone)]
struct SegmentSearch {
    geometry: Arc<Geometry>,
    beam: Beam,
    length: usize,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    size: Size,
    rows: [usize; 2],
    cols: [usize; 2],
}

impl LocalSearch {
    pub fn new(board: &Board, moves: &[Direction]) -> Self {
        Self {
            start: board.clone(),
            board: board.clone(),
            played: Vec::new(),
            ahead: moves.iter().copied().collect(),
            segment: FIRST_SEGMENT_MOVES,
            width: FIRST_BEAM_WIDTH,
            shortened: false,
            search: None,
            geometries: Vec::new(),
        }
    }

    /// Continues with another solution of the same board.
    pub fn replace(&mut self, moves: &[Direction]) {
        self.board.clone_from(&self.start);
        self.played.clear();
        self.ahead = moves.iter().copied().collect();
        self.search = None;
    }

    pub fn len(&self) -> usize {
        self.played.len() + self.ahead.len()
    }

    pub fn moves(&self) -> Vec<Direction> {
        self.played.iter().chain(&self.ahead).copied().collect()
    }

    /// Continues within a node budget and subtracts what it used. Returns whether there is more to
    /// do.
    pub fn advance(&mut self, budget: &mut u64) -> bool {
        loop {
            let Some(search) = &mut self.search else {
                if self.ahead.len() < 4 && !self.next_round() {
                    return false;
                }
                self.search = self.next_segment();
                if self.search.is_none() {
                    self.advance_by(self.segment / 2);
                }
                continue;
            };
            match search.beam.advance(&search.geometry, budget) {
                BeamStatus::Running => return true,
                BeamStatus::Exhausted { .. } => {}
                BeamStatus::Found(moves) => {
                    self.ahead.drain(..search.length);
                    for &way in moves.iter().rev() {
                        self.ahead.push_front(way);
                    }
                    self.shortened = true;
                }
            }
            self.search = None;
            self.advance_by(self.segment / 2);
        }
    }

    /// Starts another round: with longer segments and wider beams if the last one found nothing.
    fn next_round(&mut self) -> bool {
        if !std::mem::take(&mut self.shortened) {
            self.segment = (self.segment * 3 / 2).min(MAX_SEGMENT_MOVES);
            self.width *= 2;
        }
        let moves = self.moves();
        self.replace(&moves);
        self.width <= MAX_BEAM_WIDTH && self.ahead.len() >= 4
    }

    fn advance_by(&mut self, moves: usize) {
        for _ in 0..moves.max(1) {
            let Some(way) = self.ahead.pop_front() else {
                return;
            };
            self.board.step(way);
            self.played.push(way);
        }
    }

    /// Prepares the next segment and its window. Returns `None` when the segment's bound proves it
    /// optimal.
    fn next_segment(&mut self) -> Option<SegmentSearch> {
        let (window, length) = self.window()?;
        let size = self.board.size();
        let cells: Vec<Cell> = window.cells(size).collect();
        let mut after = self.board.clone();
        for &way in self.ahead.iter().take(length) {
            after.step(way)?;
        }
        // Each tile is numbered by its final place in the window.
        let ends: Vec<u16> = cells.iter().map(|&cell| after.tile(cell)).collect();
        let number = |tile: u16| {
            let place = ends.iter().position(|&end| end == tile)?;
            (tile != 0).then_some(place as u8 + 1)
        };
        let tiles = cells.iter().map(|&cell| number(self.board.tile(cell)).unwrap_or(0));
        let tiles = tiles.collect();
        let geometry = self.geometry(window.size);
        let beam = Beam::new(&geometry, tiles, BeamWidth::even(self.width), length as u32);
        (beam.lower_bound < length as u32).then_some(SegmentSearch { geometry, beam, length })
    }

    fn geometry(&mut self, size: Size) -> Arc<Geometry> {
        let known = self.geometries.iter().find(|geometry| geometry.size == size);
        known.cloned().unwrap_or_else(|| {
            let geometry = Arc::new(Geometry::new(size, &Tables::none()));
            self.geometries.push(Arc::clone(&geometry));
            geometry
        })
    }

    /// Returns the window of the next segment, and the segment's length.
    fn window(&self) -> Option<(Window, usize)> {
        let size = self.board.size();
        let mut blank = self.board.blank();
        let (mut window, mut length) = (Window::around(size, blank, blank), 0);
        let mut corners = [blank, blank];
        for &way in self.ahead.iter().take(self.segment) {
            blank = size.neighbour(blank, way.opposite())?;
            let [first, last] = corners;
            corners = [
                size.cell(
                    size.row_of(first).min(size.row_of(blank)),
                    size.col_of(first).min(size.col_of(blank)),
                ),
                size.cell(
                    size.row_of(last).max(size.row_of(blank)),
                    size.col_of(last).max(size.col_of(blank)),
                ),
            ];
            let larger = Window::around(size, corners[0], corners[1]);
            if larger.size.cells() > MAX_WINDOW_CELLS {
                break;
            }
            (window, length) = (larger, length + 1);
        }
        (length >= 4).then_some((window, length))
    }
}

impl Window {
    /// Returns the rectangle between two cells, extended by one cell on each side.
    fn around(size: Size, first: Cell, last: Cell) -> Self {
        let rows = [size.row_of(first).saturating_sub(1), (size.row_of(last) + 2).min(size.rows())];
        let cols = [size.col_of(first).saturating_sub(1), (size.col_of(last) + 2).min(size.cols())];
        // Within a board the sides are in range.
        let window = Size::new(rows[1] - rows[0], cols[1] - cols[0]);
        Self { size: window.unwrap_or(size), rows, cols }
    }

    fn cells(self, size: Size) -> impl Iterator<Item = Cell> {
        let [left, right] = self.cols;
        (self.rows[0]..self.rows[1])
            .flat_map(move |row| (left..right).map(move |col| size.cell(row, col)))
    }
}
