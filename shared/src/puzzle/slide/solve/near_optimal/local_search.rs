//! Shortens a solution piece by piece: a beam looks for a shorter way between two boards
//! of it that lie some moves apart, within the part of the board that the blank crosses
//! between them. What that costs doesn't hang on the size of the board.

use super::beam::{Beam, Step};
use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::geometry::Ground;
use crate::puzzle::slide::solve::tables::Tables;
use crate::util::grid::{Cell, Direction, Size};
use std::collections::VecDeque;

/// The moves of the pieces of the first round.
const FIRST_PIECE: usize = 24;

/// The most moves of a piece.
const LONGEST_PIECE: usize = 120;

/// How wide the beams of the first round are, in boards.
const FIRST_WIDTH: usize = 32;

/// The widest beams: wider ones found next to nothing more.
const LAST_WIDTH: usize = 4096;

/// The largest part of a board, in cells.
const PART_CELLS: usize = 100;

/// A solution that is being shortened.
#[derive(Debug, Clone)]
pub(in crate::puzzle::slide::solve) struct Polish {
    start: Board,
    /// The board between what is done and what is ahead.
    board: Board,
    done: Vec<Direction>,
    ahead: VecDeque<Direction>,
    piece: usize,
    width: usize,
    /// Whether this round has shortened anything.
    shortened: bool,
    search: Option<Search>,
}

/// A search for a shorter piece.
#[derive(Debug, Clone)]
struct Search {
    ground: Ground,
    beam: Beam,
    length: usize,
}

/// A rectangle of cells.
#[derive(Debug, Clone, Copy)]
struct Part {
    size: Size,
    rows: [usize; 2],
    cols: [usize; 2],
}

impl Polish {
    /// Begins with a solution of a board.
    pub(in crate::puzzle::slide::solve) fn new(board: &Board, moves: &[Direction]) -> Self {
        Self {
            start: board.clone(),
            board: board.clone(),
            done: Vec::new(),
            ahead: moves.iter().copied().collect(),
            piece: FIRST_PIECE,
            width: FIRST_WIDTH,
            shortened: false,
            search: None,
        }
    }

    /// Goes on with another solution of the same board.
    pub(in crate::puzzle::slide::solve) fn replace(&mut self, moves: &[Direction]) {
        self.board.clone_from(&self.start);
        self.done.clear();
        self.ahead = moves.iter().copied().collect();
        self.search = None;
    }

    /// Returns the length of the solution.
    pub(in crate::puzzle::slide::solve) fn len(&self) -> usize {
        self.done.len() + self.ahead.len()
    }

    /// Returns the solution.
    pub(in crate::puzzle::slide::solve) fn moves(&self) -> Vec<Direction> {
        self.done.iter().chain(&self.ahead).copied().collect()
    }

    /// Searches on for at most so many nodes, and takes off what it has used. Returns
    /// whether there is more to do.
    pub(in crate::puzzle::slide::solve) fn advance(&mut self, budget: &mut u64) -> bool {
        loop {
            let Some(search) = &mut self.search else {
                if self.ahead.len() < 4 && !self.next_round() {
                    return false;
                }
                self.search = self.next_piece();
                if self.search.is_none() {
                    self.pass(self.piece / 2);
                }
                continue;
            };
            match search.beam.advance(&search.ground, budget) {
                Step::Running => return true,
                Step::Dead { .. } => {}
                Step::Found(moves) => {
                    self.ahead.drain(..search.length);
                    for &way in moves.iter().rev() {
                        self.ahead.push_front(way);
                    }
                    self.shortened = true;
                }
            }
            self.search = None;
            self.pass(self.piece / 2);
        }
    }

    /// Begins another round: with longer pieces and wider beams once nothing was found.
    fn next_round(&mut self) -> bool {
        if !std::mem::take(&mut self.shortened) {
            self.piece = (self.piece * 3 / 2).min(LONGEST_PIECE);
            self.width *= 2;
        }
        let moves = self.moves();
        self.replace(&moves);
        self.width <= LAST_WIDTH && self.ahead.len() >= 4
    }

    /// Goes on by so many moves.
    fn pass(&mut self, moves: usize) {
        for _ in 0..moves.max(1) {
            let Some(way) = self.ahead.pop_front() else {
                return;
            };
            self.board.step(way);
            self.done.push(way);
        }
    }

    /// Cuts the next piece out, and the part of the board that it is about. Nothing where a
    /// piece of a few moves is as short as it can be.
    fn next_piece(&self) -> Option<Search> {
        let (part, length) = self.part()?;
        let size = self.board.size();
        let cells: Vec<Cell> = part.cells(size).collect();
        let mut after = self.board.clone();
        for &way in self.ahead.iter().take(length) {
            after.step(way)?;
        }
        // Each tile gets the number of the place in the part where it ends.
        let ends: Vec<u16> = cells.iter().map(|&cell| after.tile(cell)).collect();
        let number = |tile: u16| {
            let place = ends.iter().position(|&end| end == tile)?;
            (tile != 0).then_some(place as u8 + 1)
        };
        let tiles = cells.iter().map(|&cell| number(self.board.tile(cell)).unwrap_or(0));
        let ground = Ground::new(part.size, &Tables::none());
        let beam = Beam::new(&ground, tiles.collect(), self.width, length as u32);
        (beam.at_least() < length as u32).then_some(Search { ground, beam, length })
    }

    /// Returns the part of the board that the next piece is about, and the piece's length.
    fn part(&self) -> Option<(Part, usize)> {
        let size = self.board.size();
        let mut blank = self.board.blank();
        let (mut part, mut length) = (Part::around(size, blank, blank), 0);
        let mut corners = [blank, blank];
        for &way in self.ahead.iter().take(self.piece) {
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
            let larger = Part::around(size, corners[0], corners[1]);
            if larger.size.cells() > PART_CELLS {
                break;
            }
            (part, length) = (larger, length + 1);
        }
        (length >= 4).then_some((part, length))
    }
}

impl Part {
    /// Returns the rectangle between two cells, and one cell more on each side.
    fn around(size: Size, first: Cell, last: Cell) -> Self {
        let rows = [size.row_of(first).saturating_sub(1), (size.row_of(last) + 2).min(size.rows())];
        let cols = [size.col_of(first).saturating_sub(1), (size.col_of(last) + 2).min(size.cols())];
        // Within a board the sides are within bounds.
        let part = Size::new(rows[1] - rows[0], cols[1] - cols[0]);
        Self { size: part.unwrap_or(size), rows, cols }
    }

    fn cells(self, size: Size) -> impl Iterator<Item = Cell> {
        let [left, right] = self.cols;
        (self.rows[0]..self.rows[1])
            .flat_map(move |row| (left..right).map(move |col| size.cell(row, col)))
    }
}
