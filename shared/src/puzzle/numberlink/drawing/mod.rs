//! Drawings: a puzzle with the links that a player has drawn.

pub(super) mod stroke;
pub(super) mod validate;

use crate::puzzle::counts::MoveCount;
use crate::puzzle::numberlink::{Puzzle, Rule, Solution, Square};
use crate::util::grid::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of strokes that can be undone. A drag is a single stroke, so this is ample; a
/// player who wants more clears a link.
pub const UNDO_STROKES: usize = 32;

/// Maximum total weight of the strokes that can be undone, by `LinkChange::weight`. It bounds a
/// snapshot: 32 boards of 400 cells stay below a frame's limit. The oldest strokes are dropped
/// first; the newest one is always kept.
pub const UNDO_WEIGHT: usize = 1_600;

/// The weight of a changed link besides the cells that it lost, in cells: in JSON its number,
/// `keep` and field names take some 40 bytes, and a cell one.
const CHANGE_WEIGHT: usize = 24;

/// The links that a player has drawn on a puzzle, with the undo history.
///
/// A link starts at one of its terminals, is simple, and shares no cell with another; where the
/// puzzle forbids it, it never touches itself. Only [`Drawing::play`] changes a drawing.
///
/// Its JSON is
/// `{"puzzle":{"size":"2x3","cells":[1,0,2,1,0,2],"touch":"free"},"links":[[0,1],[]],…}`: `cells`
/// are given row by row, 0 for an open one, -1 for a solid one, else the number; `links` are lists
/// of cells in the order of the numbers, each from the terminal where it starts, and empty if
/// nothing is drawn. `last` and `undo` are needed to replay an undo.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Stroke, Touch};
/// // 1 . 2
/// // 1 . 2
/// let terminals = [(1, Cell(0)), (2, Cell(2)), (1, Cell(3)), (2, Cell(5))];
/// let mut drawing = Drawing::new(Puzzle::new("2x3".parse()?, &terminals, &[], Touch::Free)?);
/// let stroke = |cells: [u16; 4]| Stroke::Draw(cells.map(Cell).to_vec());
/// assert_eq!(drawing.play(&stroke([0, 1, 4, 3]))?.moves, 1);
/// assert_eq!((drawing.linked(), drawing.covered()), (1, 4));
/// // This crosses the first link, which is cut down to nothing.
/// assert_eq!(drawing.play(&stroke([2, 1, 4, 5]))?.moves, 1);
/// assert!(drawing.link(1).is_empty() && drawing.is_linked(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Drawing {
    puzzle: Arc<Puzzle>,
    links: Vec<Vec<Cell>>,
    /// For each cell, the number of its link, or 0.
    owners: Vec<u16>,
    linked: usize,
    covered: usize,
    open_cells: usize,
    last: Option<u16>,
    history: UndoHistory,
}

impl Drawing {
    pub fn new(puzzle: impl Into<Arc<Puzzle>>) -> Self {
        let puzzle = puzzle.into();
        Self {
            links: vec![Vec::new(); puzzle.pairs().len()],
            owners: vec![0; puzzle.size().cells()],
            linked: 0,
            covered: 0,
            open_cells: puzzle.open_cells(),
            last: None,
            history: UndoHistory::default(),
            puzzle,
        }
    }

    pub const fn puzzle(&self) -> &Arc<Puzzle> {
        &self.puzzle
    }

    /// Returns a number's link from the terminal where it starts; empty if nothing is drawn, and
    /// for an unknown number. Never a terminal alone.
    pub fn link(&self, number: u16) -> &[Cell] {
        let link = self.links.get(usize::from(number).wrapping_sub(1));
        link.map_or(&[], Vec::as_slice)
    }

    /// Returns all links in the order of their numbers; see [`Drawing::link`].
    pub fn links(&self) -> &[Vec<Cell>] {
        &self.links
    }

    /// Returns the number whose link covers a cell. A terminal that no link has reached has no
    /// owner.
    pub fn owner(&self, cell: Cell) -> Option<u16> {
        let owner = self.owners.get(usize::from(cell.0)).copied();
        owner.filter(|&number| number > 0)
    }

    pub fn is_linked(&self, number: u16) -> bool {
        let last = self.link(number).last();
        last.is_some_and(|&cell| self.puzzle.square(cell) == Square::Terminal(number))
    }

    pub const fn linked(&self) -> usize {
        self.linked
    }

    pub const fn covered(&self) -> usize {
        self.covered
    }

    /// Returns whether every number is connected and every open cell covered, by any links.
    pub const fn is_solved(&self) -> bool {
        self.linked == self.links.len() && self.covered == self.open_cells
    }

    /// Returns the progress, 0 to 1000; 1000 only when solved. One half counts the connected
    /// numbers, the other the covered cells.
    pub fn progress(&self) -> u16 {
        let (pairs, cells) = (self.links.len(), self.open_cells);
        let parts = self.linked * cells + self.covered * pairs;
        u16::try_from(1_000 * parts / (2 * pairs * cells)).unwrap_or(1_000)
    }

    /// Returns the links, each from its pair's first terminal, if they are a solution under a
    /// rule.
    pub fn solution(&self, rule: Rule) -> Option<Solution> {
        let mut links = self.links.clone();
        for (link, [from, _]) in links.iter_mut().zip(self.puzzle.pairs()) {
            if link.first() != Some(from) {
                link.reverse();
            }
        }
        let solution = Solution(links);
        solution.solves(&self.puzzle, rule).then_some(solution)
    }

    pub fn undos(&self) -> usize {
        self.history.strokes().len()
    }

    pub(super) const fn last_number(&self) -> Option<u16> {
        self.last
    }

    pub(super) const fn history(&self) -> &UndoHistory {
        &self.history
    }

    /// Adds a stroke to the undo history and returns what it counts.
    fn push_undo(&mut self, number: u16, stroke: Vec<LinkChange>) -> MoveCount {
        self.history.push(stroke);
        let other = self.last.replace(number) != Some(number);
        MoveCount { moves: u32::from(other), acts: 1 }
    }

    /// Replaces the cells of a link after its first `keep` cells and returns the former ones. The
    /// new cells must be free.
    fn replace(&mut self, number: u16, keep: usize, tail: &[Cell]) -> Vec<Cell> {
        self.linked -= usize::from(self.is_linked(number));
        let link = &mut self.links[usize::from(number) - 1];
        let lost = link.split_off(keep);
        link.extend_from_slice(tail);
        for cell in &lost {
            self.owners[usize::from(cell.0)] = 0;
        }
        for cell in tail {
            self.owners[usize::from(cell.0)] = number;
        }
        self.covered = self.covered + tail.len() - lost.len();
        self.linked += usize::from(self.is_linked(number));
        lost
    }
}

/// The former state of a link: its unchanged first cells, then those that were lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkChange {
    pub number: u16,
    /// How many of its first cells are unchanged.
    pub keep: usize,
    /// The cells after them.
    pub lost: Vec<Cell>,
}

impl LinkChange {
    fn weight(&self) -> usize {
        CHANGE_WEIGHT + self.lost.len()
    }
}

/// The strokes that can be undone, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct UndoHistory {
    strokes: VecDeque<Vec<LinkChange>>,
    weight: usize,
}

impl UndoHistory {
    /// Adds a stroke, given as the changes of its links, which undo restores from the last to the
    /// first.
    pub fn push(&mut self, stroke: Vec<LinkChange>) {
        self.weight += weight(&stroke);
        self.strokes.push_back(stroke);
        let over = |history: &Self| {
            history.strokes.len() > UNDO_STROKES
                || history.weight > UNDO_WEIGHT && history.strokes.len() > 1
        };
        while over(self) {
            self.weight -= self.strokes.pop_front().as_deref().map_or(0, weight);
        }
    }

    pub fn pop(&mut self) -> Option<Vec<LinkChange>> {
        let stroke = self.strokes.pop_back()?;
        self.weight -= weight(&stroke);
        Some(stroke)
    }

    /// Returns the strokes, the oldest first.
    pub fn strokes(&self) -> impl DoubleEndedIterator<Item = &Vec<LinkChange>> + ExactSizeIterator {
        self.strokes.iter()
    }
}

/// Returns whether a history may hold these strokes.
pub fn is_bounded(strokes: &[Vec<LinkChange>]) -> bool {
    let all: usize = strokes.iter().map(|stroke| weight(stroke)).sum();
    strokes.len() <= UNDO_STROKES && (all <= UNDO_WEIGHT || strokes.len() == 1)
}

fn weight(stroke: &[LinkChange]) -> usize {
    stroke.iter().map(LinkChange::weight).sum()
}
